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
  const named = why.functions.map((f) =>
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
  const covered =
    `${named.length} of ${why.functions_moved} functions that moved ` +
    `have ${share(why.share, 1)} of all movement`;
  return [
    el('h2', {}, 'Why'),
    el(
      'div',
      {class: 'sheet why'},
      why.disagreement &&
        el('p', {class: 'notice-text'}, 'Count and time disagree: ' + why.disagreement),
      list('Where', path.length > 1 ? path : [], 'path'),
      list(covered, named.slice(0, 12), ''),
      list('Simulated caches and branches', events, ''),
    ),
  ];
}
