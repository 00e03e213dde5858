'use strict';
// The flame graph: roots on top, a button for each call, zoomed by click or keys; against a base,
// coloured by change.

function flameGraph(flame) {
  const graph = {
    tree: flameTree(flame),
    box: el('div', {class: 'flame', role: 'tree', 'aria-label': 'flame graph'}),
    readout: el('p', {class: 'readout', 'aria-live': 'polite'}),
    reset: el('button', {type: 'button', onclick: () => zoomFlame(graph, 0)}, 'Show all'),
    changes: Boolean(flame.bases), // Coloured, and as wide, by change.
    zoomed: 0,
    current: 0, // Has the focus, or had it last.
    search: '',
    shown: [], // The calls, as the buttons of the box stand for them.
  };
  graph.box.addEventListener('keydown', (event) => flameKey(graph, event));
  drawFlame(graph);
  return el(
    'div',
    {},
    el(
      'div',
      {class: 'flame-tools'},
      flameSearch(graph),
      graph.reset,
      flame.bases && [changeToggle(graph), changeLegend()],
    ),
    graph.box,
    graph.readout,
    flame.approximate && approximation(),
  );
}

function drawFlame(graph) {
  const {tree, box} = graph;
  const rowHeight = window.innerWidth <= 460 ? 25 : 21;
  const places = flamePlaces(tree, graph.zoomed, graph.changes);
  graph.shown = places.map(({n}) => n);
  const deepest = Math.max(...graph.shown.map((n) => tree.depth[n]));
  box.style.height = (deepest + 1) * rowHeight + 'px';
  box.replaceChildren(...places.map((place) => flameFrame(graph, place, rowHeight)));
  graph.reset.disabled = graph.zoomed === 0;
}

function flameFrame(graph, {n, left, size, above}, rowHeight) {
  const {tree, search} = graph;
  const name = tree.names[n];
  const words = flameWords(tree, n);
  const place = `left:${left * 100}%;width:${size * 100}%;top:${tree.depth[n] * rowHeight}px`;
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
  return el('button', attributes, size > 0.012 ? name || 'all' : '');
}

function zoomFlame(graph, n) {
  graph.zoomed = n;
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
  const parent = tree.flame.parents[current];
  const seen = (calls) => calls.filter((n) => shown.includes(n));
  const beside = (step) => {
    const siblings = seen(current === 0 ? [0] : tree.children[parent]);
    return siblings[siblings.indexOf(current) + step];
  };
  const target = {
    ArrowUp: () => parent,
    ArrowDown: () => seen(tree.children[current])[0],
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
    oninput: (event) => {
      graph.search = event.target.value.trim().toLowerCase();
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
