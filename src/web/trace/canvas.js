'use strict';
// Drawing a trace: a row for each stream and thread, the device's utilization above its streams.

const kRow = 20;
const kUtilization = 46;
const kLabels = 118;
const kindColours = [
  '#3b7dbd',
  '#d9822b',
  '#7b5ea7',
  '#a58bc4',
  '#5b9a68',
  '#c0534a',
  '#8d949e',
  '#5f8f93',
];
const kindBytes = kindColours.map((colour) =>
  [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)),
);
const kindWords = [
  'compute',
  'communication',
  'copy',
  'fill',
  'launch',
  'synchronise',
  'call',
  'operator',
];

const heightOf = (track) => (track.sums ? kUtilization : kRow);

/// What stands at this height of the canvas: the track's number, or −1.
function trackAt(tracks, y) {
  let top = 0;
  return tracks.findIndex((track) => {
    top += heightOf(track);
    return y < top;
  });
}

function drawTrace(canvas, events, view, selected) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = events.tracks.reduce((sum, track) => sum + heightOf(track), 0);
  canvas.style.height = height + 'px';
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext('2d');
  pen.scale(scale, scale);
  pen.fillStyle = colour('--card');
  pen.fillRect(0, 0, width, height);
  pen.font = '12px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  const area = {pen, left: kLabels, width: width - kLabels, view, events, selected};
  let top = 0;
  for (const track of events.tracks) {
    pen.fillStyle = colour(track.sums ? '--ink' : '--soft');
    pen.fillText(track.label, 6, top + heightOf(track) / 2, kLabels - 12);
    pen.strokeStyle = colour('--line');
    pen.strokeRect(-1, top + 0.5, width + 2, heightOf(track));
    if (track.sums) drawUtilization(area, track, top, colour('--accent'));
    else drawRow(area, track, top);
    top += heightOf(track);
  }
}

function drawUtilization({pen, left, width, view}, track, top, colour) {
  const step = 2;
  pen.fillStyle = colour;
  const each = ((view.to - view.from) * step) / width;
  let before = coveredBefore(track, view.from);
  for (let x = 0; x < width; x += step) {
    const after = coveredBefore(track, view.from + ((x + step) / step) * each);
    const tall = ((after - before) / each) * (kUtilization - 4);
    if (tall > 0) pen.fillRect(left + x, top + kUtilization - tall, step, tall);
    before = after;
  }
}

function drawRow(area, track, top) {
  const {view, width} = area;
  const first = upTo(track.until, view.from);
  const last = upTo(track.start, view.to);
  if (last - first > 2 * width) drawShares(area, track, top);
  else for (let i = first; i < last; ++i) drawEvent(area, track.order[i], top);
}

/// Where a pixel has several events: as strong as the row is busy in it, in the colour of the one
/// in its middle. As one picture that is stretched: a rectangle for each pixel takes the browser
/// several times as long.
function drawShares({pen, left, width, view, events}, track, top) {
  const strip = new OffscreenCanvas(width, 1);
  const picture = new ImageData(width, 1);
  const each = (view.to - view.from) / width;
  let before = coveredBefore(track, view.from);
  for (let x = 0; x < width; ++x) {
    const at = view.from + (x + 1) * each;
    const after = coveredBefore(track, at);
    if (after > before) {
      const middle = track.order[Math.max(0, upTo(track.start, at - each / 2) - 1)];
      picture.data.set(kindBytes[events.kind[middle]], 4 * x);
      picture.data[4 * x + 3] = 255 * (0.15 + 0.85 * Math.min(1, (after - before) / each));
    }
    before = after;
  }
  strip.getContext('2d').putImageData(picture, 0, 0);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(strip, 0, 0, width, 1, left, top + 2, width, kRow - 3);
}

function drawEvent({pen, left, width, view, events, selected}, event, top) {
  const pixels = width / (view.to - view.from);
  const begin = Math.max(0, (events.start[event] - view.from) * pixels);
  const end = Math.min(width, (events.start[event] + events.duration[event] - view.from) * pixels);
  if (end < 0 || begin > width) return;
  const size = Math.max(0.8, end - begin);
  pen.fillStyle = kindColours[events.kind[event]];
  pen.fillRect(left + begin, top + 2, size > 3 ? size - 0.5 : size, kRow - 3);
  if (event === selected) {
    pen.strokeStyle = '#111';
    pen.lineWidth = 2;
    pen.strokeRect(left + begin, top + 2, size, kRow - 3);
    pen.lineWidth = 1;
  }
  if (size < 40) return;
  pen.fillStyle = '#fff';
  const letters = Math.floor((size - 8) / 6.4);
  pen.fillText(
    events.names[events.name[event]].slice(0, letters),
    left + begin + 4,
    top + kRow / 2 + 1,
  );
}
