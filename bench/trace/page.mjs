/* global timeline, drawTrace, showStretch, panBy */
// node page.mjs RUNS: opens trace.html of this folder so often, and pans it; see page.py.
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {openBrowser} from './browser.mjs';

const url = pathToFileURL(resolve('trace.html')).href;
const runs = Number(process.argv[2] || 3);

/// Milliseconds from the navigation to the first frame that shows the timeline.
const opened = () =>
  new Promise((done) => {
    const look = () => {
      if (document.getElementById('stretch')?.textContent)
        requestAnimationFrame(() => done(performance.now()));
      else requestAnimationFrame(look);
    };
    look();
  });

/// The times between frames of two seconds, in each of which the view moves by a hundredth.
const panned = (part) =>
  new Promise((done) => {
    showStretch(timeline.longest * 0.3, timeline.longest * (0.3 + part));
    const times = [];
    let last = 0;
    const frame = (now) => {
      if (last) times.push(now - last);
      last = now;
      if (times.length && times.reduce((sum, one) => sum + one, 0) > 2000) return done(times);
      panBy(times.length % 40 < 20 ? 0.01 : -0.01);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });

/// What drawing alone takes.
const drawn = (part) => {
  showStretch(timeline.longest * 0.3, timeline.longest * (0.3 + part));
  const times = [];
  for (let i = 0; i < 30; ++i) {
    panBy(i % 2 ? 0.01 : -0.01);
    const begin = performance.now();
    for (const one of timeline.drawn) drawTrace(one.canvas, one.events, timeline, one.selected);
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b);
};

const {context, close} = await openBrowser({width: 1280, height: 800});
try {
  for (let run = 0; run < runs; ++run) {
    const page = await context.newPage();
    await page.goto(url, {waitUntil: 'commit'});
    console.log(`opened in ${((await page.evaluate(opened)) / 1000).toFixed(2)} s`);
    if (run + 1 < runs) {
      await page.close();
      continue;
    }
    for (const part of [1, 0.3, 0.03, 0.003, 0.0003]) {
      const times = await page.evaluate(panned, part);
      const draw = await page.evaluate(drawn, part);
      const all = times.reduce((sum, one) => sum + one, 0);
      const late = times.filter((one) => one > 17.5).length;
      const rate = ((1000 * times.length) / all).toFixed(1);
      console.log(`${part} of it shown: ${rate} frames a second, ${late} of ${times.length} late`);
      console.log(
        `  drawing: ${draw[15].toFixed(1)} ms in the middle, ${draw[29].toFixed(1)} ms at most`,
      );
    }
  }
} finally {
  await close();
}
