'use strict';
// Moving in a timeline: wheel and keys zoom, drag pans, a click shows what is there. All traces of
// a page show the same stretch of time, each from its own beginning.

/// One for the page.
const timeline = {from: 0, to: 1, longest: 1, drawn: [], queued: false};

function showStretch(from, to) {
  const least = 50;
  const length = Math.min(Math.max(to - from, least), timeline.longest);
  const start = Math.min(Math.max(from, 0), timeline.longest - length);
  timeline.from = start;
  timeline.to = start + length;
  const whole = length >= timeline.longest;
  keepView('from', whole ? undefined : Math.round(start));
  keepView('to', whole ? undefined : Math.round(start + length));
  redraw();
}

/// Once for each frame of the screen, however many events came.
function redraw() {
  if (timeline.queued) return;
  timeline.queued = true;
  requestAnimationFrame(() => {
    timeline.queued = false;
    for (const one of timeline.drawn) drawTrace(one.canvas, one.events, timeline, one.selected);
    document.getElementById('stretch').textContent =
      `${nanoseconds(timeline.from)} to ${nanoseconds(timeline.to)} (${nanoseconds(timeline.to - timeline.from)})`;
  });
}

function zoomBy(factor, at = (timeline.from + timeline.to) / 2) {
  showStretch(at - (at - timeline.from) * factor, at + (timeline.to - at) * factor);
}

function panBy(share) {
  const step = (timeline.to - timeline.from) * share;
  showStretch(timeline.from + step, timeline.to + step);
}

/// The canvas of one trace, and what was clicked in it.
function traceCanvas(events, name) {
  const canvas = el('canvas', {
    class: 'trace',
    tabindex: 0,
    role: 'img',
    'aria-label': 'Timeline of ' + name,
  });
  const readout = el(
    'p',
    {class: 'readout', 'aria-live': 'polite'},
    'Click an event to see what it is.',
  );
  const one = {canvas, events, selected: -1};
  const timeAt = (x) =>
    timeline.from +
    ((x - kLabels) / (canvas.clientWidth - kLabels)) * (timeline.to - timeline.from);
  one.select = (event) => {
    one.selected = event;
    readout.replaceChildren(...wordsOfEvent(one, event));
    redraw();
  };
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        panBy((event.deltaX || event.deltaY) / 800);
      else zoomBy(1.0015 ** event.deltaY, timeAt(event.offsetX));
    },
    {passive: false},
  );
  let grabbed = null;
  canvas.addEventListener('pointerdown', (event) => {
    grabbed = {x: event.clientX, from: timeline.from, to: timeline.to, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!grabbed) return;
    const pixels = event.clientX - grabbed.x;
    grabbed.moved = grabbed.moved || Math.abs(pixels) > 3;
    const time = (pixels / (canvas.clientWidth - kLabels)) * (grabbed.to - grabbed.from);
    if (grabbed.moved) showStretch(grabbed.from - time, grabbed.to - time);
  });
  canvas.addEventListener('pointerup', (event) => {
    const click = grabbed && !grabbed.moved;
    grabbed = null;
    const track = events.tracks[trackAt(events.tracks, event.offsetY)];
    if (click && track) one.select(eventAt(events, track, timeAt(event.offsetX), canvas));
  });
  canvas.addEventListener('keydown', traceKey);
  timeline.drawn.push(one);
  return [canvas, readout];
}

/// The innermost event there, or one that ends or begins within three pixels; −1 for none.
function eventAt(events, track, time, canvas) {
  const near = ((timeline.to - timeline.from) / (canvas.clientWidth - kLabels)) * 3;
  for (let i = upTo(track.start, time + near) - 1; i >= 0; --i) {
    const event = track.order[i];
    if (events.start[event] + events.duration[event] >= time - near) return event;
    if (track.until[i] < time - near) return -1;
  }
  return -1;
}

function wordsOfEvent(one, event) {
  const {events} = one;
  if (event < 0) return ['Nothing there.'];
  const go = (to, text) =>
    el('button', {type: 'button', class: 'link', onclick: () => goTo(one, to)}, text);
  const launch = events.launch[event];
  const launched = events.launched[event];
  const call = launch >= 0 ? launch : event;
  const around = operatorAround(events, call);
  return [
    el('strong', {}, events.names[events.name[event]]),
    ` · ${kindWords[events.kind[event]]} · ${nanoseconds(events.duration[event])}` +
      ` from ${nanoseconds(events.start[event])}`,
    launch >= 0 && [
      ` · ${nanoseconds(events.start[event] - events.start[launch])} after its `,
      go(launch, 'launch'),
    ],
    around >= 0 && [' · in ', go(around, events.names[events.name[around]])],
    launched >= 0 && [' · launched ', go(launched, events.names[events.name[launched]])],
  ]
    .flat(Infinity)
    .filter(Boolean);
}

/// Selects an event and shows it in what is around it.
function goTo(one, event) {
  const {start, duration} = one.events;
  const room = Math.max(duration[event] * 4, 2000);
  showStretch(start[event] - room, start[event] + duration[event] + room);
  one.select(event);
}

function traceKey(event) {
  const act = {
    w: () => zoomBy(0.7),
    s: () => zoomBy(1 / 0.7),
    '+': () => zoomBy(0.7),
    '-': () => zoomBy(1 / 0.7),
    a: () => panBy(-0.2),
    d: () => panBy(0.2),
    ArrowLeft: () => panBy(-0.2),
    ArrowRight: () => panBy(0.2),
    ArrowUp: () => zoomBy(0.7),
    ArrowDown: () => zoomBy(1 / 0.7),
    0: () => showStretch(0, timeline.longest),
    Escape: () => showStretch(0, timeline.longest),
  }[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  act();
  event.preventDefault();
}
