'use strict';
// A table that sorts.

function tableRow(columns, row, attributes) {
  const cells = columns.map((column) => {
    const className = [column.numeric ? 'n' : '', column.className || ''].join(' ').trim();
    const title = column.small || undefined;
    return el('td', {class: className || undefined, 'data-title': title}, column.cell(row));
  });
  return el('tr', attributes, cells);
}

/// A table whose columns sort: columns are {title, value(row), cell(row) → children, numeric,
/// className}.
function sortableTable(className, columns, rows, state, rowAttributes) {
  const body = el('tbody');
  const heads = columns.map((column, index) => {
    const button = el(
      'button',
      {
        type: 'button',
        onclick: () => {
          const first = column.numeric ? -1 : 1;
          state.direction = state.column === index ? -state.direction : first;
          state.column = index;
          draw();
        },
      },
      column.title,
    );
    return el(
      'th',
      {scope: 'col', class: [column.numeric ? 'n' : '', column.className || ''].join(' ')},
      button,
    );
  });
  function draw() {
    heads.forEach((head, index) => {
      if (index === state.column)
        head.setAttribute('aria-sort', state.direction > 0 ? 'ascending' : 'descending');
      else head.removeAttribute('aria-sort');
    });
    const order = rows.map((row, index) => [row, index]);
    const column = columns[state.column];
    if (column) {
      const value = column.value;
      order.sort(([a, i], [b, j]) => {
        const x = value(a),
          y = value(b);
        const missing = (v) => v === undefined || v === null || v === '';
        // Rows without a value stay at the end, whichever way the rest is sorted.
        if (missing(x) || missing(y)) return missing(x) - missing(y) || i - j;
        const compared = typeof x === 'string' ? x.localeCompare(y, 'en', {numeric: true}) : x - y;
        return compared * state.direction || i - j;
      });
    }
    body.replaceChildren(...order.map(([row]) => tableRow(columns, row, rowAttributes?.(row))));
  }
  draw();
  return el('table', {class: className}, el('thead', {}, el('tr', {}, heads)), body);
}

/// The same on a sheet of its own.
function tableSheet(className, columns, rows, state) {
  return el('div', {class: 'sheet'}, sortableTable(className, columns, rows, state));
}
