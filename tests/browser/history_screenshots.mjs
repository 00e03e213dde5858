// node history_screenshots.mjs: a picture of each view of site/index.html in this folder.
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {openBrowser} from './browser.mjs';

const site = pathToFileURL(resolve('site/index.html')).href;
const {context, close} = await openBrowser({width: 1100, height: 900});
const page = await context.newPage();
const shot = (name) => page.screenshot({path: name + '.png'});

try {
  await page.goto(site);
  await page.waitForSelector('.all-cases');
  await shot('history-overview');

  await page.setViewportSize({width: 1100, height: 1560});
  await page.goto(site + '#/case/' + encodeURIComponent('words/split [cpp length=1000]'));
  await page.waitForSelector('.counts .mark');
  // The newest change, which nobody acknowledged.
  await page.keyboard.press('ArrowLeft');
  await page.waitForSelector('.flame button');
  await shot('history-case');
} finally {
  await close();
}
