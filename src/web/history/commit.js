'use strict';
// One commit: what it changed, or between which measured ones it stands.

function commitChanges(run) {
  const columns = [
    {
      title: 'Case',
      value: ({case: one}) => one.id,
      cell: (step) => caseCell(step.case, step.run.commit),
    },
    {title: 'Change', small: 'change', numeric: true, value: (step) => step.change, cell: changeOf},
    {
      title: figureTitle,
      small: 'instructions',
      numeric: true,
      value: (step) => step.after,
      cell: countsOf,
    },
    {
      title: '',
      value: (step) => (step.agreed ? 1 : 0),
      cell: (step) => [agreedTag(step), el('span', {class: 'sub'}, rangeOf(step))],
    },
  ];
  const draw = (rows) => tableSheet('cases', columns, rows, {column: -1, direction: 1});
  return fewFirst(run.steps, 60, draw);
}

function timeSection({times}) {
  const line = (time) =>
    el(
      'li',
      {},
      el('a', {href: caseAddress(time.case, time.run.commit)}, time.case.id),
      ` ${timeChangeWords(time)}, ${timesOf(time)}`,
    );
  const draw = (some) => el('ul', {class: 'list small'}, some.map(line));
  return [
    el('h2', {}, 'Times that may have changed'),
    el(
      'p',
      {class: 'soft small'},
      'Nominated; ',
      el('code', {}, 'tally ab'),
      ' of the two commits decides.',
    ),
    fewFirst(times, 12, draw),
  ];
}

/// What another environment does to counts is no commit's doing.
function epochSection(epoch) {
  const columns = [
    {title: 'Case', value: ({case: one}) => one.id, cell: ({case: one}) => caseCell(one)},
    {title: 'Change', small: 'change', numeric: true, value: (one) => one.change, cell: changeOf},
    {
      title: figureTitle,
      small: 'instructions',
      numeric: true,
      value: (one) => one.after,
      cell: countsOf,
    },
  ];
  const draw = (rows) => tableSheet('cases chained', columns, rows, {column: -1, direction: 1});
  return [
    el('h2', {}, `Environment ${epoch.environment} from here on`),
    el('p', {class: 'soft'}, epochWords(epoch)),
    epoch.chained.length > 0 && fewFirst(epoch.chained, 20, draw),
  ];
}

function epochWords({isBridged, joined, chained}) {
  if (!isBridged)
    return 'No commit was measured in both environments, so every case starts a new series.';
  const others = chained.length
    ? `, ${plural(chained.length, 'starts a new series', 'start a new series')}`
    : '';
  return `The commit was measured in both: ${plural(joined, 'case has', 'cases have')} the same counts${others}.`;
}

function runSections(run) {
  const groups = Map.groupBy(run.seams, ({why}) => why);
  const named = (cases) =>
    fewFirst(cases, 12, (some) =>
      el(
        'ul',
        {class: 'list small'},
        some.map((one) => el('li', {}, el('a', {href: caseAddress(one)}, one.id))),
      ),
    );
  const epoch = epochAt(run);
  return [
    epoch && epochSection(epoch),
    run.steps.length > 0 && commitChanges(run),
    run.compared > 0 && run.steps.length === 0 && el('p', {class: 'none sheet'}, 'No changes.'),
    run.times.length > 0 && timeSection(run),
    run.failed.length > 0 && [el('h2', {}, 'Failed'), named(run.failed)],
    [...groups].map(([why, seams]) => [
      el('h2', {}, `New series: ${why}`),
      named(seams.map((seam) => seam.case)),
    ]),
  ];
}

function runWords(run) {
  return [
    `measured ${run.started.replace('T', ' ').replace('Z', ' UTC')}`,
    `environment ${epochOf(run).environment}`,
    run.compared > 0 &&
      `${count(run.steps.length)} of ${plural(run.compared, 'case', 'cases')} changed`,
    run.compared > 0 && `geometric mean ${percent(run.mean - 1)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/// A commit that was not measured: its changes show at the next measured one.
function unmeasured(commit) {
  const next = site.commits.slice(commit.place).find(({runs}) => runs.length);
  return el(
    'p',
    {class: 'none sheet'},
    'This commit was not measured. ',
    next
      ? ['Its changes are included in ', commitLink(next), '.']
      : 'No later commit was measured.',
  );
}

function showCommit(id) {
  const commit = commitOf(id);
  if (!commit) {
    showNothing('No commit of this history begins with', id);
    return;
  }
  document.title = commit.title + ' – ' + data.name;
  const isMeasured = ({runs}) => runs.length > 0;
  const before = site.commits.slice(0, commit.place).findLast(isMeasured);
  const after = site.commits.slice(commit.place + 1).find(isMeasured);
  const other = (to, text, rel) => to && el('a', {href: commitAddress(to), rel}, text);
  const page = el(
    'div',
    {},
    el(
      'nav',
      {class: 'steps', 'aria-label': 'Commits'},
      other(before, '← earlier', 'prev'),
      other(after, 'later →', 'next'),
    ),
    el('a', {class: 'back', href: '#/commits'}, 'All commits'),
    el('h1', {}, commit.title),
    el(
      'p',
      {class: 'facts'},
      `${commit.author} · `,
      el('code', {}, commit.id),
      ' ',
      elsewhere(commit),
    ),
    commit.runs.length
      ? commit.runs.map((run) => [el('p', {class: 'facts small'}, runWords(run)), runSections(run)])
      : unmeasured(commit),
  );
  view.replaceChildren(...page.childNodes);
  window.scrollTo(0, 0);
}
