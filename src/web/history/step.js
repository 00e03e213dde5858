'use strict';
// What one commit did to one case: figures, author, acknowledgement, and the functions that moved.

function stepFigures(step) {
  return [
    el(
      'p',
      {class: 'figure'},
      changeOf(step),
      ' ',
      el('span', {class: 'soft'}, countsOf(step)),
      ' ',
      agreedTag(step),
    ),
    step.agreed && acknowledgementOf(step.agreed),
  ];
}

function acknowledgementOf(line) {
  const facts = [line.reason, line.owner, line.issue, 'until ' + line.expires];
  return el('p', {class: 'small soft'}, 'Acknowledged: ' + facts.filter(Boolean).join(' · '));
}

/// The commit or, where those between were not measured, each that it may be.
function suspects(step, commit) {
  const candidates = step ? candidatesOf(step) : [commit];
  if (candidates.length === 1) {
    return el(
      'p',
      {},
      commitLink(commit),
      ` ${commit.author}: ${commit.title} `,
      elsewhere(commit),
    );
  }
  const line = (one) =>
    el('li', {}, commitLink(one), ` ${one.author}: ${one.title} `, elsewhere(one));
  return [
    el('p', {}, `One of ${count(candidates.length)} commits; only the last of them was measured:`),
    fewFirst([...candidates].reverse(), 8, (some) =>
      el('ul', {class: 'list small'}, some.map(line)),
    ),
  ];
}

/// Other cases that moved there, the largest first.
function alsoMoved(step) {
  const others = step.run.steps.filter((other) => other !== step);
  if (!others.length) return el('p', {class: 'soft small'}, 'No other case changed here.');
  const some = others
    .slice(0, 6)
    .map((other) =>
      el(
        'li',
        {},
        changeOf(other),
        ' ',
        el('a', {href: caseAddress(other.case, other.run.commit)}, other.case.id),
      ),
    );
  const rest = others.length - some.length;
  return [
    el('h3', {}, `${plural(others.length, 'other case', 'other cases')} changed here`),
    el('ul', {class: 'list small'}, some),
    rest > 0 &&
      el(
        'p',
        {class: 'small'},
        el('a', {href: commitAddress(step.run.commit)}, `and ${count(rest)} more`),
      ),
  ];
}

/// A change of time is nominated and no more.
function timeWords(time) {
  return el(
    'p',
    {},
    el('span', {class: 'tag notice'}, 'time'),
    ` ${timeChangeWords(time)}, ${timesOf(time)}: nominated; `,
    el('code', {}, 'tally ab'),
    ' of the two commits decides',
  );
}

/// The commit was measured in both environments, so this is not its doing.
function chainedWords(chained) {
  return el(
    'p',
    {},
    el('span', {class: 'tag notice'}, 'environment'),
    ` ${percent(chained.change)}, ${countsOf(chained)}: it was measured in ${chained.environment}, too`,
  );
}

function stepPanel(one, points, commit) {
  const here = ({run}) => run.commit === commit;
  const point = points.findLast(here);
  const step = one.steps.find(here);
  const time = one.times.find(here);
  const seam = one.seams.find(here);
  const chained = one.chained.find(here);
  const failed = one.failed.some((run) => run.commit === commit);
  const title = step ? 'What changed at ' : 'At ';
  return [
    el('h2', {}, title + shortId(commit)),
    el(
      'div',
      {class: 'sheet pad step-panel'},
      suspects(step || time, commit),
      step && stepFigures(step),
      seam && el('p', {}, el('span', {class: 'tag notice'}, 'new series'), ' ' + seam.why),
      time && timeWords(time),
      chained && chainedWords(chained),
      failed && el('p', {}, tag('failed')),
      ![step, seam, chained].some(Boolean) &&
        point &&
        el('p', {}, `${figureWords(one, point)}, no change.`),
      point?.time &&
        el(
          'p',
          {class: 'small soft'},
          `Time ${seconds(point.time.median)}, 95 %: ` +
            `${seconds(point.time.low)} to ${seconds(point.time.high)}`,
        ),
      step && alsoMoved(step),
    ),
    step?.file ? functionsMoved(step.file) : '',
  ];
}

/// This commit against the one before: loaded when it is looked at.
function functionsMoved(file) {
  const place = el('div', {}, el('p', {class: 'soft'}, 'Unpacking the profiles …'));
  const promised = (raw) => raw && (() => Promise.resolve(readProfile(raw)));
  const show = ({native, python}) => {
    const sides = {native: promised(native), python: promised(python)};
    place.replaceChildren(profileView(sides, () => 'What moved'));
  };
  dataFile(file)
    .then(unpack)
    .then(show)
    .catch((error) => place.replaceChildren(el('p', {class: 'alert'}, String(error.message))));
  return place;
}
