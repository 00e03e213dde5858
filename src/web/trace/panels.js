'use strict';
// The figures of a trace: utilization by window, idle time by cause with its longest gaps, kernels.

/// "12.3 µs", of whole nanoseconds.
const nanoseconds = (value) => (value === 0 ? '0' : seconds(value * 1e-9));

const causes = [
  ['host', 'host_wait_ns', 'The next work was launched too late'],
  ['kernel', 'kernel_wait_ns', 'Launched in time, but the device had not started it'],
  ['synchronise', 'synchronisation_ns', 'The launching thread waited for the device'],
  ['other', 'other_ns', 'No launch of the next work is known'],
];

function utilizationTable(device) {
  const columns = [
    {title: 'Window', value: (w) => w.name, cell: (w) => w.name},
    {
      title: 'Length',
      numeric: true,
      value: (w) => w.window_ns,
      cell: (w) => nanoseconds(w.window_ns),
    },
  ];
  const part = (title, value) =>
    columns.push({title, numeric: true, value, cell: (w) => share(value(w), w.window_ns)});
  part('Busy', (w) => w.busy_ns);
  part('Compute', (w) => w.compute_ns);
  part('Exposed communication', (w) => w.exposed_comm_ns);
  part('Exposed copies', (w) => w.exposed_memory_ns);
  part('Idle', (w) => w.idle_ns);
  const rows = [{...device, name: 'first to last work'}];
  if (device.steps_window) rows.push({...device.steps_window, name: 'all steps'});
  rows.push(...(device.steps || []));
  return tableSheet('windows', columns, rows, {column: -1, direction: 1});
}

/// A button for each cause; its longest gaps below, each of which can be gone to.
function idlePanel(trace, device) {
  const place = el('div', {class: 'gaps'});
  const show = (number) => {
    const gaps = trace.gaps.filter((gap) => gap[0] === device.device && gap[3] === number);
    const line = ([, start, length]) =>
      el(
        'li',
        {},
        el(
          'button',
          {
            type: 'button',
            class: 'link',
            onclick: () => {
              showStretch(start - length, start + 2 * length);
              document.querySelector('canvas.trace').scrollIntoView({block: 'nearest'});
            },
          },
          `${nanoseconds(length)} from ${nanoseconds(start)}`,
        ),
      );
    place.replaceChildren(
      el('h4', {}, `Longest gaps: ${causes[number][2].toLowerCase()}`),
      el('ol', {class: 'list small'}, gaps.slice(0, 20).map(line)),
    );
  };
  const buttons = causes.map(([name, key, words], number) =>
    el(
      'button',
      {
        type: 'button',
        class: 'cause',
        title: words,
        onclick: () => show(number),
        disabled: !device.idle_causes[key],
      },
      el('b', {}, share(device.idle_causes[key], device.idle_ns) || '0'),
      ` ${name}, ${nanoseconds(device.idle_causes[key])}`,
    ),
  );
  return [el('div', {class: 'causes'}, buttons), place];
}

function kernelTable(kernels) {
  const columns = [
    {
      title: 'Kernel',
      value: (k) => k.name,
      cell: (k) => el('span', {style: 'overflow-wrap:anywhere'}, k.name),
    },
    {title: 'Count', numeric: true, value: (k) => k.count, cell: (k) => count(k.count)},
    {title: 'Total', numeric: true, value: (k) => k.total_ns, cell: (k) => nanoseconds(k.total_ns)},
    {
      title: 'Mean',
      numeric: true,
      className: 'hide-phone',
      value: (k) => k.total_ns / k.count,
      cell: (k) => nanoseconds(k.total_ns / k.count),
    },
    {title: 'Share', numeric: true, value: (k) => k.share, cell: (k) => share(k.share, 1)},
  ];
  return tableSheet('kernels', columns, kernels, {column: 2, direction: -1});
}

function kernelChanges(kernels) {
  const columns = [
    {
      title: 'Kernel',
      value: (k) => k.name,
      cell: (k) => el('span', {style: 'overflow-wrap:anywhere'}, k.name),
    },
    {
      title: 'Before',
      numeric: true,
      value: (k) => k.before_ns,
      cell: (k) => nanoseconds(k.before_ns),
    },
    {title: 'After', numeric: true, value: (k) => k.after_ns, cell: (k) => nanoseconds(k.after_ns)},
    {
      title: 'Count',
      numeric: true,
      className: 'hide-phone',
      value: (k) => k.count_after - k.count_before,
      cell: (k) =>
        k.count_before === k.count_after
          ? count(k.count_after)
          : `${k.count_before} → ${k.count_after}`,
    },
    {
      title: 'Change',
      numeric: true,
      value: (k) => k.difference_ns,
      cell: (k) =>
        changeText(
          k.difference_ns > 0 ? 'slower' : 'faster',
          (k.difference_ns > 0 ? '+' : '') + nanoseconds(k.difference_ns),
        ),
    },
  ];
  return tableSheet('changes', columns, kernels, {column: 4, direction: -1});
}
