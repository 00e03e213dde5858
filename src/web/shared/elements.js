'use strict';
// The page's data, and building elements: text is always text, never markup.

const data = JSON.parse(document.getElementById('data').textContent);
const view = document.getElementById('view');

/// Data that was packed to be unpacked when it is looked at.
async function unpack(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  // Not Uint8Array.from(): a call for each letter takes most of a second for a large trace.
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return JSON.parse(await new Response(stream).text());
}

/// What a view keeps in the address, behind its "?": the value of a key, or null.
function viewOf(key) {
  return new URLSearchParams(location.hash.split('?')[1] || '').get(key);
}

/// Nothing moves and nothing is loaded: the address says what is seen.
function keepView(key, value) {
  const [place, before] = location.hash.split('?');
  const kept = new URLSearchParams(before || '');
  if (value === undefined) kept.delete(key);
  else kept.set(key, value);
  const rest = kept.toString();
  history.replaceState(null, '', (place || '#/') + (rest && '?' + rest));
}

/// el('td', {class: 'n', onclick: f}, 'text', child, …): nothing here parses markup.
function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) node.append(child);
  }
  return node;
}
