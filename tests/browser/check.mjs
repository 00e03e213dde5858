// What the browser tests share: a page that reports its problems, and the run of named tests.
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {openBrowser} from './browser.mjs';

/// Until `holds` (an async function) says so; the pages forbid what playwright's own waiting does.
export async function until(holds) {
  for (
    const end = Date.now() + 5000;
    !(await holds());
    await new Promise((go) => setTimeout(go, 20))
  )
    if (Date.now() > end) throw new Error('never so: ' + holds);
}

/// {page, shot, check(tests)}: `check` runs them in order and ends the process. A page that throws,
/// prints an error, opens a dialog or asks for anything beyond its file has failed.
export async function openPage(pages) {
  const shots = join(pages, 'screenshots');
  mkdirSync(shots, {recursive: true});
  const {context, close} = await openBrowser({width: 1180, height: 860});
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) problems.push('requested ' + request.url());
  });
  page.on('dialog', (dialog) => {
    problems.push('dialog: ' + dialog.message());
    dialog.dismiss();
  });
  const shot = (name) => page.screenshot({path: join(shots, name + '.png')});
  const check = async (tests) => {
    let failed = 0;
    try {
      for (const [name, test] of Object.entries(tests)) {
        try {
          await test();
          console.log('ok   ' + name);
        } catch (error) {
          ++failed;
          console.log(
            'FAIL ' + name + '\n     ' + String(error.message).replaceAll('\n', '\n     '),
          );
          await shot('failed-' + name.replaceAll(/\W+/g, '-'));
        }
      }
      for (const problem of problems) {
        ++failed;
        console.log('FAIL the page reported: ' + problem);
      }
    } finally {
      await close();
    }
    process.exit(failed ? 1 : 0);
  };
  return {page, shot, check};
}
