'use strict';
// The figures of one case, a card each.

/// Nothing where there is no value to show.
function card(title, value, note) {
  if (value === '') return null;
  return el(
    'div',
    {class: 'card'},
    el('div', {class: 'soft small'}, title),
    el('div', {class: 'figure'}, value),
    note && el('div', {class: 'soft small'}, note),
  );
}

function countNote(counts, base) {
  if (base?.before !== undefined) {
    const change = percent(countChange(base)) || 'new';
    return [`base ${figure(base.before)}, `, changeText(base.verdict, change)];
  }
  const of = counts.proven ? ` of ${counts.proven}` : '';
  const replicates = `in ${counts.replicates.length} replicates${of}`;
  if (counts.spread === 0) return 'identical ' + replicates;
  return `spread ${percent(counts.spread).slice(1)} ${replicates}`;
}

function noiseCard(counts, base) {
  if (base?.threshold !== undefined) {
    const moved = base.verdict === 'same' && base.change;
    const note = (moved ? 'the change is within ' : '') + base.threshold_of;
    return card('Threshold', '± ' + count(base.threshold), note);
  }
  if (!counts.floor) return null;
  const [low, high] = counts.floor;
  return card('Noise floor', count(high - low), `${count(low)} to ${count(high)}`);
}

function timeNote(wall, base) {
  if (!base?.time_ratio) return `95 %: ${seconds(wall.low)} to ${seconds(wall.high)}`;
  const change = changeText(base.time_verdict, percent(base.time_change));
  return [`base ${seconds(base.time_before)}, `, change];
}

function timeCards(wall, base) {
  const half = (wall.high - wall.low) / 2;
  const blocks = `${count(wall.samples)} samples of ${count(wall.number)}`;
  return [
    card('Median time', seconds(wall.median, half), timeNote(wall, base)),
    card('IQR', share(wall.iqr, wall.median), `${blocks} in ${wall.children_ns.length} children`),
  ];
}

/// What only some runs ask for.
function optionalCards({denoised, cycles, allocations, bytes}) {
  const size = bytes !== undefined && count(bytes) + ' bytes';
  return [
    denoised !== undefined && card('Denoised', count(denoised), 'without known interpreter noise'),
    cycles !== undefined && card('Estimated cycles', count(cycles)),
    allocations !== undefined && card('Allocations', count(allocations), size),
  ];
}

function cardsOf({counts, wall, base}) {
  return el(
    'div',
    {class: 'cards'},
    counts && card('Instructions per iteration', figure(counts.per), countNote(counts, base)),
    counts && noiseCard(counts, base),
    wall && timeCards(wall, base),
    counts && optionalCards(counts),
  );
}
