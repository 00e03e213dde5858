'use strict';
// Which view is shown (by the address, so that back and bookmarks work), and the keys.

function route() {
  const match = /^#\/case\/(\d+)(?:\?|$)/.exec(location.hash);
  if (match) showCase(Number(match[1]));
  else showList();
}

let leaving = location.hash;
window.addEventListener('hashchange', () => {
  leaving = location.hash;
  route();
  view.focus({preventScroll: true});
});
window.addEventListener(
  'scroll',
  () => {
    if (!leaving.startsWith('#/case')) listState.scroll = window.scrollY;
  },
  {passive: true},
);

listenToKeys([], () => {});

document.getElementById('name').textContent = data.name;
route();
