'use strict';
// One function between those that call it, above, and those that it calls, below.

function sandwich(profile, f, close) {
  const whole = flameTree(profile.tree, profile.functions);
  const one = profile.functions[f];
  const part = (title, tree, up) => {
    const graph = flameBox(tree, title, up);
    drawFlame(graph);
    const empty = tree.parent.length === 1;
    return [
      el('h3', {}, title),
      empty
        ? el(
            'p',
            {class: 'soft small'},
            up ? 'Nothing: the statement begins here.' : 'Nothing shown.',
          )
        : [graph.box, graph.readout],
    ];
  };
  const figures = [
    `${count(one.own)} own`,
    one.all !== null && `${count(one.all)} with what it calls`,
    callsOf(one),
    one.before && `own ${signed(one.own - one.before.own)} against the base`,
  ];
  const inTree = whole.function.includes(f);
  return el(
    'div',
    {class: 'sandwich'},
    el(
      'div',
      {class: 'flame-tools'},
      el('h2', {}, one.name),
      el('button', {type: 'button', onclick: close}, 'Close'),
    ),
    el('p', {class: 'soft'}, [one.object, ...figures].filter(Boolean).join(' · ')),
    inTree
      ? [
          part('Callers', treeAround(whole, f, true), true),
          part('Callees', treeAround(whole, f, false), false),
        ]
      : el('p', {class: 'soft small'}, 'Its calls are too small to be shown.'),
  );
}
