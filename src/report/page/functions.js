'use strict';
// The table of a case's functions, against the base where there is one.

function functionTable(one) {
  const compared = one.functions.length > 0 && one.functions[0].length > 4;
  const rows = one.functions.map(([name, object, exclusive, inclusive, base]) => ({
    name: data.strings[name],
    object: data.strings[object],
    exclusive,
    inclusive,
    base,
  }));
  const total = one.counts ? one.flame.totals[0] : 0;
  const columns = [
    {
      title: 'Function',
      value: (f) => f.name,
      cell: (f) => [
        el('span', {style: 'overflow-wrap:anywhere'}, f.name),
        el('span', {class: 'sub'}, f.object),
      ],
    },
    {title: 'Own', numeric: true, value: (f) => f.exclusive, cell: (f) => count(f.exclusive)},
    {
      title: 'Share',
      numeric: true,
      className: 'hide-phone',
      value: (f) => f.exclusive,
      cell: (f) => el('span', {class: 'soft'}, share(f.exclusive, total)),
    },
    {
      title: 'With calls',
      numeric: true,
      className: 'hide-phone',
      value: (f) => f.inclusive,
      cell: (f) => count(f.inclusive),
    },
  ];
  if (compared) {
    columns.push(
      {
        title: 'Base',
        numeric: true,
        className: 'hide-phone',
        value: (f) => f.base,
        cell: (f) => count(f.base),
      },
      {
        title: 'Change',
        numeric: true,
        value: (f) => f.exclusive - f.base,
        cell: (f) => {
          const delta = Math.round((f.exclusive - f.base) * 10) / 10;
          return delta === 0
            ? el('span', {class: 'soft'}, '0')
            : el('span', {class: delta > 0 ? 'bad-text' : 'good-text'}, signed(delta));
        },
      },
    );
  }
  const state = compared ? {column: 5, direction: -1} : {column: 1, direction: -1};
  return el('div', {class: 'sheet'}, sortableTable('functions', columns, rows, state));
}
