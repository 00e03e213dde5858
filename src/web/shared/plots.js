'use strict';
// Distributions of samples: a strip for the table, a plot by child for a case. Times come in
// nanoseconds.

function extent(lists) {
  let low = Infinity,
    high = -Infinity;
  for (const list of lists)
    for (const value of list) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  return [low, high];
}

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length ? (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2 : 0;
};

/// Dots of all samples on one line, from 95 % to 110 % of the median, so that strips of different
/// cases compare.
function strip(wall) {
  const samples = wall.children_ns.flat();
  const middle = wall.median * 1e9;
  if (!samples.length || !(middle > 0)) return null;
  const x = (value) => Math.max(2, Math.min(118, 2 + (116 * (value / middle - 0.95)) / 0.15));
  const step = Math.max(1, Math.ceil(samples.length / 60));
  const dots = samples
    .filter((_, i) => i % step === 0)
    .map((value, i) =>
      svg('circle', {cx: x(value).toFixed(1), cy: (11 + 6 * Math.sin(i * 2.4)).toFixed(1), r: 1.5}),
    );
  return svg(
    'svg',
    {class: 'strip', viewBox: '0 0 120 22', role: 'img', 'aria-label': 'distribution of samples'},
    svg('line', {x1: x(middle), x2: x(middle), y1: 3, y2: 19}),
    dots,
  );
}

function niceTicks(low, high, wanted) {
  const rough = (high - low) / wanted || Math.abs(low) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const ticks = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step / 1e6; t += step) ticks.push(t);
  return ticks;
}

/// One row for each child, the base's below; the band is the 95 % interval of the median.
function distribution(wall, base) {
  // Drawn for a phone's width, so that its text stays readable there.
  const narrow = window.innerWidth <= 720;
  const width = narrow ? 380 : 860,
    left = narrow ? 44 : 74,
    right = 14;
  const groups = [
    [wall, wall.children_ns, '', 'new'],
    ...(base ? [[base, base.children_ns, 'of-base', 'base']] : []),
  ];
  // A noisy case has dozens of children: beyond ten, rows move closer together, so that the flame
  // graph stays in reach.
  const most = Math.max(...groups.map(([, children]) => children.length));
  const row = Math.max(2.5, Math.min(narrow ? 13 : 17, 170 / most)),
    scatter = Math.min(4, row / 4);
  let [low, high] = extent(groups.flatMap(([, children]) => children));
  // A single stray sample must not squeeze the rest: show up to 8 times the distance of the 90 %
  // quantile, clip beyond.
  const all = groups.flatMap(([, children]) => children.flat()).sort((a, b) => a - b);
  if (!all.length) return null;
  const upper = all[Math.floor(all.length * 0.9)],
    middle = median(all);
  const cut = middle + 8 * Math.max(upper - middle, middle * 0.005);
  const clipped = all.filter((value) => value > cut).length;
  high = Math.min(high, cut);
  for (const [side] of groups) {
    low = Math.min(low, side.low * 1e9);
    high = Math.max(high, side.high * 1e9);
  }
  const margin = (high - low) * 0.03 || high * 0.01 || 1;
  // An interval may reach below zero; no time does.
  low = Math.max(0, low - margin);
  high += margin;
  const x = (value) =>
    left + ((width - left - right) * (Math.max(low, Math.min(value, high)) - low)) / (high - low);
  const parts = [];
  let y = 8;
  for (const [side, children, className, title] of groups) {
    const top = y;
    const rows = children.map((samples, child) => {
      const cy = y + row / 2;
      y += row;
      return samples.map((value, i) =>
        svg('circle', {
          cx: x(value).toFixed(1),
          cy: (cy + scatter * Math.sin(i * 2.4 + child)).toFixed(1),
          r: 2.4,
        }),
      );
    });
    parts.push(
      svg(
        'g',
        {class: className},
        svg('rect', {
          class: 'band',
          x: x(side.low * 1e9),
          width: Math.max(1, x(side.high * 1e9) - x(side.low * 1e9)),
          y: top,
          height: y - top,
        }),
        svg('line', {
          class: 'median',
          x1: x(side.median * 1e9),
          x2: x(side.median * 1e9),
          y1: top,
          y2: y,
        }),
        svg(
          'text',
          {x: left - 10, y: (top + y) / 2 + 4, 'text-anchor': 'end'},
          base ? title : narrow ? '' : children.length + ' children',
        ),
        rows,
      ),
    );
    y += 8;
  }
  parts.push(svg('line', {class: 'axis', x1: left, x2: width - right, y1: y, y2: y}));
  for (const tick of niceTicks(low, high, narrow ? 3 : 6)) {
    parts.push(
      svg('line', {class: 'axis', x1: x(tick), x2: x(tick), y1: y, y2: y + 4}),
      svg(
        'text',
        {x: x(tick), y: y + 17, 'text-anchor': 'middle'},
        seconds(tick * 1e-9, ((high - low) * 1e-9) / 100),
      ),
    );
  }
  const figure = svg(
    'svg',
    {
      class: 'plot',
      viewBox: `0 0 ${width} ${y + 24}`,
      role: 'img',
      'aria-label': 'samples of time by child',
    },
    parts,
  );
  const words =
    'A row for each child process; the band is the 95 % interval of the median' +
    (clipped
      ? `; ${clipped} slower ${clipped === 1 ? 'sample stands' : 'samples stand'} at the right edge`
      : '') +
    '.';
  return el('div', {class: 'sheet pad'}, figure, el('p', {class: 'soft small'}, words));
}
