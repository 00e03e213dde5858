'use strict';
// What a comparison of many cases came to: each change a point on an axis, a row for each language, and the geometric
// mean of each row.

/// The axis is logarithmic: twice and half are as far from the middle.
const changeAxis = {least: Math.log(1.02), narrow: 720};

/// {name, mean, points: [{one, ratio}]} of cases whose counts were compared.
function changesByLanguage() {
  const names = {python: 'Python', cpp: 'C++', command: 'commands'};
  return Object.entries(names)
    .map(([language, name]) => ({
      name,
      mean: data.means.changes[language],
      points: data.cases
        .filter((one) => one.language === language && one.base?.change > -1)
        .map((one) => ({one, ratio: 1 + one.base.change}))
        .sort((a, b) => a.ratio - b.ratio),
    }))
    .filter(({points}) => points.length);
}

/// Ratios for the ticks: whole steps of a percent near 1, powers of two far from it.
function changeTicks(most) {
  const steps = most > Math.log(8) ? [4, 16, 64, 256] : most > Math.log(1.6) ? [1.5, 2, 4] : [];
  const fine = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].filter((step) => Math.log(1 + step) < most);
  const chosen = steps.length
    ? steps.filter((one) => Math.log(one) <= most)
    : fine.slice(-2).map((s) => 1 + s);
  return [1, ...chosen, ...chosen.map((one) => 1 / one)];
}

function changeRow({name, mean, points}, y, x, width) {
  const place = (ratio, i) => ({
    cx: x(ratio).toFixed(1),
    cy: (y + 7 * Math.sin(i * 2.4)).toFixed(1),
    r: 3,
  });
  return svg(
    'g',
    {},
    svg('text', {x: 0, y: y - 2}, name),
    svg('text', {x: 0, y: y + 12, class: 'soft'}, percent(mean)),
    svg('line', {class: 'axis', x1: x.left, x2: width - 4, y1: y, y2: y}),
    svg('line', {class: 'mean', x1: x(1 + mean), x2: x(1 + mean), y1: y - 13, y2: y + 13}),
    points.map(({one, ratio}, i) =>
      svg(
        'a',
        {href: '#/case/' + data.cases.indexOf(one)},
        svg(
          'circle',
          {...place(ratio, i), class: one.base.verdict.replace(' ', '-')},
          svg('title', {}, `${one.label} ${one.variant} ${percent(one.base.change)}`),
        ),
      ),
    ),
  );
}

/// Nothing where a reader sees each change in the table.
function changePicture() {
  if (!data.means) return [];
  const rows = changesByLanguage();
  const narrow = window.innerWidth <= changeAxis.narrow;
  const width = narrow ? 380 : 860;
  const ratios = rows.flatMap(({points}) => points.map(({ratio}) => Math.abs(Math.log(ratio))));
  const most = Math.max(changeAxis.least, ...ratios);
  const left = 84;
  const x = (ratio) => left + ((width - left - 10) * (Math.log(ratio) / most + 1)) / 2;
  x.left = left;
  const height = 46 * rows.length + 24;
  const ticks = changeTicks(most).map((ratio) =>
    svg(
      'g',
      {class: 'tick'},
      svg('line', {x1: x(ratio), x2: x(ratio), y1: 4, y2: height - 20}),
      svg('text', {x: x(ratio), y: height - 6, 'text-anchor': 'middle'}, percent(ratio - 1)),
    ),
  );
  return [
    el('p', {class: 'means'}, data.means.line),
    svg(
      'svg',
      {
        class: 'changes',
        viewBox: `0 0 ${width} ${height}`,
        role: 'img',
        'aria-label': data.means.line,
      },
      ticks,
      rows.map((row, i) => changeRow(row, 24 + 46 * i, x, width)),
    ),
  ];
}
