// The frame of the page in a real browser: it opens, keeps no token in the address, and is moved by keys alone.

import { expect, test } from 'vitest';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { served } from './support/served.ts';

test('the page opens from the address that cadre serve prints, and the token leaves the address', async () => {
  const server = await served({ example: 'lighthouse' });
  const page = await newPage();
  await page.goto(server.openUrl);
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
  expect(new URL(page.url()).search).toBe('');
  await page.reload();
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
});

test('places, the palette and the list of keys are reached by keys alone', async () => {
  const server = await served({ example: 'lighthouse' });
  const page = await newPage();
  await page.goto(server.openUrl);
  await page.getByRole('navigation').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.waitForURL('**/agents');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('runs');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/runs');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
  await page.keyboard.press('n');
  await page.waitForURL('**/agents/detective/start');
});

test('the shell is seen before the script has arrived, and the script moves nothing of it', async () => {
  const server = await served({ example: 'lighthouse' });
  const page = await newPage();
  await page.goto(server.openUrl);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/assets/*.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(new URL('/runs', server.openUrl).href, { waitUntil: 'commit' });
  const shell = page.locator('.brand span, .top nav a');
  await shell.last().waitFor();
  const places = () => shell.evaluateAll((all) => all.map((one) => [one.textContent, one.getBoundingClientRect().x]));
  const before = await places();
  expect(before.map(([text]) => text)).toEqual(['Cadre', 'Runs', 'Agents', 'Tests', 'Approvals']);
  expect(await violations(page)).toEqual([]);
  release();
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
  expect(await places()).toEqual(before);
  expect(await page.locator('.app').count()).toBe(1);
});
