'use strict';
// The page of traces: a timeline of each, and their figures.

function traceSection(trace, events) {
  const name = trace.path.split('/').pop();
  const kinds = [...new Set(events.kind)].sort();
  return el(
    'section',
    {},
    el('h2', {}, name),
    el('p', {class: 'soft small'}, trace.reading),
    trace.doubts && el('p', {class: 'small'}, el('strong', {}, trace.doubts)),
    traceCanvas(events, name),
    el(
      'p',
      {class: 'legend'},
      kinds.map((kind) =>
        el(
          'span',
          {class: 'legend'},
          el('i', {style: `background:${kindColours[kind]}`}),
          kindWords[kind],
        ),
      ),
    ),
    trace.left_out > 0 &&
      el(
        'p',
        {class: 'soft small'},
        `The ${count(trace.left_out)} shortest events, ${nanoseconds(trace.left_out_ns)} in all, are not drawn and ` +
          'not part of the utilization above the rows. All figures below include them.',
      ),
    trace.figures.devices.map((device, i) => [
      el('h3', {}, 'Device ' + device.device),
      utilizationTable(device),
      el('h4', {}, `Idle ${nanoseconds(device.idle_ns)}, by cause`),
      idlePanel(trace, device),
      el('h4', {}, 'Kernels'),
      kernelTable(data.full_names ? device.kernels_by_name : device.kernels_by_short_name),
      trace.more_kernels[i] > 0 &&
        el(
          'p',
          {class: 'soft small'},
          `… and ${count(trace.more_kernels[i])} more kernels of less time (tally trace --kernels 0 shows all)`,
        ),
    ]),
  );
}

async function showTraces() {
  const loaded = await Promise.all(data.traces.map(eventsOf));
  timeline.longest = Math.max(1, ...data.traces.map((trace) => trace.length_ns));
  const help =
    'Zoom with the wheel, w and s; move by dragging or with a and d; 0 shows all. The row above a ' +
    'device’s streams shows how busy it is. A pixel with several events is shaded by how busy its row is.';
  view.replaceChildren(
    el('h1', {}, 'GPU utilization'),
    el('p', {class: 'soft small'}, help, ' Shown: ', el('span', {id: 'stretch'})),
    ...data.traces.map((trace, i) => traceSection(trace, loaded[i])),
    ...(data.diff || []).map((device) =>
      el(
        'section',
        {},
        el('h2', {}, `What changed, device ${device.after}`),
        kernelChanges(device.kernels),
      ),
    ),
  );
  const from = Number(viewOf('from'));
  const to = Number(viewOf('to'));
  if (to > from) showStretch(from, to);
  else showStretch(0, timeline.longest);
  window.addEventListener('resize', redraw);
  new MutationObserver(redraw).observe(document.documentElement, {attributeFilter: ['data-theme']});
}

document.getElementById('name').textContent = data.name;
showTraces().catch((error) => {
  view.replaceChildren(
    el('p', {class: 'alert'}, 'This browser cannot unpack the traces: ' + error),
  );
});
