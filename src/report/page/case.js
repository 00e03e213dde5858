'use strict';
// One case: figures, distribution, flame graph, functions, code.

function figure(title, value, note) {
  return (
    value !== '' &&
    value !== undefined &&
    el(
      'div',
      {class: 'card'},
      el('div', {class: 'soft small'}, title),
      el('div', {class: 'figure'}, value),
      note && el('div', {class: 'soft small'}, note),
    )
  );
}

function figures(one) {
  const {counts, wall, base} = one;
  const cards = [];
  if (counts) {
    cards.push(
      figure(
        'Instructions per iteration',
        count(counts.per),
        base?.before !== undefined
          ? [
              `base ${count(base.before)}, `,
              el(
                'span',
                {
                  class:
                    base.verdict === 'slower'
                      ? 'bad-text'
                      : base.verdict === 'faster'
                        ? 'good-text'
                        : '',
                },
                percent(base.change) || 'new',
              ),
            ]
          : counts.spread === 0
            ? `identical in ${counts.replicates.length} replicates`
            : `spread ${percent(counts.spread).slice(1)} in ${counts.replicates.length} replicates`,
      ),
    );
    if (base?.threshold !== undefined)
      cards.push(
        figure(
          'Real from',
          '± ' + count(base.threshold),
          base.floor_measured ? 'measured noise floor' : 'usual floor, none was measured',
        ),
      );
    else if (counts.floor)
      cards.push(
        figure(
          'Noise floor',
          count(counts.floor[1] - counts.floor[0]),
          `${count(counts.floor[0])} to ${count(counts.floor[1])}`,
        ),
      );
  }
  if (wall) {
    const half = (wall.high - wall.low) / 2;
    cards.push(
      figure(
        'Median time',
        seconds(wall.median, half),
        base?.time_ratio
          ? [
              `base ${seconds(base.time_before)}, `,
              el(
                'span',
                {
                  class:
                    base.time_verdict === 'slower'
                      ? 'bad-text'
                      : base.time_verdict === 'faster'
                        ? 'good-text'
                        : '',
                },
                percent(base.time_change),
              ),
            ]
          : `95 %: ${seconds(wall.low)} to ${seconds(wall.high)}`,
      ),
    );
    cards.push(
      figure(
        'IQR',
        share(wall.iqr, wall.median),
        `${count(wall.samples)} samples of ${count(wall.number)} in ${wall.children_ns.length} children`,
      ),
    );
  }
  if (counts?.denoised !== undefined)
    cards.push(figure('Denoised', count(counts.denoised), 'without known interpreter noise'));
  if (counts?.cycles !== undefined) cards.push(figure('Estimated cycles', count(counts.cycles)));
  if (counts?.allocations !== undefined)
    cards.push(
      figure(
        'Allocations',
        count(counts.allocations),
        counts.bytes !== undefined && count(counts.bytes) + ' bytes',
      ),
    );
  return el('div', {class: 'cards'}, cards);
}

function functionTable(one) {
  const compared = one.functions.length > 0 && one.functions[0].length > 4;
  const rows = one.functions.map(([name, object, exclusive, inclusive, base]) => ({
    name: data.strings[name],
    object: data.strings[object],
    exclusive,
    inclusive,
    base,
  }));
  const total = one.counts ? one.flame.totals[0] : 0;
  const columns = [
    {
      title: 'Function',
      value: (f) => f.name,
      cell: (f) => [
        el('span', {style: 'overflow-wrap:anywhere'}, f.name),
        el('span', {class: 'sub'}, f.object),
      ],
    },
    {title: 'Own', numeric: true, value: (f) => f.exclusive, cell: (f) => count(f.exclusive)},
    {
      title: 'Share',
      numeric: true,
      className: 'hide-phone',
      value: (f) => f.exclusive,
      cell: (f) => el('span', {class: 'soft'}, share(f.exclusive, total)),
    },
    {
      title: 'With calls',
      numeric: true,
      className: 'hide-phone',
      value: (f) => f.inclusive,
      cell: (f) => count(f.inclusive),
    },
  ];
  if (compared) {
    columns.push(
      {
        title: 'Base',
        numeric: true,
        className: 'hide-phone',
        value: (f) => f.base,
        cell: (f) => count(f.base),
      },
      {
        title: 'Change',
        numeric: true,
        value: (f) => f.exclusive - f.base,
        cell: (f) => {
          const delta = Math.round((f.exclusive - f.base) * 10) / 10;
          return delta === 0
            ? el('span', {class: 'soft'}, '0')
            : el('span', {class: delta > 0 ? 'bad-text' : 'good-text'}, signed(delta));
        },
      },
    );
  }
  const state = compared ? {column: 5, direction: -1} : {column: 1, direction: -1};
  return el('div', {class: 'sheet'}, sortableTable('functions', columns, rows, state));
}

function codeOf(one) {
  const part = (title, text) =>
    text && el('div', {class: 'code'}, el('h3', {}, title), el('pre', {tabindex: 0}, text));
  return el(
    'div',
    {class: 'sheet'},
    part('File scope', one.global_setup),
    part('Setup', one.setup),
    part('Statement', one.stmt),
  );
}

function showCase(index) {
  const one = data.cases[index];
  if (!one) return showList();
  document.title = one.label + ' – Tallymark';
  const step = (to, words) =>
    data.cases[to] && el('a', {href: '#/case/' + to, rel: to < index ? 'prev' : 'next'}, words);
  const section = (title, ...content) => [el('h2', {}, title), ...content];
  const notes = [
    ...(one.base?.notes || []).filter((note) => note !== one.failure?.message),
    ...(one.base?.environment || []).map((change) => 'environment: ' + change),
    ...one.warnings,
  ];
  view.replaceChildren(
    el(
      'nav',
      {class: 'steps', 'aria-label': 'Cases'},
      step(index - 1, '← previous'),
      step(index + 1, 'next →'),
    ),
    el('a', {class: 'back', href: '#/'}, 'All cases'),
    el('h1', {}, one.label),
    el(
      'p',
      {class: 'facts'},
      one.variant,
      ' ',
      tag(wordOf(one)),
      one.base?.cause && ' ' + one.base.cause,
      one.flags.map((flag) => [' ', el('span', {class: 'tag notice'}, flag.replaceAll('_', ' '))]),
    ),
    ...(one.failure
      ? [
          el(
            'div',
            {class: 'alert'},
            el('p', {}, one.failure.stage),
            el('pre', {tabindex: 0}, one.failure.message),
            one.failure.log && el('p', {class: 'small'}, 'log: ' + one.failure.log),
            one.failure.reproduce &&
              el('p', {class: 'small'}, 'reproduce: ', el('code', {}, one.failure.reproduce)),
          ),
        ]
      : []),
    ...(notes.length
      ? [
          el(
            'ul',
            {class: 'list small'},
            notes.map((note) => el('li', {}, note)),
          ),
        ]
      : []),
    figures(one),
    ...(one.wall ? section('Samples', distribution(one.wall, one.base?.wall)) : []),
    ...(one.flame
      ? section(
          one.flame.bases
            ? 'Where the instructions go, and what changed'
            : 'Where the instructions go',
          flameGraph(one.flame),
        )
      : []),
    ...(one.functions ? section('Functions', functionTable(one)) : []),
    ...section('Code', codeOf(one)),
    el('p', {class: 'soft small'}, one.id, ' · toolchain ', one.toolchain),
  );
  window.scrollTo(0, 0);
}
