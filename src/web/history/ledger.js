'use strict';
// The acknowledged changes, and which of them each entry covers.

function ledgerCovers({steps, drifts, metric}) {
  const changes = [...steps, ...drifts];
  if (!changes.length)
    return (
      ['instructions', 'value'].includes(metric) && el('span', {class: 'tag notice'}, 'no change')
    );
  const line = (change) =>
    el(
      'li',
      {},
      changeOf(change),
      ' ',
      el('a', {href: caseAddress(change.case, change.run?.commit)}, change.case.id),
    );
  return fewFirst(changes, 4, (some) => el('ul', {class: 'list small'}, some.map(line)));
}

function showLedger() {
  document.title = 'Ledger – ' + data.name;
  const columns = [
    {
      title: 'Case',
      value: (line) => line.case,
      cell: (line) => [line.case, el('span', {class: 'sub'}, `${line.metric} up to ${line.up_to}`)],
    },
    {
      title: 'Reason',
      value: (line) => line.reason,
      cell: (line) => [
        line.reason,
        el('span', {class: 'sub'}, [line.owner, line.issue].filter(Boolean).join(' · ')),
      ],
    },
    {
      title: 'Commit',
      value: (line) => line.commit,
      cell: (line) =>
        line.commit && (commitOf(line.commit) ? commitLink(commitOf(line.commit)) : line.commit),
    },
    {
      title: 'Expires',
      small: 'expires',
      value: (line) => line.expires,
      cell: (line) => [
        line.expires,
        ' ',
        line.expired && el('span', {class: 'tag bad'}, 'expired'),
      ],
    },
    {
      title: 'Covers',
      small: 'covers',
      value: (line) => line.steps.length,
      cell: ledgerCovers,
    },
  ];
  const state = {column: -1, direction: 1};
  view.replaceChildren(
    el('h1', {}, 'Ledger'),
    el(
      'p',
      {class: 'facts'},
      'Acknowledged changes, from ',
      el('code', {}, 'tally-accept.toml'),
      '.',
    ),
    site.ledger.length
      ? tableSheet('cases ledger', columns, site.ledger, state)
      : el('p', {class: 'none sheet'}, 'No changes are acknowledged.'),
  );
  window.scrollTo(0, 0);
}
