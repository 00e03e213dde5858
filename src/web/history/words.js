'use strict';
// How changes, commits and cases are written everywhere in a history.

/// "+25 %" in its colour: an unacknowledged rise stands out. A change of environment is neither good
/// nor bad.
function changeOf(change) {
  const colour = change.isFinding
    ? 'bad-text'
    : change.after < change.before && !change.environment
      ? 'good-text'
      : 'soft';
  const part = Number.isFinite(change.change) ? percent(change.change) : 'from nothing';
  return el('span', {class: colour}, part);
}

/// "+5 %, p 0.0007, provisional": of a time, which only measuring the two commits in turns can prove.
function timeChangeWords({change, p, provisional}) {
  return [percent(change), `p ${Number(p.toPrecision(1))}`, provisional && 'provisional']
    .filter(Boolean)
    .join(', ');
}

const timesOf = ({before, after}) => `${seconds(before)} → ${seconds(after)}`;

/// What the figures of a case are in at a run, by its index: undefined where they are instructions.
const unitAt = ({units}, run) => units?.findLast(([from]) => from <= run)?.[1] ?? undefined;

/// A case's figure at a run: instructions, or what it reports in their place.
function figureAt(one, run, value, ofCount = count) {
  const unit = unitAt(one, run);
  return unit === undefined ? ofCount(value) : valueText(value, unit);
}

/// What stands above a column of such figures.
const figureTitle = [
  'Instructions',
  site.cases.some(({kernels}) => kernels) && 'kernels',
  site.cases.some(({units, kernels}) => units && !kernels) && 'value',
]
  .filter(Boolean)
  .join(' or ');

/// Of a step, or of a drift, which reaches to the newest run.
function countsOf({before, after, case: one, run}) {
  const at = run?.index ?? Infinity;
  return `${figureAt(one, at, before)} → ${figureAt(one, at, after)}`;
}

const dateOf = (run) => run.started.slice(0, 10);

function commitLink(commit) {
  return el('a', {class: 'commit', href: commitAddress(commit)}, shortId(commit));
}

/// Its id, and below it whose it is and what it says.
function commitCell(commit) {
  return [commitLink(commit), el('span', {class: 'sub'}, `${commit.author}: ${commit.title}`)];
}

function caseCell(one, at) {
  return [
    el('a', {class: 'case', href: caseAddress(one, at)}, one.label),
    el('span', {class: 'sub'}, one.variant),
  ];
}

/// A link to the commit on the forge, when the site was given a pattern for it.
function elsewhere(commit) {
  if (!data.commit_url) return '';
  const href = data.commit_url.replaceAll('{commit}', commit.id);
  return el('a', {href, rel: 'noreferrer', class: 'elsewhere'}, 'open the commit');
}

/// "one of 3 commits": of a step that several may be of.
function rangeOf(step) {
  const candidates = candidatesOf(step).length;
  return candidates > 1 ? `one of ${count(candidates)} commits` : '';
}

function agreedTag(change) {
  if (change.isFinding) return el('span', {class: 'tag bad'}, 'unacknowledged');
  if (!change.agreed) return '';
  return el('a', {class: 'tag', href: '#/ledger', title: change.agreed.reason}, 'acknowledged');
}

const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;

/// The first `few` rows as `draw` shows them, and a button that shows the rest.
function fewFirst(rows, few, draw) {
  const place = el('div');
  const show = (most) => {
    const more = rows.length > most;
    const all = el(
      'button',
      {type: 'button', class: 'chip more', onclick: () => show(rows.length)},
      `Show all ${count(rows.length)}`,
    );
    place.replaceChildren(draw(rows.slice(0, most)), more ? all : '');
  };
  show(few);
  return place;
}
