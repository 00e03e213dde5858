'use strict';
// A case's source lines, each with its own instructions, in the text of its file.

const kAround = 4;
const unpackedSources = new Map();

/// The lines of a source that the page has, by number.
async function sourceOf(number) {
  if (!unpackedSources.has(number)) {
    const texts = new Map();
    const {runs} = await unpack(data.sources[number]);
    for (const [first, text] of runs)
      text.split('\n').forEach((line, index) => texts.set(first + index, line));
    unpackedSources.set(number, texts);
  }
  return unpackedSources.get(number);
}

const lastName = (path) => path.slice(path.lastIndexOf('/') + 1);

/// By path: as much of its end as no other of the paths has.
function shortNames(paths) {
  const ends = (path, names) => path.split('/').slice(-names).join('/');
  const all = [...new Set(paths)];
  return new Map(
    all.map((path) => {
      let names = 1;
      while (
        names < path.split('/').length &&
        all.some((other) => other !== path && ends(other, names) === ends(path, names))
      )
        ++names;
      return [path, ends(path, names)];
    }),
  );
}

/// {total, compared, files: [{name, short, newer, own, before, texts, rows: [{line, own, before, was, gone}]}],
/// elsewhere}: files with the most cost, or the largest change, first.
async function linesOf(packed) {
  const raw = await unpack(packed);
  const compared = Boolean(raw.before);
  const short = shortNames(raw.files.map(({name}) => name));
  const files = raw.files.map((file) => ({
    ...file,
    ...{short: short.get(file.name), own: 0, before: 0, moved: 0, rows: []},
  }));
  raw.line.forEach((line, n) => {
    const file = files[raw.file[n]];
    const row = {line, own: raw.own[n], before: compared ? raw.before[n] : 0};
    row.was = raw.was?.[n];
    row.gone = raw.gone?.[n];
    file.own += row.own;
    file.before += row.before;
    file.moved += Math.abs(row.own - row.before);
    file.rows.push(row);
  });
  for (const file of files) {
    const known = file.source !== undefined && data.sources[file.source] !== null;
    file.texts = known ? await sourceOf(file.source) : new Map();
  }
  const size = (file) => (compared ? file.moved : 0) || file.own;
  files.sort((a, b) => size(b) - size(a) || b.own - a.own);
  return {total: raw.total, compared, files, elsewhere: raw.elsewhere};
}

/// Rows in the order of the text, with the lines around them and marks where lines are left out.
function rowsInContext(file, whole) {
  const numbers = new Set(file.rows.map((row) => row.line));
  // The page has more of the text where other cases have cost.
  if (whole)
    for (const {line} of file.rows)
      for (let near = line - kAround; near <= line + kAround; ++near)
        if (file.texts.has(near)) numbers.add(near);
  const byLine = new Map();
  for (const row of file.rows) byLine.set(row.line, [...(byLine.get(row.line) || []), row]);
  const shown = [];
  let last = 0;
  for (const line of [...numbers].sort((a, b) => a - b)) {
    if (line > last + 1 && last > 0) shown.push({skip: line - last - 1});
    last = line;
    const here = byLine.get(line) || [];
    const own = here.filter((row) => row.gone === undefined);
    if (line > 0) shown.push(own[0] || {line});
    shown.push(...here.filter((row) => row.gone !== undefined));
  }
  return shown;
}

function sourceRow(row, file, lines, choose) {
  const wide = lines.compared ? 5 : 4;
  const indent = indentOf(file, row.line);
  if (row.skip)
    return el('tr', {class: 'skip'}, el('td', {colspan: wide, title: row.skip + ' lines'}, '⋯'));
  const change = row.own === undefined ? 0 : Math.round((row.own - row.before) * 100) / 100;
  const gone = row.gone !== undefined;
  const name = file.short + ':' + row.line;
  const part = row.own > 0 && lines.total > 0 ? row.own / lines.total : 0;
  const number = el(
    'button',
    {type: 'button', class: 'link no', title: name, onclick: () => choose(name)},
    row.line,
  );
  return el(
    'tr',
    {
      class: gone ? 'gone' : row.own === undefined ? 'around' : 'cost',
      'data-line': gone ? null : name,
    },
    el('td', {class: 'n'}, !gone && number),
    el('td', {class: 'n'}, row.own > 0 && count(row.own)),
    el(
      'td',
      {class: 'share', title: part > 0 ? share(row.own, lines.total) : null},
      part > 0 && el('i', {style: `width: ${(100 * part).toFixed(2)}%`}),
    ),
    lines.compared &&
      el(
        'td',
        {class: 'n'},
        change !== 0 && changeText(change > 0 ? 'slower' : 'faster', signed(change)),
      ),
    el(
      'td',
      {class: 'text'},
      gone ? [indent, el('s', {}, row.gone)] : file.texts.get(row.line) || '',
    ),
  );
}

/// What the line was; only with a base.
function wasRow(row, file) {
  if (row.was === undefined) return null;
  const text = [indentOf(file, row.line), el('s', {}, row.was)];
  const blank = ['number', 'own', 'share', 'change'].map((name) => el('td', {class: name}));
  return el('tr', {class: 'was'}, blank, el('td', {class: 'text'}, text));
}

/// Texts of the base come without what stands before them.
const indentOf = (file, line) => /^\s*/.exec(file.texts.get(line) || '')[0];

function sourceHead({compared}) {
  const head = (className, title) => el('th', {scope: 'col', class: className}, title);
  return el(
    'thead',
    {},
    el(
      'tr',
      {},
      head('number', 'Line'),
      head('own', 'Own'),
      head('share', 'Share'),
      compared && head('change', 'Change'),
      head('text', 'Text'),
    ),
  );
}

function sourceFile(file, lines, whole, choose, open) {
  const change = Math.round((file.own - file.before) * 100) / 100;
  const rows = rowsInContext(file, whole).map((row) => [
    sourceRow(row, file, lines, choose),
    wasRow(row, file),
  ]);
  return el(
    'details',
    {class: 'source', open},
    el(
      'summary',
      {},
      el('code', {}, file.name),
      ' ',
      el('span', {class: 'soft small'}, `${count(file.own)} own, ${share(file.own, lines.total)}`),
      lines.compared &&
        change !== 0 && [' ', changeText(change > 0 ? 'slower' : 'faster', signed(change))],
    ),
    file.newer &&
      el(
        'p',
        {class: 'notice-text source-notes small'},
        'The file is newer than what was compiled from it: its text is not shown.',
      ),
    el('table', {}, sourceHead(lines), el('tbody', {}, rows)),
  );
}

function elsewhereOf({elsewhere, compared, total}) {
  if (elsewhere.length === 0) return null;
  const parts = [...elsewhere]
    .sort((a, b) => b[1] - a[1])
    .map(([object, own, before]) => {
      const change = Math.round((own - before) * 100) / 100;
      return `${object} ${count(own)} (${share(own, total)}${compared && change !== 0 ? ', ' + signed(change) : ''})`;
    });
  return el('p', {class: 'soft small source-notes'}, 'Code without lines: ' + parts.join(', '));
}

/// Filled in when it is unpacked. The address keeps the line that is chosen and whether lines around are left out.
function lineSection(one) {
  const place = el('div', {class: 'lines'});
  const draw = (lines) => {
    const chosen = viewOf('line');
    const whole = !viewOf('lines');
    const choose = (name) => {
      keepView('line', viewOf('line') === name ? undefined : name);
      mark();
    };
    const mark = () => {
      const name = viewOf('line');
      for (const row of place.querySelectorAll('tr[data-line]'))
        row.classList.toggle('chosen', row.dataset.line === name);
    };
    const context = el(
      'button',
      {
        type: 'button',
        class: 'chip',
        'aria-pressed': String(!whole),
        onclick: () => {
          keepView('lines', whole ? 'cost' : undefined);
          draw(lines);
        },
      },
      'Only lines with cost',
    );
    const most = (file, n) => n < 3 || (chosen && chosen.startsWith(file.short + ':'));
    place.replaceChildren(
      el('h2', {}, 'Source lines'),
      el('div', {class: 'chips'}, context),
      el(
        'div',
        {class: 'sheet'},
        lines.files.map((file, n) => sourceFile(file, lines, whole, choose, most(file, n))),
        elsewhereOf(lines),
      ),
    );
    mark();
  };
  linesOf(one.lines).then(
    (lines) => {
      draw(lines);
      if (viewOf('line')) showLine(viewOf('line'));
    },
    (error) =>
      place.replaceChildren(
        el('p', {class: 'alert'}, 'This browser cannot unpack the source lines: ' + error),
      ),
  );
  return place;
}

/// Chooses a line, by its file's path or the end of that, and moves to it; nothing where the page does not have it.
function showLine(name) {
  const rows = [...view.querySelectorAll('.source tr[data-line]')];
  const found = rows.find(({dataset: {line}}) => line === name || name.endsWith('/' + line));
  if (!found) return;
  keepView('line', found.dataset.line);
  for (const row of rows) row.classList.toggle('chosen', row === found);
  found.closest('details').open = true;
  found.scrollIntoView({block: 'center'});
}
