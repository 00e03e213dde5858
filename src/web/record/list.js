'use strict';
// The first view: what was measured, on what, and every case in a table that filters and sorts.

const listState = {text: '', word: '', sort: firstSort(), scroll: 0};

function runFacts(run) {
  const date = run.started.replace('T', ' ').replace('Z', ' UTC');
  const taken = run.seconds && `${Math.round(run.seconds)} s`;
  return [date, run.cpu, `${run.cpus} CPUs`, run.system, taken].filter(Boolean).join(' · ');
}

/// Every verdict that occurs and how often, the worst first.
function verdicts() {
  const order =
    'failed,crashed,timeout,gone,slower,changed environment,faster,not compared,new,same,ok,skipped';
  const totals = new Map();
  for (const one of data.cases) totals.set(wordOf(one), (totals.get(wordOf(one)) || 0) + 1);
  const place = (word) => order.split(',').indexOf(word);
  return [...totals].sort(([a], [b]) => place(a) - place(b));
}

/// Each word of the filter occurs in what the case is called.
function matches(one) {
  if (listState.word && wordOf(one) !== listState.word) return false;
  const name = `${one.id} ${one.label} ${one.variant}`.toLowerCase();
  const wanted = listState.text.toLowerCase().split(/\s+/);
  return wanted.every((part) => name.includes(part));
}

function listHead() {
  const total = `${data.cases.length} ${data.cases.length === 1 ? 'case' : 'cases'}`;
  const against = data.base && el('span', {}, el('br'), 'against ' + runFacts(data.base));
  return [
    el('h1', {}, data.summary || total),
    el('p', {class: 'facts small'}, runFacts(data.run), against),
    measuredLine(),
    differenceTable(),
  ].filter(Boolean);
}

/// The list's controls call `draw` when they changed what is shown.
function chipsFor(draw) {
  const chip = (word, label, total) => {
    const choose = () => {
      listState.word = word;
      draw();
    };
    const attributes = {type: 'button', class: 'chip', 'data-word': word, onclick: choose};
    return el('button', attributes, label + ' ', el('b', {}, total));
  };
  return el(
    'div',
    {class: 'chips', role: 'group', 'aria-label': 'Show'},
    chip('', 'all', data.cases.length),
    verdicts().map(([word, total]) => chip(word, word, total)),
  );
}

function filterFor(draw) {
  return el('input', {
    id: 'filter',
    type: 'search',
    placeholder: 'Filter cases',
    'aria-label': 'Filter cases',
    value: listState.text,
    oninput: (event) => {
      listState.text = event.target.value;
      draw();
    },
  });
}

function showList() {
  document.title = data.name + ' – Tallymark';
  const sheet = el('div', {class: 'sheet'});
  const draw = () => {
    const rows = data.cases.filter(matches);
    sheet.replaceChildren(
      rows.length
        ? sortableTable('cases', caseColumns(), rows, listState.sort)
        : el('p', {class: 'none'}, 'No case matches.'),
    );
    for (const chip of chips.children)
      chip.setAttribute('aria-pressed', chip.dataset.word === listState.word);
  };
  const chips = chipsFor(draw);
  view.replaceChildren(
    ...listHead(),
    ...changePicture(),
    chips,
    el('div', {class: 'tools'}, filterFor(draw), el('kbd', {}, '/')),
    sheet,
    ...[growthTable()].flat().filter(Boolean),
    ...environmentDetails(),
  );
  draw();
  window.scrollTo(0, listState.scroll);
}
