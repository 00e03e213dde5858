'use strict';
// What the views share: building elements (text is always text, never markup), figures, the page's data.

const data = JSON.parse(document.getElementById('data').textContent);
const view = document.getElementById('view');

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

const counting = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});
const fine = new Intl.NumberFormat('en-US', {maximumFractionDigits: 2});

function count(value) {
  if (value === undefined || value === null) return '';
  return (Math.abs(value) < 1000 ? fine : counting).format(value === 0 ? 0 : value);
}

function signed(value) {
  return (value > 0 ? '+' : '') + count(value);
}

/// Seconds with the figures that ± half supports, three without.
function seconds(value, half) {
  if (value === undefined || value === null) return '';
  const units = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];
  const figures = half > 0 ? Math.max(1, Math.min(5, Math.floor(Math.log10(Math.abs(value) / half)) + 1)) : 3;
  const [scale, name] = units.find(([size]) => Math.abs(value) >= size * 0.9995) || units[3];
  const shown = Number((value / scale).toPrecision(figures));
  const decimals = Math.max(0, figures - 1 - Math.floor(Math.log10(Math.abs(shown) || 1)));
  return shown.toFixed(decimals) + '\u202f' + name;
}

function percent(share) {
  if (share === undefined || share === null) return '';
  const value = share * 100;
  if (value === 0) return '0\u202f%';
  return (value > 0 ? '+' : '') + Number(value.toPrecision(Math.abs(value) >= 100 ? 3 : 2)).toLocaleString('en-US') + '\u202f%';
}

function share(part, whole) {
  if (!(whole > 0)) return '';
  const value = 100 * part / whole;
  return (value >= 10 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(2)) + '\u202f%';
}

const wordOf = (one) => one.status !== 'ok' ? one.status : one.base ? one.base.verdict : 'ok';

function kindOf(word) {
  if (['failed', 'crashed', 'timeout', 'gone', 'slower'].includes(word)) return 'bad';
  if (['faster', 'ok'].includes(word)) return 'good';
  if (['changed environment', 'not compared'].includes(word)) return 'notice';
  return '';
}

function tag(word) {
  return el('span', {class: 'tag ' + kindOf(word)}, word);
}

/// A table whose columns sort: columns are {title, value(row), cell(row) → children, numeric, className}.
function sortableTable(className, columns, rows, state, rowAttributes) {
  const body = el('tbody');
  const heads = columns.map((column, index) => {
    const button = el('button', {type: 'button', onclick: () => {
      const first = column.numeric ? -1 : 1;
      state.direction = state.column === index ? -state.direction : first;
      state.column = index;
      draw();
    }}, column.title);
    return el('th', {scope: 'col', class: [column.numeric ? 'n' : '', column.className || ''].join(' ')}, button);
  });
  function draw() {
    heads.forEach((head, index) => {
      if (index === state.column) head.setAttribute('aria-sort', state.direction > 0 ? 'ascending' : 'descending');
      else head.removeAttribute('aria-sort');
    });
    const order = rows.map((row, index) => [row, index]);
    const column = columns[state.column];
    if (column) {
      const value = column.value;
      order.sort(([a, i], [b, j]) => {
        const x = value(a), y = value(b);
        const missing = (v) => v === undefined || v === null || v === '';
        // Rows without a value stay at the end, whichever way the rest is sorted.
        if (missing(x) || missing(y)) return missing(x) - missing(y) || i - j;
        const compared = typeof x === 'string' ? x.localeCompare(y, 'en', {numeric: true}) : x - y;
        return compared * state.direction || i - j;
      });
    }
    body.replaceChildren(...order.map(([row]) => el('tr', rowAttributes ? rowAttributes(row) : {},
      columns.map((c) => el('td', {class: [c.numeric ? 'n' : '', c.className || ''].join(' ').trim() || undefined, 'data-title': c.small || undefined}, c.cell(row))))));
  }
  draw();
  return el('table', {class: className}, el('thead', {}, el('tr', {}, heads)), body);
}
