'use strict';
// The columns of the table of cases; against a base they hold changes.

const nameColumn = {
  title: 'Case',
  value: (one) => one.label + ' ' + one.variant,
  cell: (one) => [
    el('a', {class: 'case', href: '#/case/' + data.cases.indexOf(one)}, one.label),
    el('span', {class: 'sub'}, one.variant),
  ],
};

const countColumn = {
  title: 'Instructions',
  small: 'instructions',
  numeric: true,
  value: (one) => one.counts?.per,
  cell: (one) => (one.counts ? figure(one.counts.per) : ''),
};

const countBeforeColumn = {
  title: 'Before',
  small: 'before',
  numeric: true,
  className: 'hide-small',
  value: (one) => one.base?.before,
  cell: ({base}) => (base?.before === undefined ? '' : figure(base.before)),
};

/// A share of the base; infinite where the count comes from nothing.
const countChange = (base) => (base?.from_nothing ? Infinity : base?.change);

const countChangeColumn = {
  title: 'Change',
  small: 'change',
  numeric: true,
  value: (one) => countChange(one.base),
  cell: ({base}) =>
    countChange(base) === undefined
      ? ''
      : changeText(base.verdict, percent(countChange(base)), 'soft'),
};

const spreadColumn = {
  title: 'Spread',
  small: 'spread',
  numeric: true,
  className: 'hide-small',
  value: (one) => one.counts?.spread,
  cell: ({counts}) => {
    if (!counts) return '';
    if (counts.spread === 0) return el('span', {class: 'soft'}, '0');
    return percent(counts.spread).replace('+', '');
  },
};

const timeColumn = {
  title: 'Time',
  small: 'time',
  numeric: true,
  value: (one) => one.wall?.median,
  cell: ({wall}) => (wall ? seconds(wall.median, (wall.high - wall.low) / 2) : ''),
};

const timeChangeColumn = {
  title: 'Change',
  small: 'time change',
  numeric: true,
  className: 'hide-small',
  value: (one) => one.base?.time_change,
  cell: ({base}) =>
    base?.time_change === undefined
      ? ''
      : changeText(base.time_verdict, percent(base.time_change), 'soft'),
};

const kernelsColumn = {
  title: 'Kernels',
  small: 'kernels',
  numeric: true,
  value: (one) => one.work?.kernels,
  cell: ({work}) => (work ? figure(work.kernels) : ''),
};

const deviceColumn = {
  title: 'Device',
  small: 'device',
  numeric: true,
  value: (one) => one.work?.time,
  cell: ({work}) => (work ? seconds(work.time, work.reach) + (work.warm ? ' warm' : '') : ''),
};

/// What a benchmark reports, and what it was.
const valueColumn = {
  title: 'Value',
  small: 'value',
  numeric: true,
  value: ({reported}) => reported?.value,
  cell: ({reported, base}) => [
    reported?.text ?? '',
    base?.value_before &&
      reported &&
      el(
        'span',
        {class: 'sub'},
        `from ${base.value_before}` +
          (base.value_change === undefined ? '' : ` (${percent(base.value_change)})`),
      ),
  ],
};

const userColumn = {
  title: 'User + system',
  small: 'processor time',
  numeric: true,
  className: 'hide-small',
  value: ({used}) => used && used.user + used.system,
  cell: ({used}) => (used ? seconds(used.user + used.system) : ''),
};

const peakColumn = {
  title: 'Peak',
  small: 'peak memory',
  numeric: true,
  value: ({used}) => used?.peak,
  cell: ({used}) => (used ? (used.peak / 2 ** 20).toFixed(1) + ' MiB' : ''),
};

const samplesColumn = {
  title: 'Samples',
  className: 'strip-cell',
  value: ({wall}) => (wall ? wall.iqr / wall.median : undefined),
  cell: ({wall}) => (wall ? strip(wall) : ''),
};

/// Why a count that moved is the same: which limit its change is within.
function withinNote({base}) {
  if (base?.verdict !== 'same' || !base.change) return null;
  const limit = count(base.threshold);
  const title = `the same: a change of at most ${limit} instructions is within ${base.threshold_of}`;
  return el('span', {class: 'sub', title}, 'within ± ' + limit);
}

const verdictColumn = (title) => ({
  title,
  value: (one) => wordOf(one),
  cell: (one) => [
    tag(wordOf(one)),
    one.base?.cause && el('span', {class: 'sub'}, one.base.cause),
    withinNote(one),
    one.reused && el('span', {class: 'sub'}, 'count reused'),
    one.flags.length > 0 && el('span', {class: 'sub'}, one.flags.join(', ').replaceAll('_', ' ')),
  ],
});

/// Those that at least one case fills.
function caseColumns() {
  const device = [kernelsColumn, deviceColumn];
  const columns = data.base
    ? [
        nameColumn,
        countBeforeColumn,
        countColumn,
        countChangeColumn,
        timeColumn,
        timeChangeColumn,
        valueColumn,
        ...device,
        userColumn,
        peakColumn,
        samplesColumn,
        verdictColumn('Verdict'),
      ]
    : [
        nameColumn,
        countColumn,
        spreadColumn,
        timeColumn,
        valueColumn,
        ...device,
        userColumn,
        peakColumn,
        samplesColumn,
        verdictColumn('Status'),
      ];
  const isFilled = (column) =>
    data.cases.some((one) => ![undefined, null, ''].includes(column.value(one)));
  return columns.filter(isFilled);
}

/// Against a base, what became worst stands first.
function firstSort() {
  const column = data.base ? caseColumns().findIndex(({title}) => title === 'Change') : -1;
  return {column, direction: column < 0 ? 1 : -1};
}
