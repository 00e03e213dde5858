'use strict';
// Why a case moved: what `tally explain` says, in a panel.

/// A line that moved, leading to it in its source.
function whyLine({object, file, line, before, after, text, text_before: was, gone}, short) {
  const name = object ? lastName(object) : short.get(file) + ':' + line;
  const place =
    object || gone
      ? el('code', {}, name)
      : el(
          'button',
          {type: 'button', class: 'link', onclick: () => showLine(file + ':' + line)},
          el('code', {}, name),
        );
  return el(
    'li',
    {},
    changeText(after > before ? 'slower' : 'faster', signed(after - before)),
    ' ',
    place,
    ' ',
    object && el('span', {class: 'soft'}, '(code without lines)'),
    gone && el('span', {class: 'soft'}, 'gone: '),
    text && el('code', {}, text),
    was && [el('span', {class: 'soft'}, ' was '), el('code', {class: 'soft'}, was)],
  );
}

function whyOf(one) {
  const {why} = one;
  const moved =
    why && why.verdict !== 'same' && (why.functions.length > 0 || why.lines || why.disagreement);
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
  const short = shortNames((why.lines || []).flatMap(({file}) => file ?? []));
  const lines = (why.lines || []).slice(0, 12).map((line) => whyLine(line, short));
  const sites = (why.allocation_sites || []).slice(0, 8).map(({text}) => el('li', {}, text));
  const list = (title, items, className) =>
    items.length > 0 && [el('h3', {}, title), el('ul', {class: 'list small ' + className}, items)];
  const covered = (shown, all, part, kind) =>
    `${shown.length} of ${all} ${kind}${all === 1 ? '' : 's'} that moved ` +
    `${shown.length === 1 ? 'has' : 'have'} ${share(part, 1)} of all movement`;
  const python = why.python_functions || [];
  const pythonCovered = covered(
    python,
    why.python_functions_moved,
    why.python_share,
    'Python function',
  );
  const kind = python.length > 0 ? 'native function' : 'function';
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
      lines.length > 0 &&
        list(covered(why.lines, why.lines_moved, why.lines_share, 'line'), lines, ''),
      sites.length > 0 &&
        list(
          `${why.allocation_sites.length} of ${why.allocation_sites_moved} ` +
            (why.allocation_sites_moved === 1 ? 'allocation site' : 'allocation sites') +
            ' that changed',
          sites,
          '',
        ),
      list('Simulated caches and branches', events, ''),
    ),
  ];
}
