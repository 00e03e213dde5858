'use strict';
// Why a case moved: what `tally explain` says, in a panel.

function whyOf(one) {
  const {why} = one;
  const moved = why && why.verdict !== 'same' && (why.functions.length > 0 || why.disagreement);
  if (!moved) return false;
  const path = why.path.map(({function: name, before, after}) =>
    el(
      'li',
      {},
      el('code', {}, name),
      ' ',
      changeText(after > before ? 'slower' : 'faster', signed(after - before)),
    ),
  );
  const named = (functions) =>
    functions
      .slice(0, 12)
      .map((f) =>
        el(
          'li',
          {},
          changeText(f.after > f.before ? 'slower' : 'faster', signed(f.after - f.before)),
          ' ',
          el('code', {}, f.function),
          f.calls_before !== f.calls_after &&
            ` called ${count(f.calls_before)} → ${count(f.calls_after)} times`,
        ),
      );
  const events = why.events.map(({event, before, after, estimated_cycles: cycles}) =>
    el('li', {}, `${signed(cycles)} estimated cycles: ${event} ${count(before)} → ${count(after)}`),
  );
  const list = (title, items, className) =>
    items.length > 0 && [el('h3', {}, title), el('ul', {class: 'list small ' + className}, items)];
  const covered = (functions, all, part, kind) =>
    `${functions.length} of ${all} ${kind}function${all === 1 ? '' : 's'} that moved ` +
    `${functions.length === 1 ? 'has' : 'have'} ${share(part, 1)} of all movement`;
  const python = why.python_functions || [];
  const pythonCovered = covered(python, why.python_functions_moved, why.python_share, 'Python ');
  const kind = python.length > 0 ? 'native ' : '';
  const nativeCovered = covered(why.functions, why.functions_moved, why.share, kind);
  return [
    el('h2', {}, 'Why'),
    el(
      'div',
      {class: 'sheet why'},
      why.disagreement &&
        el('p', {class: 'notice-text'}, 'Count and time disagree: ' + why.disagreement),
      list('Where', path.length > 1 ? path : [], 'path'),
      list(pythonCovered, named(python), ''),
      list(nativeCovered, named(why.functions), ''),
      list('Simulated caches and branches', events, ''),
    ),
  ];
}
