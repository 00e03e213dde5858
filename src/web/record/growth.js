'use strict';
// How a benchmark grows with a number: count and time over it, log-log, with what was fitted.

/// A point with a place on both logarithmic axes: {n, value, index}.
function pointsOf(line, metric) {
  const points = line.points.map(([n, index]) => {
    const one = data.cases[index];
    const value = metric === 'time' ? one.wall?.median : one.counts?.per;
    return {n, index, value: one.status === 'ok' ? value : undefined};
  });
  return points.filter(({n, value}) => n > 0 && value > 0);
}

const growths = {
  'O(1)': () => 0,
  'O(log n)': (n) => Math.log2(n),
  'O(n)': (n) => n,
  'O(n log n)': (n) => n * Math.log2(n),
  'O(n²)': (n) => n ** 2,
  'O(n³)': (n) => n ** 3,
};
const fitted = (fit, n) => fit.constant + fit.coefficient * growths[fit.order](n);

/// "22 + 12 · log n"; a term that is nothing is left out.
function formula(fit, axis, write) {
  const term = fit.order
    .slice(2, -1)
    .replace('log', 'log₂')
    .replaceAll('n', () => axis);
  const parts = [];
  if (fit.constant > 0 || fit.order === 'O(1)') parts.push(write(fit.constant));
  if (fit.coefficient > 0) parts.push(`${write(fit.coefficient)} · ${term}`);
  return parts.join(' + ');
}

const orderIn = (fit, axis) => fit.order.replaceAll('n', () => axis);
const residualOf = (fit) =>
  fit.residual === 0 ? 'exactly' : '± ' + percent(fit.residual).slice(1);

/// Ticks of a logarithmic axis: 1, 2 and 5 of each power of ten, or powers alone where they suffice.
function logTicks(low, high) {
  const ticks = (digits) => {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power)
      for (const digit of digits) {
        const tick = digit * 10 ** power;
        if (tick >= low && tick <= high) found.push(tick);
      }
    return found;
  };
  const powers = ticks([1]);
  if (powers.length < 3) return ticks([1, 2, 5]);
  const step = Math.ceil(powers.length / 7);
  return powers.filter((_, i) => i % step === 0);
}

/// Texts at the right end of lines, moved apart so that none covers another: [y wanted…] → [y…].
function apart(wanted, gap, low, high) {
  const order = wanted.map((y, i) => [y, i]).sort(([a], [b]) => a - b);
  const placed = [];
  let next = low;
  for (const [y, i] of order) {
    placed[i] = Math.max(y, next);
    next = placed[i] + gap;
  }
  const over = next - gap - high;
  if (over > 0) for (const i of placed.keys()) placed[i] = Math.max(low, placed[i] - over);
  return placed;
}

/// One panel: the points of every line, each a link to its case, and a curve where something was fitted.
function growthPanel(group, metric, shown) {
  const lines = group.lines
    .map((line, place) => ({
      place,
      name: line.variant,
      fit: metric === 'time' ? line.time : line.counts,
      points: pointsOf(line, metric),
    }))
    .filter(({points}) => points.length > 1);
  if (!lines.length) return null;
  const write = metric === 'time' ? (value) => seconds(value) : count;
  const narrow = window.innerWidth <= 720;
  const width = narrow ? 380 : 540;
  const height = narrow ? 270 : 320;
  const longest = Math.max(...lines.map(({name}) => name.length));
  const [left, right, top, bottom] = [62, Math.min(24 + 7 * longest, width / 3), 12, 40];
  const [lowest, highest] = extent(lines.map(({points}) => points.map(({value}) => value)));
  const [first, last] = extent(lines.map(({points}) => points.map(({n}) => n)));
  const low = lowest / 1.6;
  const high = highest * 1.6;
  const along = (value, from, to) => Math.log(value / from) / Math.log(to / from || 2);
  const x = (n) => left + (width - left - right) * along(n, first, last);
  const y = (value) => height - bottom - (height - top - bottom) * along(value, low, high);
  const inside = (value) => Math.max(low, Math.min(high, value));

  const frame = logTicks(low, high).map((tick) => [
    svg('line', {class: 'axis', x1: left, x2: width - right, y1: y(tick), y2: y(tick)}),
    svg('text', {x: left - 8, y: y(tick) + 4, 'text-anchor': 'end'}, write(tick)),
  ]);
  const numbers = [...new Set(lines.flatMap(({points}) => points.map(({n}) => n)))];
  const ticks = numbers.length <= 7 ? numbers : logTicks(first, last);
  const across = ticks.map((n) => [
    svg('line', {class: 'axis', x1: x(n), x2: x(n), y1: height - bottom, y2: height - bottom + 4}),
    svg('text', {x: x(n), y: height - bottom + 18, 'text-anchor': 'middle'}, count(n)),
  ]);

  const ends = apart(
    lines.map(({points}) => y(points.at(-1).value) + 4),
    14,
    top + 10,
    height - bottom,
  );
  const drawn = lines.map(({place, name, fit, points}, i) => {
    const curve = [];
    for (let step = 0; fit && step <= 60; ++step) {
      const n = points[0].n * (points.at(-1).n / points[0].n) ** (step / 60);
      const value = fitted(fit, n);
      if (value > 0) curve.push(`${x(n).toFixed(1)},${y(inside(value)).toFixed(1)}`);
    }
    const dots = points.map(({n, value, index}) =>
      svg(
        'a',
        {href: '#/case/' + index, 'aria-label': `${name} ${group.axis}=${n}: ${write(value)}`},
        svg('circle', {
          class: index === shown ? 'point this' : 'point',
          cx: x(n).toFixed(1),
          cy: y(value).toFixed(1),
          r: index === shown ? 6 : 4,
        }),
        svg('title', {}, `${name} ${group.axis}=${n}: ${write(value)}`),
      ),
    );
    const label = {class: 'end', x: x(points.at(-1).n) + 10, y: ends[i].toFixed(1)};
    return svg(
      'g',
      {class: 'line line-' + (place % 6)},
      curve.length > 0 && svg('polyline', {class: 'fit', points: curve.join(' ')}),
      dots,
      svg('text', label, name),
    );
  });

  const title = metric === 'time' ? 'Median time' : 'Instructions per iteration';
  const legend = lines.map(({place, name, fit}) =>
    el(
      'li',
      {class: 'line-' + (place % 6)},
      el('b', {}, name),
      fit
        ? [
            ' ',
            el('span', {class: 'order'}, orderIn(fit, group.axis)),
            ` ${residualOf(fit)}: ${formula(fit, group.axis, write)}`,
          ]
        : ' is drawn, not fitted: a fit needs three values',
    ),
  );
  return el(
    'figure',
    {class: 'growth', 'data-metric': metric},
    el('figcaption', {}, `${title} over ${group.axis}`),
    svg(
      'svg',
      {
        class: 'plot',
        viewBox: `0 0 ${width} ${height}`,
        role: 'group',
        'aria-label': `${title} over ${group.axis}, both axes logarithmic`,
      },
      frame,
      across,
      svg(
        'text',
        {x: (left + width - right) / 2, y: height - 4, 'text-anchor': 'middle'},
        group.axis,
      ),
      drawn,
    ),
    el('ul', {class: 'list small'}, legend),
  );
}

/// The plots of every axis of numbers along which this case has siblings.
function growthOf(index) {
  const groups = data.growth.filter(({lines}) =>
    lines.some(({points}) => points.some(([, of]) => of === index)),
  );
  return groups.map((group) => {
    const panels = ['counts', 'time'].map((metric) => growthPanel(group, metric, index));
    if (!panels.some(Boolean)) return null;
    return [
      el('h2', {}, `Growth with ${group.axis}`),
      el('div', {class: 'sheet pad growth-plots'}, panels),
    ];
  });
}

const growthColumns = [
  {
    title: 'Growth',
    value: (row) => `${row.label} ${row.line.variant}`,
    cell: (row) => [
      el('a', {class: 'case', href: '#/case/' + row.line.points.at(-1)[1]}, row.label),
      el('span', {class: 'sub'}, row.line.variant),
    ],
  },
  {
    title: 'Over',
    value: (row) => row.axis,
    cell: ({axis, line}) =>
      `${axis} = ${count(line.points[0][0])} … ${count(line.points.at(-1)[0])}`,
  },
  ...['counts', 'time'].map((metric) => ({
    title: metric === 'time' ? 'Time' : 'Instructions',
    small: metric === 'time' ? 'time' : 'instructions',
    value: ({line}) => line[metric] && Object.keys(growths).indexOf(line[metric].order),
    cell: ({axis, line}) =>
      line[metric] && [
        orderIn(line[metric], axis),
        el('span', {class: 'sub'}, residualOf(line[metric])),
      ],
  })),
];

/// Below the cases: every line with what was fitted to it.
function growthTable() {
  const rows = data.growth
    .flatMap(({axis, label, lines}) => lines.map((line) => ({axis, label, line})))
    .filter(({line}) => line.counts || line.time);
  if (!rows.length) return null;
  const state = {column: -1, direction: 1};
  return [el('h2', {}, 'How costs grow'), tableSheet('growths', growthColumns, rows, state)];
}
