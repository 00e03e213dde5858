'use strict';
// What was measured, and with what: commit and versions in a line, what differs between two sides, and everything that
// is known of machine, settings and environments.

/// "mill" of ".../mill.git".
function repositoryName(run) {
  const address = (run.source.repository || '').replace(/\/+$/, '');
  return address
    .split('/')
    .pop()
    .replace(/\.git$/, '');
}

/// "mill 1234567890 and changes that are not committed"; '' where a record names no commit.
function sourceText(run) {
  const {text} = run.source;
  return text ? [repositoryName(run), text].filter(Boolean).join(' ') : '';
}

/// The same of both sides, with an arrow where they differ, and the repository once where it is one.
function sourceChange(run, base) {
  const [now, before] = [sourceText(run), sourceText(base)];
  if (now === before) return now;
  const one = run.source.text && base.source.text && repositoryName(run) === repositoryName(base);
  return `${before || 'no known commit'} → ${(one ? run.source.text : now) || 'no known commit'}`;
}

const versionDiffers = ({before, after}) => before !== after;
const isOnBothSides = ({before, after}) => before !== '' && after !== '';

/// A compiler says its own name.
function versionText({name, before, after}) {
  const words = name === 'compiler' ? '' : name + ' ';
  return words + (before === after ? after : `${before || 'none'} → ${after || 'none'}`);
}

/// The line of what was measured. Of two sides it has what both have, and what differs with an arrow; of packages some
/// that differ.
function measuredLine() {
  const {run, versions} = data;
  const base = data.base || run;
  const word = (differs, text) => el(differs ? 'b' : 'span', {}, text);
  const source = sourceChange(run, base);
  const parts = versions
    .filter(
      (one) =>
        one.kind === 'main' ||
        (one.kind === 'package' && versionDiffers(one) && isOnBothSides(one)),
    )
    .slice(0, 16)
    .map((one) => word(versionDiffers(one), versionText(one)));
  if (source) parts.unshift(word(sourceText(run) !== sourceText(base), source));
  if (parts.length === 0) return false;
  const spaced = parts.flatMap((part, at) => (at > 0 ? [' · ', part] : [part]));
  return el('p', {class: 'facts small measured'}, 'measured: ', spaced);
}

/// A row for each version, package and file of the subject that is not the same on both sides; those of one side last.
function differenceTable() {
  if (!data.base) return false;
  const order = {main: 0, package: 1, file: 2};
  const place = (one) => order[one.kind] + (isOnBothSides(one) ? 0 : 3);
  const rows = data.versions.filter(versionDiffers).sort((a, b) => place(a) - place(b));
  if (rows.length === 0) return false;
  const cell = (text) => el('td', {}, text || el('span', {class: 'soft'}, 'none'));
  return el(
    'details',
    {class: 'differences'},
    el('summary', {}, `Versions and files that differ (${rows.length})`),
    el(
      'div',
      {class: 'sheet'},
      el(
        'table',
        {},
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            ['', 'Base', 'New'].map((title) => el('th', {scope: 'col'}, title)),
          ),
        ),
        el(
          'tbody',
          {},
          rows.map(({name, before, after}) =>
            el('tr', {}, el('td', {}, name), cell(before), cell(after)),
          ),
        ),
      ),
    ),
  );
}

function pairList(pairs) {
  return el(
    'dl',
    {class: 'pairs'},
    Object.entries(pairs).flatMap(([key, value]) => [el('dt', {}, key), el('dd', {}, value)]),
  );
}

function runDetails(run) {
  return [
    pairList({
      ...(sourceText(run) && {commit: sourceText(run)}),
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
      pairList({...environment.facts, fingerprint: environment.fingerprint}),
      Object.keys(environment.subject).length > 0 &&
        el('p', {class: 'soft small'}, 'What is measured:'),
      pairList(environment.subject),
    ]),
  ];
}

/// A fold for each side.
function environmentDetails() {
  const fold = (run, of) =>
    el(
      'details',
      {},
      el('summary', {}, 'Machine, settings and environments' + of),
      runDetails(run),
    );
  return data.base
    ? [fold(data.run, ' of the new side'), fold(data.base, ' of the base')]
    : [fold(data.run, '')];
}
