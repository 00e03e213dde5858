'use strict';
// A profile as it is looked at: flame graph, one function between its callers and its callees, and the table.

/// Of a case in Python: whether its Python functions are shown, or the interpreter's own.
function kindToggle(show) {
  const choice = (title, native) =>
    el(
      'button',
      {
        type: 'button',
        class: 'chip',
        'aria-pressed': String(Boolean(viewOf('native')) === native),
        onclick: () => {
          for (const key of ['function', 'zoom', 'find']) keepView(key, undefined);
          keepView('native', native ? 1 : undefined);
          show();
        },
      },
      title,
    );
  return el(
    'div',
    {class: 'chips', role: 'group', 'aria-label': 'Which functions'},
    choice('Python functions', false),
    choice('Native functions', true),
  );
}

/// Filled in when it is unpacked. `native` and `python` promise a profile when they are called; either may be missing.
/// `title` of a profile heads the flame graph.
function profileView({native, python}, title) {
  const place = el('div', {class: 'profile'}, el('p', {class: 'soft'}, 'Unpacking the profile …'));
  const show = (profile) => {
    const between = el('div');
    const select = (f) => {
      const known = f >= 0 && f < profile.functions.length;
      keepView('function', known ? f : undefined);
      between.replaceChildren(...(known ? [sandwich(profile, f, () => select(-1))] : []));
      if (known) between.scrollIntoView({block: 'nearest'});
    };
    place.replaceChildren(
      el('h2', {}, title(profile)),
      python && native ? kindToggle(unpacked) : '',
      flameGraph(profile, select),
      between,
      el('h2', {}, 'Functions'),
      functionTable(profile, select),
    );
    if (viewOf('function')) select(Number(viewOf('function')));
  };
  const unpacked = () => {
    const wanted = python && !(native && viewOf('native')) ? python : native;
    return wanted().then(show, (error) => {
      place.replaceChildren(
        el('p', {class: 'alert'}, 'This browser cannot unpack the profile: ' + error),
      );
    });
  };
  unpacked();
  return place;
}
