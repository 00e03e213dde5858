// node screenshots.mjs: one picture of each view of report.html, growth.html and trace.html in this folder.
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {openBrowser} from './browser.mjs';

const url = (name) => pathToFileURL(resolve(name)).href;
const {context, close} = await openBrowser({width: 1100, height: 640});
const page = await context.newPage();
const shot = (name) => page.screenshot({path: name + '.png'});
const size = (width, height) => page.setViewportSize({width, height});
/// Opens the case whose row has all these words, on the list as it is filtered.
async function open(words) {
  await page.goto(url('report.html') + '#/');
  await page.fill('#filter', words);
  await page.locator('a.case').first().click();
  await page.waitForSelector('.flame button');
}

try {
  await page.goto(url('report.html'));
  await page.locator('table.cases th button', {hasText: 'Change'}).first().click();
  await shot('report-table');

  await open('fill / map');
  await size(1100, 1150);
  await shot('report-case');

  await open('nth_element');
  await size(1100, 1150);
  await page.locator('.flame').first().scrollIntoViewIfNeeded();
  await page
    .locator('.flame')
    .first()
    .evaluate((flame) => flame.scrollIntoView({block: 'center'}));
  await size(1100, 640);
  await page
    .locator('.flame')
    .first()
    .evaluate((flame) => flame.scrollIntoView({block: 'center'}));
  await shot('report-differential');

  await page.locator('.lines').evaluate((lines) => lines.scrollIntoView());
  await shot('report-lines');

  await page.goto(url('report.html') + '#/');
  await page.fill('#filter', '');
  await page.click('#theme');
  await shot('report-dark');
  await page.click('#theme');

  await size(390, 760);
  await open('nth_element');
  await shot('report-phone');

  await size(1100, 780);
  await page.goto(url('growth.html'));
  await page.fill('#filter', 'sort cpp n=256');
  await page.locator('a.case').first().click();
  await page.waitForSelector('figure.growth');
  await shot('report-growth');

  await size(1100, 640);
  await page.goto(url('trace.html'));
  await page.waitForSelector('canvas.trace');
  await page.waitForTimeout(500);
  await shot('trace-timeline');
} finally {
  await close();
}
