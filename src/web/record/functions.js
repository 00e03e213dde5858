'use strict';
// The table of a case's functions, against the base where there is one.

/// As many as are read: those with the most cost of their own, and those that changed most.
function functionsShown(functions) {
  const most = (value, size) =>
    functions
      .filter((f) => value(f) !== 0)
      .sort((a, b) => Math.abs(value(b)) - Math.abs(value(a)))
      .slice(0, size);
  const changed = (f) => (f.before ? f.own - f.before.own : 0);
  return [...new Set([...most((f) => f.own, 40), ...most(changed, 20)])];
}

/// `select(f)` receives the function that the user chose.
function functionTable(profile, select) {
  const {functions} = profile;
  const compared = Boolean(profile.tree.before);
  const total = profile.tree.total[0];
  const columns = [
    {
      title: 'Function',
      value: (f) => f.name,
      cell: (f) => [
        el(
          'button',
          {
            type: 'button',
            class: 'link',
            title: 'Callers and callees',
            onclick: () => select(functions.indexOf(f)),
          },
          f.name,
        ),
        el('span', {class: 'sub'}, f.object),
      ],
    },
    {title: 'Own', numeric: true, value: (f) => f.own, cell: (f) => count(f.own)},
    {
      title: 'Share',
      numeric: true,
      className: 'hide-phone',
      value: (f) => f.own,
      cell: (f) => el('span', {class: 'soft'}, share(f.own, total)),
    },
    {
      title: 'With calls',
      numeric: true,
      className: 'hide-phone',
      value: (f) => f.all ?? undefined,
      cell: (f) => count(f.all),
    },
    {
      title: 'Calls',
      numeric: true,
      className: 'hide-phone',
      value: (f) => f.calls || undefined,
      cell: (f) => callsOf(f).replace(/ calls?$/, ''),
    },
  ];
  if (compared) {
    columns.push(
      {
        title: 'Base',
        numeric: true,
        className: 'hide-phone',
        value: (f) => f.before.own,
        cell: (f) => count(f.before.own),
      },
      {
        title: 'Change',
        numeric: true,
        value: (f) => f.own - f.before.own,
        cell: (f) => {
          const delta = Math.round((f.own - f.before.own) * 10) / 10;
          return delta === 0
            ? el('span', {class: 'soft'}, '0')
            : el('span', {class: delta > 0 ? 'bad-text' : 'good-text'}, signed(delta));
        },
      },
    );
  }
  const state = compared ? {column: 6, direction: -1} : {column: 1, direction: -1};
  const rows = functionsShown(functions);
  return tableSheet('functions', columns, rows, state);
}
