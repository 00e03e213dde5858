'use strict';
// The first view: what was measured, on what, and every case in a table that filters and sorts.

const listState = {text: '', word: '', sort: {column: -1, direction: 1}, scroll: 0};

function runFacts(run) {
  const date = run.started.replace('T', ' ').replace('Z', ' UTC');
  return [
    date,
    run.cpu,
    `${run.cpus} CPUs`,
    run.system,
    run.seconds ? `${Math.round(run.seconds)} s` : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

function words() {
  const totals = new Map();
  for (const one of data.cases) totals.set(wordOf(one), (totals.get(wordOf(one)) || 0) + 1);
  const order = [
    'failed',
    'crashed',
    'timeout',
    'gone',
    'slower',
    'changed environment',
    'faster',
    'not compared',
    'new',
    'same',
    'ok',
    'skipped',
  ];
  return [...totals].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
}

function caseColumns() {
  const compared = Boolean(data.base);
  const columns = [
    {
      title: 'Case',
      value: (one) => one.label + ' ' + one.variant,
      cell: (one) => [
        el('a', {class: 'case', href: '#/case/' + data.cases.indexOf(one)}, one.label),
        el('span', {class: 'sub'}, one.variant),
      ],
    },
    {
      title: 'Instructions',
      small: 'instructions',
      numeric: true,
      value: (one) => one.counts?.per,
      cell: (one) => (one.counts ? count(one.counts.per) : ''),
    },
  ];
  if (compared) {
    columns.push({
      title: 'Change',
      small: 'change',
      numeric: true,
      value: (one) => one.base?.change,
      cell: (one) =>
        one.base?.change === undefined
          ? ''
          : el(
              'span',
              {
                class:
                  one.base.verdict === 'slower'
                    ? 'bad-text'
                    : one.base.verdict === 'faster'
                      ? 'good-text'
                      : 'soft',
              },
              percent(one.base.change),
            ),
    });
  } else {
    columns.push({
      title: 'Spread',
      small: 'spread',
      numeric: true,
      className: 'hide-small',
      value: (one) => one.counts?.spread,
      cell: (one) =>
        one.counts
          ? one.counts.spread === 0
            ? el('span', {class: 'soft'}, '0')
            : percent(one.counts.spread).replace('+', '')
          : '',
    });
  }
  columns.push({
    title: 'Time',
    small: 'time',
    numeric: true,
    value: (one) => one.wall?.median,
    cell: (one) => (one.wall ? seconds(one.wall.median, (one.wall.high - one.wall.low) / 2) : ''),
  });
  if (compared) {
    columns.push({
      title: 'Change',
      small: 'time change',
      numeric: true,
      className: 'hide-small',
      value: (one) => one.base?.time_change,
      cell: (one) =>
        one.base?.time_change === undefined
          ? ''
          : el(
              'span',
              {
                class:
                  one.base.time_verdict === 'slower'
                    ? 'bad-text'
                    : one.base.time_verdict === 'faster'
                      ? 'good-text'
                      : 'soft',
              },
              percent(one.base.time_change),
            ),
    });
  }
  columns.push(
    {
      title: 'Samples',
      className: 'strip-cell',
      value: (one) => (one.wall ? one.wall.iqr / one.wall.median : undefined),
      cell: (one) => (one.wall ? strip(one.wall) : ''),
    },
    {
      title: compared ? 'Verdict' : 'Status',
      value: (one) => wordOf(one),
      cell: (one) => [
        tag(wordOf(one)),
        one.base?.cause && el('span', {class: 'sub'}, one.base.cause),
        one.flags.length > 0 &&
          el('span', {class: 'sub'}, one.flags.join(', ').replaceAll('_', ' ')),
      ],
    },
  );
  return columns;
}

function environmentDetails() {
  const list = (pairs) =>
    el(
      'dl',
      {class: 'pairs'},
      Object.entries(pairs).flatMap(([key, value]) => [el('dt', {}, key), el('dd', {}, value)]),
    );
  const run = data.run;
  return el(
    'details',
    {},
    el('summary', {}, 'Machine, settings and environments'),
    list({
      command: run.command,
      tool: `tally ${run.version} ${run.commit}`,
      cpu: `${run.cpu} (${run.cpus})`,
      memory: (run.memory_bytes / 2 ** 30).toFixed(1) + ' GiB',
      system: `${run.system}, Linux ${run.kernel}`,
      iterations: String(run.iterations),
      'cache simulation': run.cache_sim ? 'on' : 'off',
    }),
    Object.entries(run.environments).map(([name, environment]) => [
      el('h2', {}, 'Environment ' + name),
      list({...environment.facts, fingerprint: environment.fingerprint}),
      Object.keys(environment.subject).length > 0 &&
        el('p', {class: 'soft small'}, 'What is measured:'),
      list(environment.subject),
    ]),
  );
}

function showList() {
  document.title = data.name + ' – Tallymark';
  const sheet = el('div', {class: 'sheet'});
  const matches = (one) =>
    (!listState.word || wordOf(one) === listState.word) &&
    listState.text
      .toLowerCase()
      .split(/\s+/)
      .every((part) => (one.id + ' ' + one.label + ' ' + one.variant).toLowerCase().includes(part));
  const draw = () => {
    const rows = data.cases.filter(matches);
    sheet.replaceChildren(
      rows.length
        ? sortableTable('cases', caseColumns(), rows, listState.sort)
        : el('p', {class: 'none'}, 'No case matches.'),
    );
    for (const chip of chips.children)
      chip.setAttribute('aria-pressed', chip.dataset.word === listState.word);
  };
  const chip = (word, label, total) =>
    el(
      'button',
      {
        type: 'button',
        class: 'chip',
        'data-word': word,
        onclick: () => {
          listState.word = word;
          draw();
        },
      },
      label + ' ',
      el('b', {}, total),
    );
  const chips = el(
    'div',
    {class: 'chips', role: 'group', 'aria-label': 'Show'},
    chip('', 'all', data.cases.length),
    words().map(([word, total]) => chip(word, word, total)),
  );
  const filter = el('input', {
    id: 'filter',
    type: 'search',
    placeholder: 'Filter cases',
    'aria-label': 'Filter cases',
    value: listState.text,
    oninput: (event) => {
      listState.text = event.target.value;
      draw();
    },
  });
  view.replaceChildren(
    el(
      'h1',
      {},
      data.summary || `${data.cases.length} ${data.cases.length === 1 ? 'case' : 'cases'}`,
    ),
    el(
      'p',
      {class: 'facts small'},
      runFacts(data.run),
      data.base && el('span', {}, el('br'), 'against ' + runFacts(data.base)),
    ),
    chips,
    el('div', {class: 'tools'}, filter, el('kbd', {}, '/')),
    sheet,
    environmentDetails(),
  );
  draw();
  window.scrollTo(0, listState.scroll);
}
