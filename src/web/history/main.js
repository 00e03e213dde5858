'use strict';
// Which view of a history is shown (by the address, so that back and bookmarks work and a view can be
// sent), and the keys.

const historyPlaces = [
  ['#/', 'Overview', 'o'],
  ['#/commits', 'Commits', 'c'],
  ['#/ledger', 'Ledger', 'l'],
];

function showNothing(words, what) {
  view.replaceChildren(
    el('h1', {}, 'Not here'),
    el('p', {class: 'none sheet'}, `${words} “${what}”. `, el('a', {href: '#/'}, 'Overview')),
  );
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function routeHistory() {
  caseState.key = null;
  const [place] = location.hash.split('?');
  const [, kind, name] = /^#\/(\w*)\/?(.*)$/.exec(place) || [];
  if (kind === 'case') showHistoryCase(decoded(name));
  else if (kind === 'commit') showCommit(name);
  else if (kind === 'commits') showCommits();
  else if (kind === 'ledger') showLedger();
  else showOverview();
  for (const link of document.querySelectorAll('.places a')) {
    const isHere = link.getAttribute('href') === (place || '#/');
    if (isHere) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

const onOverview = (hash) => hash.replace(/\?.*/, '').replace(/^#\/$/, '') === '';
let leftHash = location.hash;
window.addEventListener('hashchange', () => {
  leftHash = location.hash;
  routeHistory();
  view.focus({preventScroll: true});
});
window.addEventListener(
  'scroll',
  () => {
    if (onOverview(leftHash)) overviewState.scroll = window.scrollY;
  },
  {passive: true},
);

// Within a flame graph arrows go from call to call.
listenToKeys(historyPlaces, (event) => {
  if (!event.target.closest('.flame')) caseState.key?.(event);
});

document.getElementById('name').textContent = data.name;
document.getElementById('theme').before(
  el(
    'nav',
    {class: 'places', 'aria-label': 'Views'},
    historyPlaces.map(([href, title, key]) => el('a', {href, title: `${title} (${key})`}, title)),
  ),
);
routeHistory();
