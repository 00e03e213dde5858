// node notebook.mjs: a picture of each cell of notebook.html in this folder.
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {openBrowser} from './browser.mjs';

const {context, close} = await openBrowser({width: 860, height: 640});
try {
  const page = await context.newPage();
  await page.goto(pathToFileURL(resolve('notebook.html')).href);
  const cells = page.locator('.jp-CodeCell');
  await page.locator('summary', {hasText: 'flame graph'}).first().click();
  for (const [index, name] of ['python-measure', 'python-compare'].entries()) {
    await cells.nth(index).screenshot({path: name + '.png'});
  }
} finally {
  await close();
}
