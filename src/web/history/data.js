'use strict';
// What the page knows of a history: the columns that came with it as objects, and what a file beside
// the page has, which is loaded when it is looked at.

/// From differences to values.
function summed(differences) {
  let sum = 0;
  return differences.map((difference) => (sum += difference));
}

/// Rows from columns of equal length: rowsOf({a: [1, 2], b: [3, 4]}) is [{a: 1, b: 3}, {a: 2, b: 4}].
function rowsOf(columns) {
  const names = Object.keys(columns);
  return columns[names[0]].map((_, i) =>
    Object.fromEntries(names.map((name) => [name, columns[name][i]])),
  );
}

/// How much more it is, as a share; what a benchmark reports may be below zero.
const shareOf = ({before, after}) => (after - before) / Math.abs(before);

/// {commits, runs, cases, steps, drifts, ledger, …}, oldest first. A step has its `run`, `since` and
/// `case` as objects, and a commit its `runs`; `agreed` is a line of the ledger. `times` are
/// changes of time that are nominated, and never findings. A case is `broken` at
/// the first of the runs at which it `failed`.
function readHistory(raw) {
  const commits = rowsOf(raw.commits).map(({id, author, title}, place) => ({
    ...{id, title, place, runs: []},
    author: raw.authors[author],
  }));
  const places = summed(raw.runs.commit);
  const runs = rowsOf(raw.runs).map((run, index) => ({
    ...run,
    index,
    commit: commits[places[index]],
    steps: [],
    times: [],
    seams: [],
    failed: [],
    broken: [],
  }));
  for (const run of runs) run.commit.runs.push(run);
  const cases = raw.cases.map((one, index) => ({
    ...{...one, index},
    ...{steps: [], times: [], seams: [], failed: [], broken: [], chained: []},
  }));
  const ledger = raw.ledger.map((line) => ({...line, steps: [], drifts: []}));

  const columns = {...raw.steps, run: summed(raw.steps.run)};
  const steps = rowsOf(columns).map((step) => ({
    ...step,
    case: cases[step.case],
    run: runs[step.run],
    since: runs[step.run - step.since],
    agreed: ledger[step.agreed],
    change: shareOf(step),
    isFinding: step.after > step.before && ledger[step.agreed] === undefined,
  }));
  for (const step of steps) {
    step.run.steps.push(step);
    step.case.steps.push(step);
    step.agreed?.steps.push(step);
  }
  const timeColumns = {...raw.times, run: summed(raw.times.run)};
  for (const change of rowsOf(timeColumns)) {
    const nominated = {
      ...change,
      case: cases[change.case],
      run: runs[change.run],
      since: runs[change.run - change.since],
      change: shareOf(change),
      isTime: true,
    };
    nominated.run.times.push(nominated);
    nominated.case.times.push(nominated);
  }
  for (const {run, why, cases: those} of raw.seams)
    for (const index of those) {
      const seam = {run: runs[run], case: cases[index], why};
      seam.run.seams.push(seam);
      seam.case.seams.push(seam);
    }
  summed(raw.failed.run).forEach((run, i) => {
    const one = cases[raw.failed.case[i]];
    runs[run].failed.push(one);
    if (one.failed.at(-1)?.index !== run - 1) {
      runs[run].broken.push(one);
      one.broken.push(runs[run]);
    }
    one.failed.push(runs[run]);
  });
  const drifts = raw.drifts.map((drift) => ({
    ...drift,
    case: cases[drift.case],
    since: runs[drift.since],
    contributors: drift.contributors.map((run) => runs[run]),
    agreed: ledger[drift.agreed],
    change: shareOf(drift),
    isFinding: drift.finding,
  }));
  for (const drift of drifts) {
    drift.case.drift = drift;
    drift.agreed?.drifts.push(drift);
  }
  const epochs = raw.epochs.map((epoch) => readEpoch(epoch, runs, cases));
  return {commits, runs, cases, steps, drifts, ledger, epochs};
}

/// {run, environment, isBridged, joined, chained}: runs from this one on were measured in another
/// environment. Where one commit was measured in both, `joined` cases have the same counts in both;
/// `chained` are the others.
function readEpoch(epoch, runs, cases) {
  const chained = rowsOf(epoch.chained).map(({case: index, before, after}) => ({
    ...{before, after, change: shareOf({before, after})},
    case: cases[index],
    run: runs[epoch.run],
    environment: epoch.environment,
  }));
  for (const one of chained) one.case.chained.push(one);
  return {...epoch, run: runs[epoch.run], isBridged: epoch.bridged, chained};
}

const site = readHistory(data);

const shortId = (commit) => commit.id.slice(0, 10);

/// The epoch that begins at a run, and nothing at the first.
const epochAt = (run) => site.epochs.slice(1).find((epoch) => epoch.run === run);

/// The environment that a run was measured in.
const epochOf = (run) => site.epochs.findLast((epoch) => epoch.run.index <= run.index);

/// The runs at which a case starts a new series, in order.
function breaksOf(one) {
  const begins = site.epochs.slice(1).filter((epoch) => !epoch.isBridged);
  return [...one.seams, ...one.chained, ...begins].map(({run}) => run.index);
}

/// The commits that a step may be of: more than one where those between were not measured.
function candidatesOf({since, run}) {
  return site.commits.slice(since.commit.place + 1, run.commit.place + 1);
}

const caseAddress = (one, at) =>
  '#/case/' + encodeURIComponent(one.id) + (at ? '?at=' + at.id.slice(0, 12) : '');
const commitAddress = (commit) => '#/commit/' + commit.id.slice(0, 12);

/// By its id, or by seven digits of it at least.
function commitOf(id) {
  return id?.length >= 7 ? site.commits.find((commit) => commit.id.startsWith(id)) : undefined;
}

// A page from file:// may not fetch; it may load scripts. A data file says tallyData(NAME, PACKED).
const dataFiles = new Map();
globalThis.tallyData = (name, packed) => dataFiles.get(name)?.arrived(packed);

/// What data/NAME.js has packed.
function dataFile(name) {
  if (!dataFiles.has(name)) {
    const file = {};
    file.packed = new Promise((resolve, reject) => {
      file.arrived = resolve;
      const missing = () => {
        dataFiles.delete(name);
        reject(
          new Error(
            `data/${name}.js is missing; the site may have been regenerated: reload the page`,
          ),
        );
      };
      document.head.append(el('script', {src: `data/${name}.js`, onerror: missing}));
    });
    dataFiles.set(name, file);
  }
  return dataFiles.get(name).packed;
}

/// The points of a case, oldest first: [{run, commit, count, time: {median, low, high}, diff}].
async function seriesOf(one) {
  const raw = await unpack(await dataFile(one.file));
  const counts = summed(raw.counts);
  const points = summed(raw.run).map((run, i) => ({
    run: site.runs[run],
    commit: site.runs[run].commit,
    count: counts[i] / raw.scale,
  }));
  const medians = summed(raw.time.median);
  summed(raw.time.point).forEach((point, i) => {
    points[point].time = {
      median: medians[i] * raw.time.unit_s,
      low: (medians[i] - raw.time.below[i]) * raw.time.unit_s,
      high: (medians[i] + raw.time.above[i]) * raw.time.unit_s,
      processor: raw.time.processor?.[i] ?? 0,
    };
  });
  return points;
}
