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

document.addEventListener('keydown', (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape' && typing) event.target.blur();
  if (typing) return;
  const filter = document.getElementById('filter');
  if (event.key === '/' && filter) {
    filter.focus();
    filter.select();
    event.preventDefault();
  }
  const link = {j: 'a[rel=next]', k: 'a[rel=prev]', u: '.back'}[event.key];
  const target = link && view.querySelector(link);
  if (target) location.hash = target.getAttribute('href');
});

document.getElementById('name').textContent = data.name;
route();
