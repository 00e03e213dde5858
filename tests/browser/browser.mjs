// A browser of its own for a script: it asks the network for nothing by itself, and its profile goes when it does.
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {chromium} from 'playwright-core';

/// A context of $CHROMIUM with this viewport; `close` ends it, and removes the profile.
export async function openBrowser(viewport) {
  const profile = mkdtempSync(join(tmpdir(), 'tallymark-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM,
    headless: true,
    viewport,
    colorScheme: 'light',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const close = async () => {
    await context.close();
    rmSync(profile, {recursive: true, force: true});
  };
  return {context, close};
}
