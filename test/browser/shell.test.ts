// The frame of the page in a real browser: it opens, keeps no token in the address, and is moved by keys alone.

import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { built } from '../support/dist.ts';
import { violations } from './support/axe.ts';
import { hold } from './support/held.ts';
import { holdLaterScripts, laterScripts } from './support/later-scripts.ts';
import { goByKeys, newPage } from './support/page.ts';
import { served } from './support/served.ts';

test('the page opens from the address that cadre serve prints, and the token leaves the address', async () => {
  const server = await served({ example: 'lighthouse' });
  const page = await newPage();
  await page.goto(server.openUrl);
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
  await expect.poll(() => new URL(page.url()).search).toBe('');
  await page.reload();
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
});

test('places, the palette and the list of keys are reached by keys alone', async () => {
  const server = await served({ example: 'lighthouse' });
  const page = await newPage();
  await page.goto(server.openUrl);
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor(); // the places are seen before the keys work
  await goByKeys(page, 'a', '/agents');
  await page.getByText(/^\d agents?$/).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'New run' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'New run' }).waitFor({ state: 'detached' });
  await expect.poll(() => new URL(page.url()).pathname).toBe('/agents');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('runs');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/runs');
});

test('a new run that is asked for before the agents are known proposes the first of them when they are', async () => {
  const server = await served({ example: 'lighthouse' });
  const page = await newPage();
  const release = await hold(page, '**/api/cadre');
  await page.goto(server.at('/agents'));
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'New run' }).waitFor();
  release();
  await page.getByRole('dialog', { name: 'New run' }).getByText('Ask detective').waitFor();
});

test('the shell is seen before the script has arrived, and the script moves nothing of it', async () => {
  const server = await served({ example: 'lighthouse' });
  const page = await newPage();
  await page.goto(server.openUrl);
  const release = await hold(page, '**/assets/*.js');
  await page.goto(new URL('/runs', server.openUrl).href, { waitUntil: 'commit' });
  const shell = page.locator('.brand span, .top nav a');
  await shell.last().waitFor();
  await expect.poll(() => page.evaluate<number>('document.styleSheets.length')).toBe(1);
  const places = () => shell.evaluateAll((all) => all.map((one) => [one.textContent, one.getBoundingClientRect().x]));
  const before = await places();
  expect(before.map(([text]) => text)).toEqual(['Cadre', 'Chat', 'Runs', 'Agents', 'Tests', 'Approvals']);
  expect(await violations(page)).toEqual([]);
  release();
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
  await expect.poll(places).toEqual(before);
  await expect.poll(() => page.locator('.app').count()).toBe(1);
});

test('once the runs stand there the other screens are loaded, and are shown without the server', async () => {
  const server = await served({ example: 'lighthouse' });
  const page = await newPage();
  const isLater = laterScripts();
  const files = readdirSync(built('page/assets')).filter((file) => isLater(new URL(`http://any/assets/${file}`)));
  expect(files.length).toBeGreaterThan(5);
  await page.goto(server.openUrl);
  const loaded = () => page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  await expect
    .poll(async () => {
      const names = await loaded();
      return files.filter((file) => !names.some((name) => name.endsWith(file)));
    })
    .toEqual([]);
  await page.route(isLater, (route) => route.abort());
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByText(/^\d agents?$/).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'New run' }).getByText('Ask detective').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'New run' }).waitFor({ state: 'detached' });
  await goByKeys(page, 'w', '/approvals');
  await page.getByText('Nothing waits for you').waitFor();
});

test('a start dialog whose script is late takes the focus when it comes, over a screen with one title', async () => {
  const server = await served({ example: 'lighthouse' });
  const page = await newPage();
  await page.goto(server.openUrl);
  const release = await holdLaterScripts(page);
  await page.goto(server.at('/agents/detective/start'));
  await page.locator('.bone').first().waitFor();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1);
  release();
  const dialog = page.getByRole('dialog', { name: 'Start detective' });
  await dialog.waitFor();
  const focused = "document.activeElement?.matches('[role=dialog] textarea')";
  await expect.poll(() => page.evaluate<boolean>(focused)).toBe(true);
  await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1);
  await page.keyboard.press('Escape');
  await page.waitForURL('**/agents/detective');
  await dialog.waitFor({ state: 'detached' });
});

test('a screen that cannot be loaded says so, and is loaded by another try', async () => {
  const server = await served({ example: 'lighthouse' });
  const page = await newPage({ expected: /Failed to load resource|net::ERR_FAILED/ });
  await page.route(laterScripts(), (route) => route.abort());
  await page.goto(server.at('/approvals'));
  await page.getByRole('heading', { level: 1, name: 'This screen could not be loaded' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Nothing waits for you').waitFor();
});
