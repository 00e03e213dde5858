'use strict';
// One case: figures, why it moved, growth, distribution, source lines, flame graph, functions, code.

function codeOf(one) {
  const part = (title, text) =>
    text && el('div', {class: 'code'}, el('h3', {}, title), el('pre', {tabindex: 0}, text));
  return el(
    'div',
    {class: 'sheet'},
    part('File scope', one.global_setup),
    part('Setup', one.setup),
    part('Statement', one.stmt),
  );
}

function failureOf(failure) {
  const line = (...content) => el('p', {class: 'small'}, ...content);
  return el(
    'div',
    {class: 'alert'},
    el('p', {}, failure.stage),
    el('pre', {tabindex: 0}, failure.message),
    failure.reproduce && line('reproduce: ', el('code', {}, failure.reproduce)),
  );
}

function notesOf(one) {
  const notes = [
    ...(one.base?.notes || []).filter((note) => note !== one.failure?.message),
    ...(one.base?.environment || []).map((change) => 'environment: ' + change),
    ...one.warnings,
  ];
  const lines = notes.map((note) => el('li', {}, note));
  return lines.length > 0 && el('ul', {class: 'list small'}, lines);
}

function factsOf(one) {
  const flags = one.flags.map((flag) => flag.replaceAll('_', ' '));
  return el(
    'p',
    {class: 'facts'},
    [one.variant, ' ', tag(wordOf(one)), one.base?.cause && ' ' + one.base.cause],
    flags.map((flag) => [' ', el('span', {class: 'tag notice'}, flag)]),
    one.reused && [
      ' ',
      el('span', {class: 'tag', title: 'counted at ' + one.reused}, 'count reused'),
    ],
  );
}

/// Of a command: what its instructions are the sum of, a row for each program that a process executed.
function processesOf(one) {
  const rows = one.processes.map(([place, program, own, start], at) => ({
    at,
    place,
    program,
    own,
    start,
  }));
  const columns = [
    {title: 'Process', value: ({at}) => at, cell: ({place}) => place},
    {title: 'Instructions', numeric: true, value: ({own}) => own, cell: ({own}) => count(own)},
    {
      title: 'Share',
      numeric: true,
      value: ({own}) => own,
      cell: ({own}) => el('span', {class: 'soft'}, share(own, one.counts.per)),
    },
    {
      title: 'Before main()',
      numeric: true,
      className: 'hide-phone',
      value: ({start}) => start,
      cell: ({start}) => count(start),
    },
    {title: 'Program', value: ({program}) => program, cell: ({program}) => program},
  ];
  const state = {column: 0, direction: 1};
  return tableSheet('functions', columns, rows, state);
}

/// Where the instructions of a case go: its profile, and the one of its Python functions.
function profileSections(one) {
  const packed = (text) => text && (() => profileOf(text));
  return profileView(
    {native: packed(one.profile), python: packed(one.python)},
    ({tree}) => 'Where the instructions go' + (tree.before ? ', and what changed' : ''),
  );
}

function sectionsOf(one) {
  const section = (title, content) => [el('h2', {}, title), content];
  return [
    whyOf(one),
    growthOf(data.cases.indexOf(one)),
    one.wall && section('Samples', distribution(one.wall, one.base?.wall)),
    one.processes && one.counts && section('Processes', processesOf(one)),
    one.lines && lineSection(one),
    (one.profile || one.python) && profileSections(one),
    section('Code', codeOf(one)),
  ];
}

function showCase(index) {
  const one = data.cases[index];
  if (!one) {
    showList();
    return;
  }
  document.title = one.label + ' – Tallymark';
  const step = (to, text) =>
    data.cases[to] && el('a', {href: '#/case/' + to, rel: to < index ? 'prev' : 'next'}, text);
  const steps = [step(index - 1, '← previous'), step(index + 1, 'next →')];
  const page = el(
    'div',
    {},
    el('nav', {class: 'steps', 'aria-label': 'Cases'}, steps),
    el('a', {class: 'back', href: '#/'}, 'All cases'),
    el('h1', {}, one.label),
    factsOf(one),
    one.failure && failureOf(one.failure),
    notesOf(one),
    cardsOf(one),
    sectionsOf(one),
    el('p', {class: 'soft small'}, one.id, ' · toolchain ', one.toolchain),
  );
  view.replaceChildren(...page.childNodes);
  window.scrollTo(0, 0);
}
