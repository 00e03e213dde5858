'use strict';
// The keys that every page has: / into the filter and Esc out of it, j and k to what comes next and before, u up, and
// a letter for each of the page's places.

/// `places`: [[address, title, key]]. What is none of these keys is given to `others`.
function listenToKeys(places, others) {
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
    const [to] = places.find(([, , key]) => key === event.key) || [];
    const link = {j: 'a[rel=next]', k: 'a[rel=prev]', u: '.back'}[event.key];
    const target = to || (link && view.querySelector(link)?.getAttribute('href'));
    if (target) location.hash = target;
    else others(event);
  });
}
