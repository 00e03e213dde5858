'use strict';
// The flame graph: roots on top, a button for each call, zoomed by click or keys; against a base,
// coloured by change. What is zoomed and searched stands in the address.

/// Of a whole profile, with its tools; `select(f)` receives the function that the user chose.
function flameGraph(profile, select) {
  const graph = flameBox(flameTree(profile.tree, profile.functions), 'flame graph');
  graph.search = viewOf('find') || '';
  graph.zoomed = Number(viewOf('zoom')) || 0;
  if (!(graph.zoomed < graph.tree.parent.length)) graph.zoomed = 0;
  graph.onzoom = (n) => keepView('zoom', n || undefined);
  graph.reset = el(
    'button',
    {type: 'button', class: 'reset', onclick: () => zoomFlame(graph, 0)},
    'Show all',
  );
  const around = el(
    'button',
    {type: 'button', onclick: () => select(graph.tree.function[graph.current])},
    'Callers and callees',
  );
  graph.box.addEventListener('keydown', (event) => {
    if (event.key === 's') select(graph.tree.function[graph.current]);
  });
  drawFlame(graph);
  return el(
    'div',
    {},
    el(
      'div',
      {class: 'flame-tools'},
      flameSearch(graph),
      graph.reset,
      around,
      profile.tree.before && [changeToggle(graph), changeLegend()],
    ),
    graph.box,
    graph.readout,
    profile.approximate && approximation(),
  );
}

/// A tree in a box of its own, and below it what the call under the pointer is. With `up`, callers
/// stand above what they call: the root is at the bottom.
function flameBox(tree, label, up = false) {
  const graph = {
    tree,
    up,
    box: el('div', {class: 'flame', role: 'tree', 'aria-label': label}),
    readout: el('p', {class: 'readout', 'aria-live': 'polite'}),
    changes: Boolean(tree.before), // Coloured, and as wide, by change.
    zoomed: 0,
    current: 0, // Has the focus, or had it last.
    search: '',
    shown: [], // The calls, as the buttons of the box stand for them.
  };
  graph.box.addEventListener('keydown', (event) => flameKey(graph, event));
  return graph;
}

function drawFlame(graph) {
  const {tree, box} = graph;
  const rowHeight = window.innerWidth <= 460 ? 25 : 21;
  const places = flamePlaces(tree, graph.zoomed, graph.changes);
  graph.shown = places.map(({n}) => n);
  const deepest = Math.max(...graph.shown.map((n) => tree.depth[n]));
  box.style.height = (deepest + 1) * rowHeight + 'px';
  const top = (n) => (graph.up ? deepest - tree.depth[n] : tree.depth[n]) * rowHeight;
  box.replaceChildren(...places.map((place) => flameFrame(graph, place, top(place.n))));
  if (graph.reset) graph.reset.disabled = graph.zoomed === 0;
}

function flameFrame(graph, {n, left, size, above}, top) {
  const {tree, search} = graph;
  const name = tree.of[n].name;
  const words = flameWords(tree, n);
  const place = `left:${left * 100}%;width:${size * 100}%;top:${top}px`;
  const found = search && (name.toLowerCase().includes(search) ? 'found' : 'missed');
  const read = () => {
    graph.readout.textContent = words;
  };
  const attributes = {
    type: 'button',
    role: 'treeitem',
    tabindex: n === graph.zoomed ? 0 : -1,
    title: words,
    'aria-level': tree.depth[n] + 1,
    class: [above && 'above', found].filter(Boolean).join(' ') || undefined,
    style: `${place};background:${flameColour(tree, n, graph.changes)}`,
    onclick: () => {
      zoomFlame(graph, n);
      focusFlame(graph, n);
    },
    onmouseenter: read,
    onfocus: () => {
      graph.current = n;
      read();
    },
  };
  return el('button', attributes, size > 0.012 ? name : '');
}

function zoomFlame(graph, n) {
  graph.zoomed = n;
  graph.onzoom?.(n);
  drawFlame(graph);
}

function focusFlame(graph, n) {
  const place = graph.shown.indexOf(n);
  if (place < 0) return;
  graph.current = n;
  for (const button of graph.box.children) button.tabIndex = -1;
  graph.box.children[place].tabIndex = 0;
  graph.box.children[place].focus();
}

/// Arrows go to the call above, the first below, and those beside; Escape goes back to the whole.
function flameKey(graph, event) {
  const {tree, current, shown} = graph;
  const parent = tree.parent[current];
  const seen = (calls) => calls.filter((n) => shown.includes(n));
  const beside = (step) => {
    const siblings = seen(current === 0 ? [0] : tree.children[parent]);
    return siblings[siblings.indexOf(current) + step];
  };
  const target = {
    [graph.up ? 'ArrowDown' : 'ArrowUp']: () => parent,
    [graph.up ? 'ArrowUp' : 'ArrowDown']: () => seen(tree.children[current])[0],
    ArrowLeft: () => beside(-1),
    ArrowRight: () => beside(1),
  }[event.key];
  if (target) {
    const n = target();
    if (n !== undefined) focusFlame(graph, n);
    event.preventDefault();
  } else if (event.key === 'Escape') {
    zoomFlame(graph, 0);
    focusFlame(graph, 0);
  }
}

function flameSearch(graph) {
  return el('input', {
    type: 'search',
    placeholder: 'Find a function',
    'aria-label': 'Find a function in the flame graph',
    value: graph.search,
    oninput: (event) => {
      graph.search = event.target.value.trim().toLowerCase();
      keepView('find', graph.search || undefined);
      drawFlame(graph);
    },
  });
}

function changeToggle(graph) {
  const toggle = (event) => {
    graph.changes = !graph.changes;
    event.target.setAttribute('aria-pressed', graph.changes);
    event.target.textContent = graph.changes ? 'Colour by library' : 'Colour by change';
    drawFlame(graph);
  };
  const attributes = {type: 'button', 'aria-pressed': 'true', onclick: toggle};
  return el('button', attributes, 'Colour by library');
}

function changeLegend() {
  const swatch = (colour) => el('i', {style: `background:${colour}`});
  return el(
    'span',
    {class: 'legend'},
    swatch('hsl(6 75% 68%)'),
    'more than the base',
    swatch('hsl(212 70% 68%)'),
    'less',
  );
}

function approximation() {
  return el(
    'p',
    {class: 'soft small'},
    'Approximate: Callgrind records calls between functions, not stacks. ',
    'Where a function has several callers, its cost is shared among them in proportion.',
  );
}
