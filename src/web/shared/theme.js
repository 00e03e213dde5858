'use strict';
// Light or dark: what the system has, until somebody chooses.

const root = document.documentElement;
const system = window.matchMedia('(prefers-color-scheme: dark)');
let chosen = null;
try {
  chosen = localStorage.getItem('tallymark-theme');
} catch {
  // A page from file:// may be denied storage; the choice then lasts as long as the page.
}
const paint = () => {
  root.dataset.theme = chosen || (system.matches ? 'dark' : 'light');
};
system.addEventListener('change', paint);
document.getElementById('theme').addEventListener('click', () => {
  chosen = root.dataset.theme === 'dark' ? 'light' : 'dark';
  try {
    localStorage.setItem('tallymark-theme', chosen);
  } catch {
    // Denied, as above.
  }
  paint();
});
paint();
