'use strict';
// The plots of a case as something to use: what is under the pointer is read out, a click chooses a
// commit, a drag shows less, keys go from change to change.

function nearestPoint(points, place) {
  let best = points[0];
  for (const point of points)
    if (Math.abs(point.commit.place - place) < Math.abs(best.commit.place - place)) best = point;
  return best;
}

/// "1,234 instructions", or a value with its unit.
const figureWords = (one, {run, count: value}) =>
  figureAt(one, run.index, value, (counted) => `${figure(counted)} instructions`);

function pointWords(point, one) {
  const step = one.steps.find(({run}) => run === point.run);
  return [
    shortId(point.commit),
    `${point.commit.author}: ${point.commit.title}`,
    figureWords(one, point),
    step && percent(step.change),
    point.time && seconds(point.time.median, (point.time.high - point.time.low) / 2),
  ]
    .filter(Boolean)
    .join(' · ');
}

function rangeChips(draw) {
  const whole = site.commits.length;
  const {first, last} = shownRange();
  const chip = (title, commits) => {
    const from = Math.max(0, whole - commits);
    const isThis = first === from && last === whole - 1;
    const onclick = () => {
      keepRange(from, whole - 1);
      draw();
    };
    return el(
      'button',
      {type: 'button', class: 'chip', 'aria-pressed': String(isThis), onclick},
      title,
    );
  };
  const some = [30, 100, 500].filter((commits) => commits < whole);
  return el(
    'div',
    {class: 'chips', role: 'group', 'aria-label': 'Which commits'},
    chip('all commits', whole),
    some.reverse().map((commits) => chip(`last ${commits}`, commits)),
    el(
      'span',
      {class: 'soft small hide-small'},
      el('kbd', {}, '←'),
      ' ',
      el('kbd', {}, '→'),
      ' change to change, with ',
      el('kbd', {}, 'Shift'),
      ' commit to commit; drag to look closer, ',
      el('kbd', {}, 'Esc'),
      ' for all',
    ),
  );
}

/// {node, choose(commit)}; `chosen(commit)` receives what a click or a key chose.
function courseOf(one, points, chosen) {
  const box = el('div', {
    class: 'course-box',
    tabindex: 0,
    role: 'group',
    'aria-label': 'Counts and times by commit',
  });
  const readout = el('p', {class: 'readout', 'aria-live': 'polite'});
  const node = el('div', {}, box, readout);
  let plots = [];
  let current;
  const choose = (commit) => {
    current = commit;
    for (const plot of plots) plot.choose(commit);
  };
  const hover = (point) => {
    for (const plot of plots) plot.hover(point?.commit);
    if (point) readout.textContent = pointWords(point, one);
  };
  const draw = () => {
    const range = shownRange();
    const inRange = points.filter(({commit}) => isShown(range, commit));
    plots = inRange.length
      ? [countPlot(points, range, one), timePlot(points, range, one)].filter(Boolean)
      : [];
    box.replaceChildren(
      rangeChips(draw),
      ...plots.map(({node: plot}) =>
        el(
          'figure',
          {},
          el('figcaption', {class: 'soft small'}, captionOf(plot, one, points.at(-1))),
          plot,
        ),
      ),
      ...(plots.length ? [] : [el('p', {class: 'none'}, 'Not measured at these commits.')]),
    );
    choose(current);
    for (const plot of plots) usePlot(plot);
  };
  const usePlot = (plot) => {
    let begun;
    plot.node.addEventListener('pointermove', (event) =>
      hover(nearestPoint(points, plot.placeOf(event))),
    );
    plot.node.addEventListener('pointerleave', () => hover(null));
    plot.node.addEventListener('pointerdown', (event) => {
      begun = event.pointerType === 'mouse' ? event : undefined;
    });
    plot.node.addEventListener('pointerup', (event) => {
      const ends =
        begun && [begun, event].map((one_) => Math.round(plot.placeOf(one_))).sort((a, b) => a - b);
      const isDrag = begun && Math.abs(event.clientX - begun.clientX) > 12 && ends[1] - ends[0] > 2;
      begun = undefined;
      if (isDrag) {
        keepRange(Math.max(0, ends[0]), Math.min(site.commits.length - 1, ends[1]));
        draw();
        return;
      }
      chosen(nearestTo(plot, event));
    });
  };
  /// A change within a finger's reach, or the commit under the pointer.
  const nearestTo = (plot, event) => {
    const place = plot.placeOf(event);
    const reach = plot.placeOf({clientX: event.clientX + 14}) - place;
    const near = changed.filter(({commit}) => Math.abs(commit.place - place) <= reach);
    return near.length ? nearestPoint(near, place).commit : nearestPoint(points, place).commit;
  };
  const changed = [...one.steps, ...one.times]
    .map(({run}) => run)
    .sort((a, b) => a.index - b.index);
  const go = (direction, everyCommit) => {
    const stops = (everyCommit ? points : changed).map(({commit}) => commit);
    const from = current?.place ?? Infinity;
    const next =
      direction < 0
        ? stops.findLast(({place}) => place < from)
        : stops.find(({place}) => place > from && from !== Infinity);
    if (next) chosen(next);
  };
  const key = (event) => {
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      go(event.key === 'ArrowLeft' ? -1 : 1, event.shiftKey);
      event.preventDefault();
    } else if (event.key === 'Escape') {
      keepRange(0, site.commits.length - 1);
      draw();
    }
  };
  draw();
  readout.textContent = pointWords(points.at(-1), one);
  return {node, choose, key};
}

function captionOf(plot, one, last) {
  if (!plot.classList.contains('times')) return figureName(one, last.run);
  return `${timeName(one)}, in the band of its 95 % interval`;
}
