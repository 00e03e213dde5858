'use strict';
// The first view: unacknowledged changes, recent changes, drifts, and every case.

const overviewState = {sort: {column: -1, direction: 1}, scroll: 0};

/// A sparkline of the case's counts: shares of the height, from 0 to 99; null where there is none.
function sparkline({spark}) {
  if (!spark.length) return '';
  const x = (i) => (2 + (116 * i) / Math.max(1, spark.length - 1)).toFixed(1);
  const y = (share) => (20 - (18 * share) / 99).toFixed(1);
  const path = spark
    .map((share, i) => (i === 0 ? `M${x(0)} ${y(share)}` : `H${x(i)}V${y(share)}`))
    .join('');
  const attributes = {
    class: 'strip spark',
    viewBox: '0 0 120 22',
    role: 'img',
    'aria-label': 'course',
  };
  return svg('svg', attributes, svg('path', {class: 'course', d: path}));
}

const historyColumns = [
  {title: 'Case', value: (one) => `${one.label} ${one.variant}`, cell: (one) => caseCell(one)},
  {title: 'Course', className: 'strip-cell', value: (one) => one.steps.length, cell: sparkline},
  {
    title: figureTitle,
    small: 'instructions',
    numeric: true,
    value: (one) => one.count,
    cell: (one) => figureAt(one, Infinity, one.count),
  },
  {
    title: 'Time',
    small: 'time',
    numeric: true,
    className: 'hide-small',
    value: (one) => one.time?.[0],
    cell: ({time}) => time && seconds(time[0], (time[2] - time[1]) / 2),
  },
  {
    title: 'Last change',
    small: 'last change',
    numeric: true,
    value: (one) => one.steps.at(-1)?.change,
    cell: (one) => one.steps.length > 0 && changeOf(one.steps.at(-1)),
  },
  {
    title: 'At',
    small: 'at',
    value: (one) => one.steps.at(-1)?.run.index,
    cell: (one) =>
      one.steps.length > 0 && [
        commitLink(one.steps.at(-1).run.commit),
        el('span', {class: 'sub'}, dateOf(one.steps.at(-1).run)),
      ],
  },
  {
    title: 'Changes',
    small: 'changes',
    numeric: true,
    value: (one) => one.steps.length,
    cell: (one) => [one.steps.length || '', one.status !== 'ok' && tag(one.status)],
  },
];

function filterInput(title, text, changed) {
  return el('input', {
    id: 'filter',
    type: 'search',
    placeholder: title,
    'aria-label': title,
    value: text,
    oninput: (event) => changed(event.target.value),
  });
}

function findingsTable(findings) {
  const columns = [
    {
      title: 'Case',
      value: ({case: one}) => one.id,
      cell: (change) => caseCell(change.case, change.run?.commit),
    },
    {
      title: 'Change',
      small: 'change',
      numeric: true,
      value: (change) => change.change,
      cell: changeOf,
    },
    {
      title: figureTitle,
      small: 'instructions',
      numeric: true,
      value: (change) => change.after,
      cell: countsOf,
    },
    {
      title: 'Commit',
      value: (change) => change.run?.index ?? Infinity,
      cell: (change) =>
        change.run
          ? [commitCell(change.run.commit), el('span', {class: 'sub'}, rangeOf(change))]
          : `drifted, in ${plural(change.contributors.length, 'small change', 'small changes')}`,
    },
  ];
  const draw = (rows) => tableSheet('cases findings', columns, rows, {column: -1, direction: 1});
  return fewFirst(findings, 15, draw);
}

function driftTable() {
  const columns = [
    {title: 'Case', value: ({case: one}) => one.id, cell: (drift) => caseCell(drift.case)},
    {title: 'Drift', small: 'drift', numeric: true, value: (drift) => drift.change, cell: changeOf},
    {
      title: figureTitle,
      small: 'instructions',
      numeric: true,
      value: (drift) => drift.after,
      cell: countsOf,
    },
    {
      title: 'Since',
      small: 'since',
      value: (drift) => drift.since.index,
      cell: (drift) => commitLink(drift.since.commit),
    },
    {
      title: 'Contributors',
      value: (drift) => drift.contributors.length,
      cell: ({contributors}) =>
        fewFirst(contributors.toReversed(), 3, (some) =>
          el(
            'ul',
            {class: 'list small'},
            some.map(({commit}) =>
              el('li', {}, commitLink(commit), ` ${commit.author}: ${commit.title}`),
            ),
          ),
        ),
    },
  ];
  return tableSheet('cases drifts', columns, site.drifts, {column: -1, direction: 1});
}

function historyCases() {
  const place = el('div');
  const draw = () => {
    const words = (viewOf('find') || '').toLowerCase().split(/\s+/);
    const rows = site.cases.filter((one) =>
      words.every((word) => one.id.toLowerCase().includes(word)),
    );
    place.replaceChildren(
      rows.length
        ? tableSheet('cases all-cases', historyColumns, rows, overviewState.sort)
        : el('p', {class: 'none sheet'}, 'No case matches.'),
    );
  };
  const filter = filterInput('Filter cases', viewOf('find') || '', (text) => {
    keepView('find', text || undefined);
    draw();
  });
  draw();
  return [
    el('h2', {}, plural(site.cases.filter(({kernels}) => !kernels).length, 'case', 'cases')),
    el('div', {class: 'tools'}, filter, el('kbd', {}, '/')),
    place,
  ];
}

function overviewFacts() {
  const last = site.runs.at(-1);
  const [from, to] = [site.runs[0].commit, last.commit];
  const measured = site.commits.filter(({runs}) => runs.length > 0).length;
  const between = to.place - from.place + 1;
  return [
    data.suite,
    `${count(measured)} of ${plural(between, 'commit', 'commits')} measured`,
    `${shortId(from)} to ${shortId(to)}`,
    `last ${dateOf(last)}`,
    site.epochs.length > 1
      ? `${site.epochs.length} environments`
      : `environment ${site.epochs[0].environment}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function showOverview() {
  document.title = data.name + ' – Tallymark';
  // The newest first, and of one commit the largest.
  const steps = site.runs.toReversed().flatMap((run) => run.steps);
  const findings = [...site.drifts, ...steps].filter(({isFinding}) => isFinding);
  const recent = site.runs.filter(matters).toReversed();
  const section = (title, ...content) => [el('h2', {}, title), content];
  const page = el(
    'div',
    {},
    el(
      'h1',
      {},
      findings.length
        ? plural(findings.length, 'unacknowledged change', 'unacknowledged changes')
        : steps.some(({change}) => change > 0)
          ? 'All regressions are acknowledged'
          : 'No regressions',
    ),
    el('p', {class: 'facts small'}, overviewFacts()),
    findings.length > 0 && section('Unacknowledged', findingsTable(findings)),
    section(
      'Recent',
      recent.length
        ? [
            commitCards(recent.slice(0, 5), 4),
            el('p', {}, el('a', {href: '#/commits'}, 'All commits')),
          ]
        : el('p', {class: 'none sheet'}, 'No changes.'),
    ),
    site.drifts.length > 0 && section('Drifts: small changes that add up', driftTable()),
    historyCases(),
  );
  view.replaceChildren(...page.childNodes);
  window.scrollTo(0, overviewState.scroll);
}
