// The frame of the page in a real browser: it opens, keeps no token in the address, and is moved by keys alone.

import { expect, test } from 'vitest';
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
