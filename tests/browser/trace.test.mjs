// node trace.test.mjs PAGES: the page of traces from file://, used as a person would.
import assert from 'node:assert/strict';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {openPage, until} from './check.mjs';

const pages = resolve(process.argv[2]);
const url = (name) => pathToFileURL(join(pages, name)).href;
const {page, shot, check} = await openPage(pages);

const canvas = page.locator('canvas.trace').first();
const stretch = () => page.locator('#stretch').innerText();
const labels = 118; // Pixels of the rows' names.
/// Where a time (µs) of a trace of 260 µs is, in the row: the device, its streams, the thread's
/// operators, the thread.
async function place(time, row) {
  const box = await canvas.boundingBox();
  const top = [23, 46 + 10, 66 + 10, 86 + 10, 106 + 10][row];
  return {x: box.x + labels + ((box.width - labels) * time) / 260, y: box.y + top};
}
const click = async (time, row) => {
  const {x, y} = await place(time, row);
  await page.mouse.click(x, y);
};
const readout = () => page.locator('.readout').first().innerText();

await check({
  async 'an event says what it is, and leads to its launch and back'() {
    await page.goto(url('trace.html'));
    await canvas.waitFor();
    assert.match(await stretch(), /0 to 260/);
    await click(50, 1);
    assert.match(
      await readout(),
      /gemm_kernel · compute · 60\.0.µs from 20\.0.µs · 20\.0.µs after its launch · in aten::linear/,
    );
    await page.locator('.readout button', {hasText: 'launch'}).first().click();
    assert.match(
      await readout(),
      /cudaLaunchKernel · launch · 5\.00.µs from 0 · in aten::linear · launched gemm_kernel/,
    );
    await shot('trace');
    await page.locator('.readout button', {hasText: 'gemm_kernel'}).click();
    assert.match(await readout(), /gemm_kernel · compute/);
  },
  async 'the outermost operators have a row above their thread, and work leads to its own'() {
    await page.goto(url('trace.html'));
    await canvas.waitFor();
    await click(25, 3);
    assert.match(await readout(), /^aten::linear · operator · 30\.0.µs from 0$/);
    await click(240, 1);
    assert.doesNotMatch(await readout(), / · in /, 'it was launched outside of any');
    await click(50, 1);
    await page.locator('.readout button', {hasText: 'aten::linear'}).click();
    assert.match(await readout(), /^aten::linear · operator/);
    assert.match(await page.locator('.legend').first().innerText(), /operator/);
  },
  async 'wheel and keys zoom, drag moves, the address keeps it'() {
    await page.goto(url('trace.html'));
    await canvas.waitFor();
    const {x, y} = await place(50, 1);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -600);
    await until(() => page.url().includes('from='));
    const zoomed = await stretch();
    assert.notEqual(zoomed, '0 to 260 µs (260 µs)');
    await page.mouse.down();
    await page.mouse.move(x - 100, y, {steps: 4});
    await page.mouse.up();
    assert.notEqual(await stretch(), zoomed);
    const kept = await stretch();
    await page.reload();
    await canvas.waitFor();
    await until(async () => (await stretch()) === kept);
    await canvas.focus();
    await page.keyboard.press('w');
    await until(async () => (await stretch()) !== kept);
    await page.keyboard.press('0');
    await until(async () => /^0 to 260/.test(await stretch()));
    assert.doesNotMatch(page.url(), /from=/);
  },
  async 'a cause shows its longest gaps, and a gap is gone to'() {
    await page.goto(url('trace.html'));
    await page.locator('.cause', {hasText: 'synchronise'}).click();
    assert.match(await page.locator('.gaps').innerText(), /100.µs from 120.µs/);
    await page.locator('.cause', {hasText: 'kernel'}).click();
    assert.match(await page.locator('.gaps').innerText(), /10\.0.µs from 80\.0.µs/);
    await page.locator('.gaps button').first().click();
    await until(async () => /70\.0.µs to 100.µs/.test(await stretch()));
    assert.ok(await page.locator('.cause', {hasText: 'other'}).isDisabled());
  },
  async 'an event inside another is drawn and can be clicked'() {
    await page.goto(url('trace.html'));
    await canvas.waitFor();
    // A call within the synchronising one, 60 to 180 µs.
    await click(105, 4);
    assert.match(await readout(), /cudaLaunchKernel · launch · 10\.0.µs from 100.µs/);
    await click(150, 4);
    assert.match(await readout(), /cudaDeviceSynchronize/);
  },
  async 'kernels sort, names from a trace are text'() {
    await page.goto(url('trace.html'));
    const first = () => page.locator('table.kernels tbody tr').first().innerText();
    assert.match(await first(), /gemm_kernel/);
    await page.locator('table.kernels th button', {hasText: 'Kernel'}).click();
    assert.match(await first(), /<img src=x/);
    assert.equal(await page.locator('main img').count(), 0);
    assert.doesNotMatch(await page.title(), /pwned/);
  },
  async 'ranks show the same stretch, and a comparison what changed'() {
    await page.goto(url('ranks.html'));
    assert.equal(await page.locator('canvas.trace').count(), 2);
    await page.goto(url('changed.html'));
    assert.match(
      await page.locator('table.changes tbody tr').first().innerText(),
      /gemm_kernel[\s\S]*\+25\.0/,
    );
    await shot('trace-changed');
  },
  async 'very many events are drawn, each pixel as busy as they are'() {
    await page.goto(url('many.html'));
    await canvas.waitFor();
    await page.waitForTimeout(200);
    const painted = await canvas.evaluate((it) => {
      const {data: pixels} = it.getContext('2d').getImageData(0, 50, it.width, 1);
      let blue = 0;
      for (let i = 0; i < pixels.length; i += 4) blue += pixels[i + 2] > pixels[i] + 20;
      return blue / (pixels.length / 4);
    });
    assert.ok(painted > 0.8, `${painted} of the row is painted`);
    await shot('trace-many');
  },
  async 'dark, and a phone without sideways scrolling'() {
    await page.goto(url('trace.html'));
    await page.click('#theme');
    await shot('trace-dark');
    await page.click('#theme');
    await page.setViewportSize({width: 390, height: 844});
    await page.goto(url('changed.html'));
    await canvas.waitFor();
    const over = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    assert.ok(over <= 0, `${over} px too wide`);
    await shot('trace-phone');
  },
});
