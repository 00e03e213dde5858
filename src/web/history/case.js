'use strict';
// One case: where it stands, its course, the change that is looked at, and all its changes.

function figureName(one, run) {
  if (one.kernels) return 'Kernels per execution';
  return unitAt(one, run.index) === undefined ? 'Instructions per iteration' : 'Value';
}

function timeName(one) {
  return one.kernels ? 'The kernels’ own time, added up' : 'Median time';
}

function nowCards(one, points) {
  const anew = Math.max(0, ...breaksOf(one));
  const last = points.at(-1);
  const first = points.find(({run}) => run.index >= anew) || last;
  const since = last.count / first.count - 1;
  const step = one.steps.at(-1);
  return el(
    'div',
    {class: 'cards'},
    card(figureName(one, last.run), figureAt(one, last.run.index, last.count), [
      Number.isFinite(since) ? percent(since) : '',
      ` since ${shortId(first.commit)}`,
    ]),
    last.time &&
      card(
        timeName(one),
        seconds(last.time.median, (last.time.high - last.time.low) / 2),
        `95 %: ${seconds(last.time.low)} to ${seconds(last.time.high)}`,
      ),
    step &&
      card('Last change', changeOf(step), [commitLink(step.run.commit), ' ' + dateOf(step.run)]),
    one.drift &&
      card(
        'Drift',
        changeOf(one.drift),
        `in steps below the threshold, since ${shortId(one.drift.since.commit)}`,
      ),
  );
}

function changeCell(row) {
  if (row.failed) return tag('failed');
  if (row.why) return el('span', {class: 'tag notice'}, 'new series');
  if (row.isTime) return [el('span', {class: 'tag notice'}, 'time'), ' ' + timeChangeWords(row)];
  return changeOf(row);
}

function changeTable(one, choose) {
  const failed = one.broken.map((run) => ({run, failed: true}));
  const begins = site.epochs
    .slice(1)
    .filter(({isBridged}) => !isBridged)
    .map(({run, environment}) => ({
      run,
      why: `measured in environment ${environment} from here on`,
    }));
  const rows = [
    ...one.steps,
    ...one.times,
    ...one.seams,
    ...one.chained,
    ...failed,
    ...begins,
  ].sort((a, b) => b.run.index - a.run.index);
  if (!rows.length) return el('p', {class: 'none sheet'}, 'No changes.');
  const columns = [
    {
      title: 'Change',
      value: (row) => row.change,
      cell: changeCell,
    },
    {
      title: figureTitle,
      value: (row) => (row.isTime ? undefined : row.after),
      cell: (row) => {
        if (row.isTime) return timesOf(row);
        return row.why || (row.failed ? 'from here on' : countsOf({...row, case: one}));
      },
    },
    {
      title: 'Commit',
      value: (row) => row.run.index,
      cell: (row) => [
        el(
          'a',
          {
            class: 'commit',
            href: caseAddress(one, row.run.commit),
            onclick: (event) => {
              event.preventDefault();
              choose(row.run.commit);
            },
          },
          shortId(row.run.commit),
        ),
        el('span', {class: 'sub'}, `${row.run.commit.author}: ${row.run.commit.title}`),
      ],
    },
    {
      title: '',
      value: (row) => (row.agreed ? 1 : 0),
      cell: (row) => row.since && [agreedTag(row), el('span', {class: 'sub'}, rangeOf(row))],
    },
  ];
  const draw = (some) => tableSheet('cases changes', columns, some, {column: -1, direction: 1});
  return fewFirst(rows, 30, draw);
}

function showSeries(one, points, place) {
  const panel = el('div', {class: 'chosen-commit', 'aria-live': 'polite'});
  const choose = (commit) => {
    if (viewOf('at') !== commit.id.slice(0, 12))
      for (const key of ['function', 'zoom', 'find']) keepView(key, undefined);
    keepView('at', commit.id.slice(0, 12));
    course.choose(commit);
    panel.replaceChildren(...stepPanel(one, points, commit));
  };
  const course = courseOf(one, points, choose);
  place.replaceChildren(
    nowCards(one, points),
    el('div', {class: 'sheet pad'}, course.node),
    panel,
    el('h2', {}, 'Changes'),
    changeTable(one, choose),
  );
  caseState.key = course.key;
  const at = commitOf(viewOf('at'));
  if (at?.runs.length) choose(at);
}

/// What the arrow keys do while a case is shown.
const caseState = {key: null};

function showHistoryCase(id) {
  const one = site.cases.find((other) => other.id === id);
  if (!one) {
    showNothing('No case of this history is called', id);
    return;
  }
  document.title = one.label + ' – ' + data.name;
  const place = el('div', {}, el('p', {class: 'soft'}, 'Unpacking …'));
  const other = (to, text, rel) => to && el('a', {href: caseAddress(to), rel}, text);
  view.replaceChildren(
    el(
      'nav',
      {class: 'steps', 'aria-label': 'Cases'},
      other(site.cases[one.index - 1], '← previous', 'prev'),
      other(site.cases[one.index + 1], 'next →', 'next'),
    ),
    el('a', {class: 'back', href: '#/'}, 'Overview'),
    el('h1', {}, one.label),
    el('p', {class: 'facts'}, one.variant, one.status !== 'ok' && [' ', tag(one.status)]),
    place,
    el('p', {class: 'soft small'}, one.id),
  );
  window.scrollTo(0, 0);
  if (!one.file) {
    place.replaceChildren(
      el('p', {class: 'none sheet'}, 'Never counted.'),
      changeTable(one, () => {}),
    );
    return;
  }
  seriesOf(one)
    .then((points) => showSeries(one, points, place))
    .catch((error) => place.replaceChildren(el('p', {class: 'alert'}, String(error.message))));
}
