// node open.mjs INDEX: how long a browser takes to open a site from file://, until the overview is drawn, and a case and
// its plot. Prints the middle of seven, in milliseconds; each in a new page.
import {pathToFileURL} from 'node:url';
import {resolve} from 'node:path';
import {openBrowser} from './browser.mjs';

const site = pathToFileURL(resolve(process.argv[2])).href;
const {context, close} = await openBrowser({width: 1180, height: 860});

/// From before the address is given until what `selector` means is drawn: two frames later.
async function opened(hash, selector) {
  const page = await context.newPage();
  const begin = performance.now();
  await page.goto(site + hash, {waitUntil: 'commit'});
  await page.waitForSelector(selector);
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  const taken = performance.now() - begin;
  const first = await page.evaluate(() => document.querySelector('.all-cases a.case')?.hash);
  await page.close();
  return {taken, first};
}

async function middle(what, hash, selector) {
  const times = [];
  for (let i = 0; i < 7; ++i) times.push((await opened(hash, selector)).taken);
  times.sort((a, b) => a - b);
  const rounded = times.map((time) => Math.round(time));
  console.log(`${what}: ${rounded[3]} ms (${rounded[0]} to ${rounded[6]})`);
}

try {
  const {first} = await opened('', '.all-cases');
  await middle('overview', '', '.all-cases');
  await middle('a case', first, '.counts .course');
  await middle('all commits', '#/commits?all=1', '.commit-card');
} finally {
  await close();
}
