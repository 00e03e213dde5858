'use strict';
// The flame graph: roots on top, a button for each call, zoomed by click or keys; against a base,
// coloured by change.

function flameGraph(flame) {
  const names = flame.names.map((id) => data.strings[id]);
  const objects = flame.objects.map((id) => data.strings[id]);
  const children = flame.parents.map(() => []);
  const depth = flame.parents.map(() => 0);
  for (let n = 1; n < flame.parents.length; ++n) {
    children[flame.parents[n]].push(n);
    depth[n] = depth[flame.parents[n]] + 1;
  }
  const diff = Boolean(flame.bases);
  let changes = diff;
  // Against a base a node is as wide as its larger side, so that what went away is still seen.
  const width = (n) =>
    diff && changes ? Math.max(flame.totals[n], flame.bases[n]) : flame.totals[n];
  for (const list of children)
    list.sort((a, b) => width(b) - width(a) || names[a].localeCompare(names[b]));

  const rowHeight = () => (window.innerWidth <= 460 ? 25 : 21);
  const box = el('div', {class: 'flame', role: 'tree', 'aria-label': 'flame graph'});
  const readout = el('p', {class: 'readout', 'aria-live': 'polite'});
  let zoomed = 0,
    search = '',
    shown = [],
    current = 0;

  function color(n) {
    if (diff && changes) {
      const delta = flame.totals[n] - flame.bases[n];
      // By its own size, so that the function that changed stands out from the callers above it,
      // which all changed a little.
      const strength = Math.sqrt(Math.abs(delta) / Math.max(flame.totals[n], flame.bases[n], 1e-9));
      if (Math.abs(delta) < 0.001 * Math.max(flame.totals[0], flame.bases[0])) return '#e6e2da';
      return delta > 0
        ? `hsl(6 ${40 + 42 * strength}% ${90 - 30 * strength}%)`
        : `hsl(212 ${40 + 38 * strength}% ${90 - 28 * strength}%)`;
    }
    let hash = 0;
    for (const letter of objects[n]) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
    let shade = 0;
    for (const letter of names[n]) shade = (shade * 33 + letter.charCodeAt(0)) >>> 0;
    return `hsl(${[38, 26, 152, 205, 265, 340, 88, 180][hash % 8]} ${46 + (shade % 14)}% ${76 + (shade % 9)}%)`;
  }

  function describe(n) {
    const parts = [
      names[n] || 'all',
      objects[n],
      count(flame.totals[n]) +
        ' instructions per iteration, ' +
        share(flame.totals[n], flame.totals[0]),
    ];
    if (diff)
      parts.push('base ' + count(flame.bases[n]) + ', ' + signed(flame.totals[n] - flame.bases[n]));
    return parts.filter(Boolean).join(' · ');
  }

  function focusOn(n) {
    const place = shown.indexOf(n);
    if (place < 0) return;
    current = n;
    for (const button of box.children) button.tabIndex = -1;
    box.children[place].tabIndex = 0;
    box.children[place].focus();
  }

  function draw() {
    const path = [];
    for (let n = zoomed; ; n = flame.parents[n]) {
      path.unshift(n);
      if (n === 0) break;
    }
    shown = [];
    const frames = [];
    let deepest = 0;
    const put = (n, left, size, above) => {
      deepest = Math.max(deepest, depth[n]);
      const found = search && names[n].toLowerCase().includes(search);
      shown.push(n);
      frames.push(
        el(
          'button',
          {
            type: 'button',
            role: 'treeitem',
            tabindex: n === zoomed ? 0 : -1,
            title: describe(n),
            'aria-level': depth[n] + 1,
            class:
              [above ? 'above' : '', search ? (found ? 'found' : 'missed') : ''].join(' ').trim() ||
              undefined,
            style: `left:${left * 100}%;width:${size * 100}%;top:${depth[n] * rowHeight()}px;background:${color(n)}`,
            onclick: () => {
              zoomed = n;
              draw();
              focusOn(n);
            },
            onmouseenter: () => {
              readout.textContent = describe(n);
            },
            onfocus: () => {
              current = n;
              readout.textContent = describe(n);
            },
          },
          size > 0.012 ? names[n] || 'all' : '',
        ),
      );
    };
    for (const n of path.slice(0, -1)) put(n, 0, 1, true);
    const walk = (n, left, size) => {
      put(n, left, size, false);
      let at = left;
      // Sides of different shape may make children wider than their parent: fit them.
      const sum = children[n].reduce((total, child) => total + width(child), 0);
      const scale = size / Math.max(width(n), sum, 1e-9);
      for (const child of children[n]) {
        const part = width(child) * scale;
        if (part > 0.0006) walk(child, at, part);
        at += part;
      }
    };
    walk(zoomed, 0, 1);
    box.style.height = (deepest + 1) * rowHeight() + 'px';
    box.replaceChildren(...frames);
    reset.disabled = zoomed === 0;
  }

  box.addEventListener('keydown', (event) => {
    const siblings = () =>
      (current === 0 ? [0] : children[flame.parents[current]]).filter((n) => shown.includes(n));
    const beside = (step) => {
      const list = siblings();
      return list[list.indexOf(current) + step];
    };
    const target = {
      ArrowUp: () => flame.parents[current],
      ArrowDown: () => children[current].find((n) => shown.includes(n)),
      ArrowLeft: () => beside(-1),
      ArrowRight: () => beside(1),
    }[event.key];
    if (target) {
      const n = target();
      if (n !== undefined) focusOn(n);
      event.preventDefault();
    } else if (event.key === 'Escape') {
      zoomed = 0;
      draw();
      focusOn(0);
    }
  });

  const reset = el(
    'button',
    {
      type: 'button',
      onclick: () => {
        zoomed = 0;
        draw();
      },
    },
    'Show all',
  );
  const find = el('input', {
    type: 'search',
    placeholder: 'Find a function',
    'aria-label': 'Find a function in the flame graph',
    oninput: (event) => {
      search = event.target.value.trim().toLowerCase();
      draw();
    },
  });
  const toggle =
    diff &&
    el(
      'button',
      {
        type: 'button',
        'aria-pressed': 'true',
        onclick: (event) => {
          changes = !changes;
          event.target.setAttribute('aria-pressed', changes);
          event.target.textContent = changes ? 'Colour by library' : 'Colour by change';
          draw();
        },
      },
      'Colour by library',
    );
  const legend =
    diff &&
    el(
      'span',
      {class: 'legend'},
      el('i', {style: 'background:hsl(6 75% 68%)'}),
      'more than the base',
      el('i', {style: 'background:hsl(212 70% 68%)'}),
      'less',
    );
  draw();
  return el(
    'div',
    {},
    el('div', {class: 'flame-tools'}, find, reset, toggle, legend),
    box,
    readout,
    flame.approximate &&
      el(
        'p',
        {class: 'soft small'},
        'Approximate: Callgrind records calls between functions, not stacks. ',
        'Where a function has several callers, its cost is shared among them in proportion.',
      ),
  );
}
