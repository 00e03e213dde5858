// node report.test.mjs PAGES: opens the written pages from file:// and uses them as a person would.
import assert from 'node:assert/strict';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {openPage, until} from './check.mjs';

const pages = resolve(process.argv[2]);
const url = (name) => pathToFileURL(join(pages, name)).href;

const {page, shot, check} = await openPage(pages);

const column = (n) => page.locator(`table.cases tbody tr td:nth-child(${n})`).allInnerTexts();
const numbers = async (n) =>
  (await column(n))
    .map((text) => text.replace(/[^\d.]/g, ''))
    .filter(Boolean)
    .map(Number);
const header = (name) => page.locator('table.cases th button', {hasText: name}).first();

const tests = {
  async 'the table shows every case'() {
    await page.goto(url('alone.html'));
    assert.equal(await page.locator('table.cases tbody tr').count(), 62);
    assert.match(await page.locator('h1').innerText(), /62 cases/);
    await shot('list');
  },
  async 'columns sort both ways, and rows without a value stay last'() {
    await header('Instructions').click();
    const down = await numbers(2);
    assert.deepEqual(
      down,
      [...down].sort((a, b) => b - a),
    );
    assert.equal(await page.locator('th[aria-sort=descending]').count(), 1);
    await header('Instructions').click();
    const up = await numbers(2);
    assert.deepEqual(
      up,
      [...up].sort((a, b) => a - b),
    );
    assert.equal((await column(2)).at(-1), '');
    await header('Case').click();
    const names = await column(1);
    assert.ok(names[0].localeCompare(names[1], 'en', {numeric: true}) <= 0);
  },
  async 'a small change has its figures, and one from nothing its words'() {
    const texts = await page.evaluate('[2e-6, -1e-9, 0.0123, 12.345, Infinity].map(percent)');
    assert.deepEqual(
      texts.map((text) => text.replace('\u202f', ' ')),
      ['+0.0002 %', '-0.0000001 %', '+1.2 %', '+1,230 %', 'from nothing'],
    );
  },
  async 'files of one name are known by as much of their path as differs'() {
    const names = await page.evaluate(
      "[...shortNames(['/a/x/u.h', '/b/x/u.h', '/a/main.cc', 'u.h']).values()]",
    );
    assert.deepEqual(names, ['a/x/u.h', 'b/x/u.h', 'main.cc', 'u.h']);
  },
  async 'the filter narrows by words, by key and by status'() {
    await page.keyboard.press('/');
    await page.keyboard.type('conv2d py');
    assert.equal(await page.locator('table.cases tbody tr').count(), 5);
    await page.fill('#filter', 'no such thing');
    assert.match(await page.locator('.none').innerText(), /No case matches/);
    await page.fill('#filter', '');
    await page.locator('.chip', {hasText: 'crashed'}).click();
    assert.equal(await page.locator('table.cases tbody tr').count(), 1);
    await page.locator('.chip', {hasText: 'all'}).click();
  },
  async 'a case opens, the address keeps it, back returns'() {
    await page.locator('a.case', {hasText: 'Pointwise / add'}).first().click();
    assert.match(page.url(), /#\/case\/\d+$/);
    assert.match(await page.locator('h1').innerText(), /Pointwise \/ add/);
    assert.equal(await page.locator('.plot .band').count(), 1);
    assert.equal(await page.locator('.plot circle').count(), 150);
    await page.reload();
    assert.match(await page.locator('h1').innerText(), /Pointwise \/ add/);
    await page.keyboard.press('j');
    assert.match(page.url(), /#\/case\/1$/);
    await page.goBack();
    await page.locator('.back').click();
    assert.equal(await page.locator('table.cases').count(), 1);
  },
  async 'the flame graph zooms by click and by keys'() {
    await page.goto(url('compared.html') + '#/case/3');
    await page.waitForSelector('.flame button');
    const frame = page.locator('.flame button', {hasText: 'at::native::add_out'});
    const before = (await frame.boundingBox()).width;
    await frame.click();
    const all = (await page.locator('.flame').boundingBox()).width;
    const after = (
      await page.locator('.flame button', {hasText: 'at::native::add_out'}).boundingBox()
    ).width;
    assert.ok(after > before && Math.abs(after - all) < 2, `${before} → ${after} of ${all}`);
    await page.keyboard.press('ArrowDown');
    assert.match(
      await page.locator('.readout').innerText(),
      /at::(native::add_kernel|TensorIteratorBase::build)/,
    );
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    assert.ok(
      Math.abs(
        (await page.locator('.flame button', {hasText: 'at::native::add_out'}).boundingBox())
          .width - before,
      ) < 2,
    );
    await page.locator('.flame-tools input').fill('compute_shape');
    assert.equal(await page.locator('.flame button.found').count(), 1);
    await page.locator('.flame-tools input').fill('');
  },
  async 'a case in Python shows its Python functions, and its native ones when asked'() {
    await page.goto(url('compared.html') + '#/case/49');
    const frame = (name) => page.locator('.flame').first().locator('button', {hasText: name});
    await frame('ledger.total (ledger.py:3)').waitFor();
    assert.equal(await frame('builtin_sorted').count(), 1);
    await page.locator('table.functions button.link', {hasText: 'ledger.total'}).click();
    assert.match(await page.locator('.sandwich').innerText(), /Python · 350 own/);
    await page.locator('.chip', {hasText: 'Native functions'}).click();
    await frame('at::native::add_out').waitFor();
    assert.equal(await page.locator('.sandwich').count(), 0);
    await until(() => page.url().endsWith('?native=1'));
    await page.reload();
    await frame('at::native::add_out').waitFor();
    await page.locator('.chip', {hasText: 'Python functions'}).click();
    await frame('ledger.total (ledger.py:3)').waitFor();
    await shot('python');
  },
  async 'one function stands between its callers and its callees, and the address keeps it'() {
    await page.goto(url('compared.html') + '#/case/3');
    await page.locator('table.functions button.link', {hasText: 'add_out'}).click();
    const [callers, callees] = await page.locator('.sandwich .flame').all();
    assert.match(await page.locator('.sandwich').innerText(), /add_out[\s\S]*1 call/);
    const top = async (graph, name) =>
      (await graph.locator('button', {hasText: name}).boundingBox()).y;
    assert.ok((await top(callers, 'at::Tensor::add_')) < (await top(callers, 'add_out')));
    assert.ok((await top(callees, 'add_out')) < (await top(callees, 'compute_shape')));
    assert.equal(await callers.locator('button', {hasText: 'compute_shape'}).count(), 0);
    await until(() => /function=\d+/.test(page.url()));
    await page.locator('.flame').first().locator('button', {hasText: 'add_kernel'}).click();
    await page.locator('.flame-tools input').fill('vectorized');
    await until(() => /zoom=\d+&find=vectorized/.test(page.url()));
    await shot('sandwich');
    await page.reload();
    assert.equal(await page.locator('.sandwich h2').innerText(), 'at::native::add_out');
    assert.equal(await page.locator('.flame-tools input').inputValue(), 'vectorized');
    assert.equal(await page.locator('.flame button.found').count(), 1);
    assert.equal(await page.locator('button.reset').isDisabled(), false, 'it is zoomed');
    await page.locator('.sandwich button', {hasText: 'Close'}).click();
    assert.equal(await page.locator('.sandwich').count(), 0);
    await until(() => !page.url().includes('function='));
    await page.locator('.flame button', {hasText: 'add_kernel'}).focus();
    await page.keyboard.press('s');
    assert.equal(await page.locator('.sandwich h2').innerText(), 'at::native::add_kernel');
  },
  async 'source lines have their instructions, in their text, with what the base had'() {
    await page.goto(url('compared.html') + '#/case/8');
    const sources = page.locator('.lines .source');
    await sources.first().waitFor();
    assert.equal(await sources.count(), 3);
    const line = (name) => page.locator(`.lines tr[data-line="${name}"]`);
    const slow = line('edit_distance.cc:73');
    assert.match(await slow.innerText(), /73[\s\S]*diagonal = row\.at\(j \+ 1\);/);
    assert.match(await page.locator('.lines tr.was').innerText(), /diagonal = row\[j \+ 1\];/);
    assert.match(await page.locator('.lines tr.gone').innerText(), /-20[\s\S]*row\.reserve/);
    assert.match(await line('edit_distance.cc:74').innerText(), /<img src=x/, 'markup is text');
    assert.ok((await slow.locator('.share i').boundingBox()).width > 5);
    // Nothing above the function is shown but what stands around it.
    assert.equal(await line('edit_distance.cc:65').count(), 0);
    assert.match(await line('edit_distance.cc:66').innerText(), /helper_56/);
    assert.match(
      await page.locator('.lines').innerText(),
      /edited_since\.h[\s\S]*newer than what was compiled/,
    );
    assert.match(
      await page.locator('.lines').innerText(),
      /Code without lines: libc\.so 120 .*\+20/,
    );
    await page.locator('.lines').scrollIntoViewIfNeeded();
    await shot('lines');
  },
  async 'a line is chosen, and the address keeps it and whether others are shown'() {
    const around = page.locator('.lines tr.around');
    assert.ok((await around.count()) > 5);
    await page.locator('.lines .chip', {hasText: 'Only lines with cost'}).click();
    assert.equal(await around.count(), 0);
    assert.equal(await page.locator('.lines tr[data-line="edit_distance.cc:73"]').count(), 1);
    await page.locator('.lines button.no', {hasText: '73'}).click();
    await until(() => /lines=cost&line=edit_distance\.cc%3A73/.test(page.url()));
    await page.reload();
    const chosen = page.locator('.lines tr.chosen');
    await chosen.waitFor();
    assert.match(await chosen.innerText(), /row\.at/);
    assert.equal(await around.count(), 0);
    await page.locator('.lines .chip', {hasText: 'Only lines with cost'}).click();
    assert.ok((await around.count()) > 5);
    await page.locator('.lines button.no', {hasText: '73'}).click();
    assert.equal(await chosen.count(), 0);
    await until(() => !/[?&]line=/.test(page.url()));
    await page.locator('.lines summary').first().click();
    assert.equal(await page.locator('.lines button.no', {hasText: '73'}).isVisible(), false);
  },
  async 'the line that moved leads to its source, and the site that allocates is named'() {
    await page.goto(url('compared.html') + '#/case/8');
    await page.locator('.lines .source').first().waitFor();
    const why = page.locator('.why');
    assert.match(
      await why.innerText(),
      /lines? that moved ha(s|ve)[\s\S]*edit_distance\.cc:73[\s\S]*was diagonal/,
    );
    assert.match(await why.innerText(), /\+1 allocation of 64 B in at::empty from mylib::resize/);
    await why.locator('button.link', {hasText: 'edit_distance.cc:73'}).click();
    assert.match(await page.locator('.lines tr.chosen').innerText(), /row\.at/);
    const box = await page.locator('.lines tr.chosen').boundingBox();
    assert.ok(box.y > 0 && box.y < 860, `it is seen: ${box.y}`);
    await until(() => /line=edit_distance/.test(page.url()));
  },
  async 'a case without lines has no such section, and one without a base no changes'() {
    await page.goto(url('compared.html') + '#/case/3');
    await page.waitForSelector('.flame button');
    assert.equal(await page.locator('.lines').count(), 0);
    await page.goto(url('alone.html') + '#/case/0');
    await page.locator('.lines .source').first().waitFor();
    assert.equal(await page.locator('.lines tr.was, .lines tr.gone, .lines .bad-text').count(), 0);
    assert.match(await page.locator('.lines').innerText(), /row\[j \+ 1\]/);
  },
  async 'why a case moved is said first'() {
    await page.goto(url('compared.html') + '#/case/3');
    const why = page.locator('.why');
    assert.match(await why.innerText(), /compute_shape/);
    assert.match(await why.innerText(), /of all movement/);
    await page.locator('.flame button', {hasText: 'compute_shape'}).hover();
    assert.match(await page.locator('.readout').innerText(), /the function: 1 call per iteration/);
  },
  async 'what became slower is named, with its function first'() {
    const first = page.locator('table.functions tbody tr').first();
    assert.match(await first.innerText(), /compute_shape[\s\S]*\+240/);
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.setViewportSize({width: 1180, height: 1240});
    await shot('case');
    await page.setViewportSize({width: 1180, height: 860});
    await page.goto(url('compared.html'));
    assert.match(await page.locator('h1').innerText(), /2 slower/);
    await page.locator('.chip', {hasText: 'slower'}).click();
    assert.equal(await page.locator('table.cases tbody tr').count(), 2);
    await page.locator('.chip', {hasText: 'all'}).click();
    await page.locator('table.cases th button', {hasText: 'Change'}).first().click();
    await shot('compared');
  },
  async 'what was measured is said, of both sides where they differ'() {
    await page.goto(url('compared.html') + '#/');
    const line = page.locator('.measured');
    assert.equal(
      await line.innerText(),
      'measured: mill 1234567890 and changes that are not committed → ' +
        'fedcba0987 and changes that are not committed · clang 19.1.4 · torch 2.5.1 → 2.6.0 · Valgrind 3.19.0',
    );
    assert.deepEqual(await line.locator('b').allInnerTexts(), [
      'mill 1234567890 and changes that are not committed → fedcba0987 and changes that are not committed',
      'torch 2.5.1 → 2.6.0',
    ]);
    const differences = page.locator('details.differences');
    assert.equal(await differences.locator('table').isVisible(), false);
    await differences.locator('summary').click();
    assert.deepEqual(await differences.locator('tbody tr').allInnerTexts(), [
      'torch\t2.5.1\t2.6.0',
      'libtorch_cpu.so\t11111111…\t22222222…',
    ]);
    await shot('differences');
    assert.deepEqual(await page.locator('main > details > summary').allInnerTexts(), [
      'Versions and files that differ (2)',
      'Machine, settings and environments of the new side',
      'Machine, settings and environments of the base',
    ]);
    await page.goto(url('alone.html') + '#/');
    assert.match(await line.innerText(), /^measured: mill 1234567890 [\s\S]* torch 2\.5\.1/);
    assert.equal(await page.locator('details.differences').count(), 0);
  },
  async 'a change within the floor says that it is'() {
    await page.goto(url('compared.html') + '#/');
    await page.fill('#filter', 'indexing conv2d cpp');
    const note = page.locator('.cases .sub', {hasText: 'within ± 5'});
    assert.equal(await note.count(), 1);
    assert.match(await note.getAttribute('title'), /is within the floor of 5 instructions$/);
    await shot('within');
    await page.locator('a.case').click();
    assert.match(
      await page.locator('.cards').innerText(),
      /± 5\s+the change is within the floor of 5 instructions/,
    );
    await page.goto(url('compared.html') + '#/');
    await page.fill('#filter', '');
  },
  async 'markup in labels, functions, code and messages is text'() {
    await page.locator('a.case', {hasText: 'onerror'}).click();
    assert.match(await page.locator('h1').innerText(), /<img src=x onerror/);
    assert.match(await page.locator('pre').last().innerText(), /<script>/);
    await page.locator('.flame button', {hasText: '<img'}).click();
    await page.goto(url('compared.html') + '#/case/61');
    assert.match(await page.locator('.alert').innerText(), /SIGSEGV/);
    assert.equal(await page.locator('main img, main script').count(), 0);
    assert.doesNotMatch(await page.title(), /pwned/);
    await shot('failure');
  },
  async 'light and dark, by choice and remembered while open'() {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.click('#theme');
    assert.notEqual(await paper(), light);
    await page.goto(url('compared.html') + '#/case/3');
    await shot('case-dark');
    await page.goto(url('compared.html') + '#/');
    await shot('compared-dark');
    await page.click('#theme');
  },
  async 'growth with a number is plotted with its fit, and each point leads to its case'() {
    await page.goto(url('growth.html'));
    const rows = page.locator('table.growths tbody tr');
    assert.equal(await rows.count(), 2);
    assert.match(await rows.first().innerText(), /find by halves[\s\S]*O\(log n\)\s*exactly/);
    await rows.first().locator('a').click();
    assert.match(await page.locator('h1').innerText(), /find by halves/);
    const counts = page.locator('figure.growth[data-metric=counts]');
    assert.equal(await page.locator('figure.growth').count(), 2);
    // Nine cases have a count, the tenth crashed; both lines are fitted.
    assert.equal(await counts.locator('circle.point').count(), 9);
    assert.equal(await counts.locator('polyline.fit').count(), 2);
    assert.match(await counts.innerText(), /cpp O\(log n\) exactly: 22 \+ 12 · log₂ n/);
    assert.match(await counts.innerText(), /py O\(n\) exactly: 1,000 \+ 40 · n/);
    const heights = await counts
      .locator('.line-0 circle')
      .evaluateAll((circles) => circles.map((circle) => Number(circle.getAttribute('cy'))));
    assert.deepEqual(
      heights,
      [...heights].sort((a, b) => b - a),
    );
    await page.evaluate(() => window.scrollTo(0, 0));
    await shot('growth');
    await counts.locator('a[aria-label="cpp n=4: 46"]').click();
    assert.match(await page.locator('.facts').innerText(), /cpp n=4/);
    assert.equal(await page.locator('figure.growth circle.this').count(), 2);
  },
  async 'two numbers are drawn and not fitted, and cases without any have no plot'() {
    await page.goto(url('growth.html') + '#/case/12');
    assert.equal(await page.locator('figure.growth').count(), 2);
    assert.equal(await page.locator('polyline.fit').count(), 0);
    assert.match(await page.locator('figure.growth').first().innerText(), /drawn, not fitted/);
    await page.goto(url('growth.html') + '#/case/0');
    assert.equal(await page.locator('figure.growth').count(), 0);
    await page.goto(url('alone.html') + '#/');
    assert.equal(await page.locator('table.growths').count(), 0);
  },
  async 'a phone shows all of it without sideways scrolling'() {
    await page.setViewportSize({width: 390, height: 844});
    for (const [name, file, where] of [
      ['phone-list', 'compared.html', '#/'],
      ['phone-case', 'compared.html', '#/case/3'],
      ['phone-alone', 'alone.html', '#/'],
      ['phone-lines', 'compared.html', '#/case/8'],
      ['phone-growth-list', 'growth.html', '#/'],
      ['phone-growth', 'growth.html', '#/case/4'],
    ]) {
      await page.goto(url(file) + where);
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      );
      assert.ok(over <= 0, `${name} is ${over} px too wide`);
      await shot(name);
    }
    await page.setViewportSize({width: 1180, height: 860});
  },
  async 'everything is reached by keyboard'() {
    await page.goto(url('alone.html') + '#/');
    await page.evaluate(() => document.activeElement.blur());
    const seen = new Set();
    for (let i = 0; i < 20; ++i) {
      await page.keyboard.press('Tab');
      seen.add(
        await page.evaluate(() => {
          const e = document.activeElement;
          return e.id || e.className || e.tagName;
        }),
      );
    }
    for (const place of ['brand', 'theme', 'filter', 'chip', 'case'])
      assert.ok(seen.has(place), `${place} not reached: ${[...seen]}`);
  },
};

await check(tests);
