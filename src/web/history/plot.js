'use strict';
// One case along the line of commits: counts as steps, times with their intervals, below each other on one axis.

const plotMargins = {left: 74, right: 14, top: 16, bottom: 24};

/// The commits that are shown, by place, from the address: "from" and "to" are ids.
function shownRange() {
  const first = commitOf(viewOf('from'))?.place ?? 0;
  const last = commitOf(viewOf('to'))?.place ?? site.commits.length - 1;
  return first < last ? {first, last} : {first: 0, last: site.commits.length - 1};
}

function keepRange(first, last) {
  const whole = site.commits.length - 1;
  keepView('from', first > 0 ? site.commits[first].id.slice(0, 12) : undefined);
  keepView('to', last < whole ? site.commits[last].id.slice(0, 12) : undefined);
}

/// Where places and values stand: {width, height, x(place), y(value), placeAt(x)}; values a little
/// apart from the edges.
function plotScale({first, last}, low, high, height) {
  // Drawn for a phone's width, so that its text stays readable there.
  const width = window.innerWidth <= 720 ? 400 : 1060;
  const {left, right, top, bottom} = plotMargins;
  const inner = width - left - right;
  // A hundredth at least, so that a count that did not move is a line in the middle.
  const range = Math.max(high - low, 0.01 * Math.abs(high), 1e-12);
  const middle = (low + high) / 2;
  const least = low < 0 ? -Infinity : 0;
  const [from, to] = [Math.max(least, middle - 0.56 * range), middle + 0.56 * range];
  return {
    ...{width, height, from, to, first, last},
    // One commit alone stands in the middle.
    x: (place) => left + (first < last ? (inner * (place - first)) / (last - first) : inner / 2),
    y: (value) => height - bottom - ((height - top - bottom) * (value - from)) / (to - from),
    placeAt: (x) => first + ((last - first) * (x - left)) / inner,
  };
}

function plotAxes(scale, write) {
  const {left, right} = plotMargins;
  const {width, height, first, last} = scale;
  const across = niceTicks(scale.from, scale.to, 4).map((tick) => [
    svg('line', {
      class: 'axis',
      ...{x1: left, x2: width - right, y1: scale.y(tick), y2: scale.y(tick)},
    }),
    svg('text', {x: left - 8, y: scale.y(tick) + 4, 'text-anchor': 'end'}, write(tick)),
  ]);
  const labels = Math.min(width < 500 ? 3 : 6, last - first + 1);
  const along = Array.from({length: labels}, (_, i) => {
    const place = labels > 1 ? Math.round(first + ((last - first) * i) / (labels - 1)) : first;
    const anchor =
      labels === 1 ? 'middle' : i === 0 ? 'start' : i === labels - 1 ? 'end' : 'middle';
    const at = {x: scale.x(place).toFixed(1), y: height - 6, 'text-anchor': anchor};
    return svg('text', {...at, class: 'id'}, shortId(site.commits[place]));
  });
  return [across, along];
}

/// Where an environment begins, and where a case starts a new series.
function plotSeams(scale, seams) {
  const {top, bottom} = plotMargins;
  const line = (commit, className, word, title) => {
    if (commit.place < scale.first || commit.place > scale.last) return null;
    const x = scale.x(commit.place - 0.5).toFixed(1);
    const ends = {x1: x, x2: x, y1: top - 6, y2: scale.height - bottom};
    // Its word stands where there is room: left of the line near the right edge.
    const isLate = x > scale.width - 140;
    const label = {
      x: Number(x) + (isLate ? -5 : 5),
      y: top + 2,
      'text-anchor': isLate ? 'end' : 'start',
    };
    return svg(
      'g',
      {class: className},
      svg('line', ends),
      svg('text', label, word),
      svg('title', {}, title),
    );
  };
  return [
    site.epochs
      .slice(1)
      .map(({run, environment}) =>
        line(
          run.commit,
          'epoch',
          environment.slice(0, 8),
          `measured in environment ${environment} from here on`,
        ),
      ),
    seams.map(({run, why}) => line(run.commit, 'seam', 'anew', `new series: ${why}`)),
  ];
}

/// Points that are shown, and one beyond each edge, cut where a series ends: `breaks` are runs in order.
function plotPieces(points, {first, last}, breaks) {
  const from = points.findIndex(({commit}) => commit.place >= first);
  const to = points.findLastIndex(({commit}) => commit.place <= last);
  const pieces = [[]];
  for (const point of points.slice(Math.max(0, from - 1), to + 2)) {
    const before = pieces.at(-1).at(-1)?.run.index ?? Infinity;
    if (breaks.some((run) => run > before && run <= point.run.index)) pieces.push([]);
    pieces.at(-1).push(point);
  }
  return pieces.filter((piece) => piece.length > 0);
}

const isShown = ({first, last}, {place}) => place >= first && place <= last;

/// From one count to the next as steps; a wide riser where a change may be of several commits.
function countPlot(points, range, one) {
  const breaks = breaksOf(one);
  const shown = points.filter(({commit}) => isShown(range, commit));
  const [low, high] = extent([shown.map((point) => point.count)]);
  const scale = plotScale(range, low, high, 260);
  const at = (place, value) => `${scale.x(place).toFixed(1)} ${scale.y(value).toFixed(1)}`;
  const path = plotPieces(points, range, breaks)
    .map((piece) => {
      let text = `M${at(piece[0].commit.place, piece[0].count)}`;
      for (const [i, {commit, count: value}] of piece.entries())
        if (i > 0) text += `H${scale.x(commit.place).toFixed(1)}V${scale.y(value).toFixed(1)}`;
      return text;
    })
    .join('');
  const steps = one.steps.filter(({run}) => isShown(range, run.commit));
  const unsure = steps
    .filter((step) => candidatesOf(step).length > 1)
    .map(({since, run}) => {
      const x = scale.x(since.commit.place);
      const width = scale.x(run.commit.place) - x;
      const inside = {
        y: plotMargins.top,
        height: scale.height - plotMargins.top - plotMargins.bottom,
      };
      return svg('rect', {class: 'unsure', x, width, ...inside});
    });
  const countAt = new Map(shown.map((point) => [point.run, point.count]));
  const marks = steps.map((step) =>
    svg('circle', {
      class: 'mark ' + (step.isFinding ? 'bad' : step.after < step.before ? 'good' : 'agreed'),
      cx: scale.x(step.run.commit.place).toFixed(1),
      cy: scale.y(countAt.get(step.run)).toFixed(1),
      r: 4.5,
    }),
  );
  const lines = svg('path', {class: 'course', d: path});
  const dots =
    shown.length <= 60 &&
    shown.map(({commit, count: value}) =>
      svg('circle', {class: 'dot', cx: scale.x(commit.place), cy: scale.y(value), r: 2.2}),
    );
  return plotBox('counts', scale, [
    plotAxes(scale, (value) => figureAt(one, Infinity, value)),
    plotSeams(scale, one.seams),
    unsure,
    lines,
    dots,
    marks,
  ]);
}

/// Writes the ticks of one axis alike: one unit, and as many decimals as distinguish them.
function timeTicks({from, to}) {
  const [size, unit] = [
    [1, 's'],
    [1e-3, 'ms'],
    [1e-6, 'µs'],
    [1e-9, 'ns'],
  ].find(([least]) => to >= least) || [1e-9, 'ns'];
  const [first, second] = niceTicks(from, to, 4);
  const step = (second - first) / size || 1;
  const decimals = Math.min(6, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return (value) => `${(value / size).toFixed(decimals)}\u202f${unit}`;
}

/// Medians as a line in the band of their intervals; a line for each processor.
function timePlot(points, range, one) {
  const timed = points.filter(({time}) => time);
  const shown = timed.filter(({commit}) => isShown(range, commit));
  if (!shown.length) return null;
  const breaks = [...one.seams, ...site.epochs].map(({run}) => run.index);
  const [low, high] = extent([shown.flatMap(({time}) => [time.low, time.high])]);
  const scale = plotScale(range, low, high, 200);
  const at = ({commit}, value) =>
    `${scale.x(commit.place).toFixed(1)} ${scale.y(value).toFixed(1)}`;
  const processors = new Set(timed.map(({time}) => time.processor));
  const pieces = [...processors].flatMap((processor) =>
    plotPieces(
      timed.filter(({time}) => time.processor === processor),
      range,
      breaks,
    ),
  );
  const bands = pieces.map((piece) => {
    const above = piece.map((point) => at(point, point.time.high));
    const below = piece.map((point) => at(point, point.time.low)).reverse();
    return `M${above.join('L')}L${below.join('L')}Z`;
  });
  // A point by itself has no line and no band: its interval is one.
  const alone = pieces.filter((piece) => piece.length === 1).flat();
  const lines = pieces.map((piece) =>
    piece.length === 1
      ? `M${at(piece[0], piece[0].time.low)}L${at(piece[0], piece[0].time.high)}`
      : 'M' + piece.map((point) => at(point, point.time.median)).join('L'),
  );
  const dots = alone.map(({commit, time: {median}}) =>
    svg('circle', {class: 'dot', cx: scale.x(commit.place), cy: scale.y(median), r: 2.2}),
  );
  const write = timeTicks(scale);
  return plotBox('times', scale, [
    plotAxes(scale, write),
    plotSeams(scale, one.seams),
    svg('path', {class: 'band', d: bands.join('')}),
    svg('path', {class: 'course', d: lines.join('')}),
    dots,
    one.times
      .filter(({run}) => isShown(range, run.commit))
      .map(({run, after, provisional}) =>
        svg('circle', {
          class: provisional ? 'mark provisional' : 'mark',
          cx: scale.x(run.commit.place).toFixed(1),
          cy: scale.y(after).toFixed(1),
          r: 4.5,
        }),
      ),
  ]);
}

/// A plot with a line that follows what is looked at.
function plotBox(name, scale, parts) {
  const {top, bottom, left, right} = plotMargins;
  const clip = 'inside-' + name;
  const cursor = (className) =>
    svg('line', {class: className, y1: top - 6, y2: scale.height - bottom, visibility: 'hidden'});
  const [hovered, chosen] = [cursor('hovered'), cursor('chosen')];
  const box = svg('rect', {
    ...{x: left - 6, y: 0, width: scale.width - left - right + 12, height: scale.height},
  });
  const [axes, ...drawn] = parts;
  const node = svg(
    'svg',
    {class: `plot line-plot ${name}`, viewBox: `0 0 ${scale.width} ${scale.height}`, role: 'img'},
    svg('clipPath', {id: clip}, box),
    axes,
    svg('g', {'clip-path': `url(#${clip})`}, hovered, chosen, drawn),
  );
  const move = (line, commit) => {
    line.setAttribute('visibility', commit ? 'visible' : 'hidden');
    if (!commit) return;
    line.setAttribute('x1', scale.x(commit.place));
    line.setAttribute('x2', scale.x(commit.place));
  };
  return {
    node,
    scale,
    hover: (commit) => move(hovered, commit),
    choose: (commit) => move(chosen, commit),
    placeOf: (event) => {
      const {left: edge, width} = node.getBoundingClientRect();
      return scale.placeAt(((event.clientX - edge) * scale.width) / width);
    },
  };
}
