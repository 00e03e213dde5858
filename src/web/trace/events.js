'use strict';
// The events of a trace as columns, and how busy a row is between two times.

/// Times are nanoseconds since the trace's first event. A track is what is drawn in a row: `order`
/// are its events by `start`, `from` and `until` what each adds to what those before it cover, `sum`
/// the time covered before it. `launched` is the first work that an event launched, or −1.
async function eventsOf(trace) {
  const raw = await unpack(trace.events);
  const number = raw.duration.length;
  const events = {
    names: raw.names,
    start: new Float64Array(number),
    duration: new Float64Array(raw.duration),
    name: new Uint32Array(raw.name),
    kind: new Uint8Array(raw.kind),
    launch: new Int32Array(number),
    launched: new Int32Array(number).fill(-1),
    operators: [],
  };
  for (const row of trace.rows) {
    for (let i = row.first, start = 0, launch = 0; i < row.first + row.count; ++i) {
      start += raw.start[i];
      launch += raw.launch[i];
      events.start[i] = start;
      events.launch[i] = launch - 1;
      if (launch > 0 && events.launched[launch - 1] < 0) events.launched[launch - 1] = i;
    }
  }
  const tracks = [];
  const devices = [...new Set(trace.rows.map((row) => row.device).filter(Boolean))];
  for (const device of devices) {
    const rows = trace.rows.filter((row) => row.device === device);
    const all = rows.map(indices).reduce((a, b) => merged(a, b, events.start));
    tracks.push(trackOf(events, 'Device ' + device, all, true));
    for (const row of rows)
      tracks.push(trackOf(events, 'stream ' + row.label, indices(row), false));
  }
  for (const row of trace.rows.filter((one) => !one.device)) {
    const label = row.operators ? 'operators' : 'thread ' + row.label;
    const track = trackOf(events, label, indices(row), false);
    tracks.push(track);
    if (row.operators) events.operators.push({...row, track});
  }
  return {...events, tracks, rows: trace.rows};
}

function indices(row) {
  const all = new Int32Array(row.count);
  for (let i = 0; i < row.count; ++i) all[i] = row.first + i;
  return all;
}

/// Two lists of events in the order of their starts, as one.
function merged(a, b, start) {
  const all = new Int32Array(a.length + b.length);
  for (let i = 0, j = 0; i + j < all.length;) {
    if (j === b.length || (i < a.length && start[a[i]] <= start[b[j]])) all[i + j] = a[i++];
    else all[i + j] = b[j++];
  }
  return all;
}

function trackOf(events, label, order, sums) {
  const from = new Float64Array(order.length);
  const until = new Float64Array(order.length);
  const start = new Float64Array(order.length);
  const sum = new Float64Array(order.length + 1);
  for (let i = 0, covered = 0; i < order.length; ++i) {
    const event = order[i];
    start[i] = events.start[event];
    const end = start[i] + events.duration[event];
    from[i] = Math.max(start[i], i === 0 ? -Infinity : covered);
    until[i] = Math.max(from[i], end);
    covered = i === 0 ? end : Math.max(covered, end);
    sum[i + 1] = sum[i] + until[i] - from[i];
  }
  return {label, order, start, from, until, sum, sums};
}

/// The operator that a runtime call is in, or −1.
function operatorAround(events, call) {
  const inside = (row) => !row.device && row.first <= call && call < row.first + row.count;
  const thread = events.rows.find(inside);
  const row = events.operators.find((one) => one.label === thread?.label);
  if (!row || thread.operators) return -1;
  const i = upTo(row.track.start, events.start[call]) - 1;
  const found = i < 0 ? -1 : row.track.order[i];
  const end = found < 0 ? -Infinity : events.start[found] + events.duration[found];
  return events.start[call] <= end ? found : -1;
}

/// How many of the rising `values` are not above `limit`.
function upTo(values, limit) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// Nanoseconds covered before `time`: exact, whatever lies between.
function coveredBefore(track, time) {
  const i = upTo(track.from, time) - 1;
  return i < 0 ? 0 : track.sum[i] + Math.min(time, track.until[i]) - track.from[i];
}
