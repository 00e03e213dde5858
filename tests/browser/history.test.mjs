// node history.test.mjs PAGES: opens the site in PAGES/history from file:// and uses it as a person would.
import assert from 'node:assert/strict';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {openPage, until} from './check.mjs';

const pages = resolve(process.argv[2]);
const site = pathToFileURL(join(pages, 'history', 'index.html')).href;
const {page, shot, check} = await openPage(pages);

/// Anew, so that nothing of the view before is left.
async function open(hash) {
  await page.goto('about:blank');
  await page.goto(site + hash);
}
const text = (selector) => page.locator(selector).first().innerText();
const address = (id) => '#/case/' + encodeURIComponent(id);
const atCommit = (digit) => `?at=${digit}00000000000`;
const sum = 'words/sum [cpp]';
const count = 'words/count [cpp length=1000]';

const tests = {
  async 'the overview shows unacknowledged and recent changes, and drifts'() {
    await open('');
    assert.match(await text('h1'), /^4 unacknowledged changes/);
    assert.match(await text('.facts'), /9 of 10 commits measured/);
    assert.equal(await page.locator('table.findings tbody tr').count(), 4);
    assert.match(await text('table.findings'), /words\/drifts[\s\S]*\+3.%[\s\S]*7 small changes/);
    assert.match(await text('table.drifts'), /10,000 → 10,305/);
    assert.equal(await page.locator('table.all-cases tbody tr').count(), 8);
    // An acknowledged change, and one that became faster, is no finding.
    assert.doesNotMatch(await text('table.findings'), /words\/sum/);
    assert.ok((await page.locator('.commit-card').count()) >= 3);
    await shot('history-overview');
  },
  async 'the filter narrows the cases, and the address keeps it'() {
    await page.keyboard.press('/');
    await page.keyboard.type('count 1000');
    assert.equal(await page.locator('table.all-cases tbody tr').count(), 1);
    await page.reload();
    assert.equal(await page.locator('table.all-cases tbody tr').count(), 1);
    assert.equal(await page.inputValue('#filter'), 'count 1000');
    await page.fill('#filter', '');
  },
  async 'a case opens from the overview, with its counts as steps and its times'() {
    await open('');
    await page.locator('table.all-cases a.case', {hasText: 'words/sum'}).click();
    await page.waitForSelector('.counts .course');
    assert.equal(await text('h1'), 'words/sum');
    assert.equal(await page.locator('.counts .mark').count(), 1);
    assert.equal(await page.locator('.counts .mark.agreed').count(), 1);
    assert.equal(await page.locator('.times .band').count(), 1);
    assert.match(await text('.cards'), /6,600/);
    await page.goBack();
    await page.waitForSelector('table.all-cases');
  },
  async 'a click on a step shows its commit, who acknowledged it, and the functions that moved'() {
    await open(address(sum));
    await page.waitForSelector('.counts .mark');
    await page.locator('.counts .mark').click({force: true});
    await page.waitForSelector('.flame button');
    assert.match(await text('.step-panel'), /8000000000 Grace: Sum remainders/);
    assert.match(await text('.step-panel'), /\+224.%\s*2,007 → 6,508\s*acknowledged/i);
    assert.match(await text('.step-panel'), /remainders are wanted · Ada · #12 · until 2027-06-30/);
    assert.match(await text('table.functions tbody tr'), /remainder[\s\S]*\+4,501/);
    const link = page.locator('.step-panel a.elsewhere');
    assert.match(
      await link.getAttribute('href'),
      /^https:\/\/example\.org\/commit\/8[0-9a-f]{39}$/,
    );
    assert.ok(page.url().endsWith(atCommit(8)), page.url());
    await shot('history-case');
  },
  async 'the address restores what was looked at'() {
    await page.locator('table.functions button.link', {hasText: 'remainder'}).click();
    await until(() => page.url().includes('function='));
    await page.reload();
    await page.waitForSelector('.sandwich');
    assert.match(await text('.step-panel'), /Sum remainders/);
    assert.equal(await page.locator('.counts .chosen[visibility=visible]').count(), 1);
  },
  async 'keys go from change to change, to the next case, and back'() {
    await open(address(count));
    await page.waitForSelector('.counts .mark');
    await page.keyboard.press('ArrowLeft');
    assert.match(await text('.step-panel'), /\+29.%/);
    await page.keyboard.press('ArrowLeft');
    assert.match(await text('.step-panel'), /-12.%/);
    await page.keyboard.press('ArrowRight');
    assert.match(await text('.step-panel'), /\+29.%/);
    await page.keyboard.press('Shift+ArrowRight');
    assert.match(await text('.step-panel'), /9,010 instructions, no change/);
    await page.keyboard.press('j');
    await until(async () => (await text('h1')) === 'words/sum');
    await page.keyboard.press('k');
    await until(async () => (await text('h1')) === 'words/count');
    await page.keyboard.press('u');
    await page.waitForSelector('table.all-cases');
    await page.keyboard.press('c');
    await until(async () => /measured commits/.test(await text('h1')));
    await page.keyboard.press('l');
    await until(async () => (await text('h1')) === 'Ledger');
  },
  async 'a change that several commits may have made names each'() {
    await open(address(count) + atCommit(3));
    await page.waitForSelector('.step-panel');
    assert.match(await text('.step-panel'), /One of 2 commits/);
    assert.match(await text('.step-panel'), /Hoist the lookup/);
    assert.match(await text('.step-panel'), /Check every index/);
    assert.equal(await page.locator('.counts .unsure').count(), 1);
  },
  async 'a drag looks closer, Escape shows all'() {
    await open(address(count));
    await page.waitForSelector('.counts .mark');
    const box = await page.locator('.counts').boundingBox();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.5, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.98, y, {steps: 4});
    await page.mouse.up();
    await until(() => /from=/.test(page.url()));
    assert.equal(await page.locator('.counts .mark').count(), 1);
    await page.reload();
    await page.waitForSelector('.counts .mark');
    assert.equal(await page.locator('.counts .mark').count(), 1);
    await page.keyboard.press('Escape');
    await until(() => !/from=/.test(page.url()));
    assert.equal(await page.locator('.counts .mark').count(), 2);
  },
  async 'what is under the pointer is read out'() {
    await page.locator('.counts').hover({position: {x: 90, y: 60}});
    assert.match(
      await text('.course-box + .readout'),
      /a000000000 · Ada: Count words · 8,009 instr/,
    );
  },
  async 'seams and environments are shown, and break the line'() {
    await open(address('words/redefined [cpp]'));
    await page.waitForSelector('.counts .seam');
    assert.match(await page.locator('.counts .course').getAttribute('d'), /^M[^M]*M[^M]*$/);
    assert.equal(await page.locator('.counts .epoch').count(), 1);
    assert.match(await text('table.changes'), /new series[\s\S]*the definition changed/);
    // Counts agree in both environments here, so this line continues; of the other case they do not.
    await open(address(sum));
    await page.waitForSelector('.counts .epoch');
    assert.match(await page.locator('.counts .course').getAttribute('d'), /^M[^M]*M[^M]*$/);
    assert.match(await text('table.changes'), /\+1\.4.%\s*6,508 → 6,600/);
  },
  async 'a change of time is nominated, on the plot, at its commit, and is no finding'() {
    await open(address('words/crashes [cpp]'));
    await page.waitForSelector('.times .mark.provisional');
    await page.keyboard.press('ArrowLeft');
    assert.match(await text('.step-panel'), /time \+20.%, p 0\.0007, provisional, 10.0?.?ns → 12/);
    assert.match(await text('table.changes'), /time\s*\+20.%/);
    await open('#/commit/5000000');
    assert.match(await text('#view'), /Times that may have changed[\s\S]*words\/crashes/);
  },
  async 'a commit shows what it changed, and one that was not measured says so'() {
    await open('#/commit/7000000');
    assert.match(await text('table.cases'), /\+100.%[\s\S]*70 → 140[\s\S]*unacknowledged/);
    await open('#/commit/2000000');
    assert.match(await text('#view'), /6 cases have the same counts, 1 starts a new series/);
    await open('#/commit/4000000');
    assert.match(await text('#view'), /not measured[\s\S]*included in 3000000000/);
    await page.locator('a[rel=prev]').click();
    await until(async () => /#\/commit\/500000000000$/.test(page.url()));
    await shot('history-commit');
  },
  async 'commits are listed, those without changes when asked, and filtered'() {
    await open('#/commits');
    assert.equal(await page.locator('.commit-card').count(), 8);
    await page.locator('.chip', {hasText: 'all measured'}).click();
    assert.equal(await page.locator('.commit-card').count(), 10);
    await page.fill('#filter', 'grace blanks');
    assert.equal(await page.locator('.commit-card').count(), 1);
    await page.reload();
    assert.equal(await page.locator('.commit-card').count(), 1);
  },
  async 'the ledger says what each line agrees to, what has expired, what agrees to nothing'() {
    await open('#/ledger');
    const rows = await page.locator('table.ledger tbody tr').allInnerTexts();
    assert.match(rows[0], /words\/sum \*[\s\S]*remainders are wanted[\s\S]*\+224.% words\/sum/);
    assert.match(rows[1], /expired[\s\S]*no change/);
  },
  async 'a case that was never counted, and what is not there, say so'() {
    await open(address('words/never [cpp]'));
    assert.match(await text('#view'), /Never counted/);
    await open('#/case/no%20such%20case');
    assert.match(await text('h1'), /Not here/);
    await open('#/commit/0123456789');
    assert.match(await text('h1'), /Not here/);
    await open('#/case/%');
    assert.match(await text('h1'), /Not here/);
  },
  async 'names made of markup are text everywhere'() {
    const evil =
      "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>";
    const views = ['', '#/commits', '#/ledger', '#/commit/7000000'];
    for (const hash of [...views, address(evil + '/"quoted" & ?#% [cpp]') + atCommit(7)]) {
      await open(hash);
      await page.waitForSelector('h1');
      if (hash.startsWith('#/case')) await page.waitForSelector('.step-panel');
      assert.ok((await text('#view')).includes(evil), hash);
      assert.equal(await page.locator('#view img, #view script').count(), 0, hash);
      assert.notEqual(await page.title(), 'pwned', hash);
    }
  },
  async 'a history of one commit shows its cases'() {
    const first = pathToFileURL(join(pages, 'first', 'index.html')).href;
    await page.goto('about:blank');
    await page.goto(first + address('group 0/case 0 [cpp]'));
    await page.waitForSelector('svg.counts');
    assert.equal(await page.locator('.counts .dot').count(), 1);
    assert.equal(await page.locator('.times .dot').count(), 1);
    assert.doesNotMatch(await page.content(), /NaN/);
    assert.equal(await page.locator('.alert').count(), 0);
    await shot('history-first');
  },
  async 'dark follows the system, and the button changes it'() {
    await page.emulateMedia({colorScheme: 'dark'});
    await open(address(sum) + atCommit(8));
    await page.waitForSelector('.counts .mark');
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
    await shot('history-dark');
    await page.click('#theme');
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'light');
    await page.emulateMedia({colorScheme: 'light'});
  },
  async 'on a phone nothing is wider than the screen'() {
    await page.setViewportSize({width: 360, height: 740});
    const views = ['', '#/commits', '#/ledger', '#/commit/7000000', '#/commit/2000000'];
    for (const hash of [...views, address(sum) + atCommit(8), address(count) + atCommit(3)]) {
      await open(hash);
      await page.waitForSelector('h1');
      if (hash.startsWith('#/case')) await page.waitForSelector('.step-panel');
      const [wide, screen] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        window.innerWidth,
      ]);
      assert.ok(wide <= screen, `${hash}: ${wide} of ${screen}`);
    }
    await shot('history-phone');
    await page.setViewportSize({width: 1180, height: 860});
  },
};

await check(tests);
