// A run as a file in a real browser with the network off: read with and without a script, in both modes, on a phone.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { folderWith } from '../support/cli.ts';
import { violations } from './support/axe.ts';
import { longJournal } from './support/journals.mjs';
import { newPage, type PageOptions } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { type Served, served } from './support/served.ts';

let dir = '';
let desk = '';
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cadre-exported-'));
  desk = join(dir, 'desk.html');
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** The file that the server gives. */
async function exported(server: Served, run: string, file: string): Promise<void> {
  const token = new URL(server.openUrl).searchParams.get('token');
  const url = new URL(`/api/runs/${run}/export`, server.openUrl);
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  expect([response.status, response.headers.get('content-disposition')]).toEqual([
    200,
    expect.stringContaining('attachment; filename'),
  ]);
  writeFileSync(file, await response.text());
}

/** Opens it from the disk, and holds that nothing but the file is asked for. */
async function opened(file: string, options: PageOptions = {}): Promise<Page> {
  const page = await newPage({ offline: true, ...options });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  onTestFinished(() => expect(asked.filter((url) => !/^(?:file|data):/.test(url))).toEqual([]));
  await page.goto(pathToFileURL(file).href);
  return page;
}

test('the page gives a run as a file, which opens without a server and says what the page says', async () => {
  const server = await served({ example: 'help-desk' });
  const run = await server.run('front-desk', 'The mirror of my sextant arrived broken. Please refund order 17.');
  const live = await newPage({ expected: /ERR_CONNECTION_REFUSED/ }); // it ends while the page is open
  await live.goto(server.at(`/runs/${run}`));
  await live.getByRole('button', { name: 'More' }).click();
  const [download] = await Promise.all([
    live.waitForEvent('download'),
    live.getByRole('menuitem', { name: 'Export as a file' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^front-desk-\d{8}-\d{6}\.html$/);
  await download.saveAs(desk);
  await server.stop();
  const page = await opened(desk, { javaScriptEnabled: false });
  await page.getByRole('heading', { level: 1, name: 'front-desk answered by refund-order' }).waitFor();
  await page.getByText('189.50 EUR are on their way back to you').first().waitFor();
  await expect.poll(() => page.getByRole('treegrid', { name: 'Who worked when' }).getByRole('row').count()).toBe(7);
  await expect.poll(() => page.getByRole('region', { name: 'Every model call' }).locator('tbody tr').count()).toBe(9);
  await page.getByText('Conversation, 5 sessions').click();
  await page.locator('.ex-session > summary', { hasText: 'risk' }).click();
  await page.getByRole('list', { name: 'Conversation of risk' }).getByText('Low. The history says').first().waitFor();
  await page.getByText('Journal, 40 events').click();
  await page.getByText('the run of front-desk begins').waitFor();
  await page.getByText('Agents as the run had them, 8 files').click();
  await page.locator('.ex-file summary', { hasText: 'refunds.md' }).click();
  await page.locator('.ex-file[open]').getByText('description:').waitFor();
  await page.locator('.why-steps a.op').first().click();
  await expect.poll(() => new URL(page.url()).hash).toMatch(/^#op-0\.\d/);
});

/** The times above the rows that run into the one after them. */
const tickGaps = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const ticks = [...document.querySelectorAll('.axis .t > span:not(.sr)')].map((one) => one.getBoundingClientRect());
    const seen = ticks.filter(({ width }) => width > 0);
    return seen.filter(({ right }, at) => seen[at + 1] !== undefined && right > seen[at + 1].left).map(({ x }) => x);
  })()`);

test.each(['light', 'dark'] as const)(
  'axe finds nothing in it, in %s, at the desk and on a phone',
  async (colorScheme) => {
    const server = await served({ example: 'ship-room' });
    const run = await server.run('release-lead', 'Ship it.');
    const file = join(dir, `ship-${colorScheme}.html`);
    await exported(server, run, file);
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const page = await opened(file, { colorScheme, viewport });
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      expect(await violations(page)).toEqual([]);
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await expect.poll(() => page.locator('.ex-tl').evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
      await expect.poll(() => tickGaps(page)).toEqual([]);
    }
  },
);

test('a script adds a search that opens what it finds, and a zoom that leaves the names in view', async () => {
  const page = await opened(desk);
  const search = page.getByRole('searchbox', { name: 'Search in this run' });
  await search.fill('first order');
  await page.locator('.talk-entry:visible', { hasText: 'first order' }).first().waitFor();
  await expect.poll(() => page.locator('.ex-journal tbody tr:visible', { hasText: 'the run of' }).count()).toBe(0);
  await search.fill('');
  await expect.poll(() => page.locator('.talk-entry:visible').count()).toBe(0);
  const time = page.locator('.ex-tl');
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect.poll(() => time.evaluate((one) => one.scrollWidth > one.clientWidth * 3)).toBe(true);
  const place = await time.locator('.who').first().boundingBox();
  await time.evaluate((one) => one.scrollTo({ left: 500 }));
  await expect
    .poll(() =>
      time.evaluate((one) =>
        (one as unknown as { style: { getPropertyValue(name: string): string } }).style.getPropertyValue('--at'),
      ),
    )
    .toBe('500px');
  await expect.poll(async () => (await time.locator('.who').first().boundingBox())?.x).toBe(place?.x);
});

const HOSTILE = [
  '</script><script>window.hit = 1</script>',
  '<!--<img src=x onerror="window.hit = 2">',
  '[press me](javascript:window.hit=3) ![pixel](https://evil.example/pixel.png)',
  '<iframe src="https://evil.example"></iframe><style>*{display:none!important}</style>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example"><base href="https://evil.example/">',
  '\u202Etxet desrever\u202C \u2028 &lt;b&gt; ]]> ${x}',
].join('\n\n');

test('hostile words in every place are words: they load nothing, run nothing, and hide nothing', async () => {
  const server = await served({
    files: scripted(
      { clerk: agent('tools: [files]\n') },
      {
        agents: {
          clerk: [{ say: HOSTILE, call: { read_file: { path: HOSTILE } } }, { answer: `# Done\n\n${HOSTILE}` }],
        },
      },
    ),
  });
  const run = await server.run('clerk', HOSTILE);
  await server.api(`/api/runs/${run}/notes`, { mark: 'bad', text: HOSTILE });
  const file = join(dir, 'hostile.html');
  await exported(server, run, file);
  const html = readFileSync(file, 'utf8');
  expect(html.match(/<script/g)).toHaveLength(2);
  const page = await opened(file);
  await page.getByRole('heading', { level: 1, name: /^clerk/ }).waitFor();
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
  await page.getByText('window.hit = 1').first().waitFor();
  await page.getByText('cadre verify clerk-').waitFor();
  await expect.poll(() => page.evaluate('window.hit')).toBeUndefined();
  await expect
    .poll(() => page.locator('main img, iframe, main script, main style, base, a[href^="javascript"]').count())
    .toBe(0);
  const folder = folderWith({ 'it.html': html });
  onTestFinished(() => folder.remove());
  expect((await folder.cadre(['verify', 'it.html'])).stdout).toMatch(/^identical/);
});

test('a run of 10,000 events opens with its first rows, and holds all of its journal', async () => {
  const run = '20261101-000000-0000001';
  const events = longJournal(run, 10_000);
  const server = await served({
    files: scripted({ lead: agent('') }, { agents: { lead: [{ answer: 'x' }] } }),
    journals: { [run]: events },
  });
  const file = join(dir, 'large.html');
  await exported(server, run, file);
  const page = await opened(file, { javaScriptEnabled: false });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.locator('.ex-journal tbody tr').count()).toBe(2000);
  await page.getByText(`Journal, ${events.length} events`).click();
  await page.getByText(/^and \d+ more events, which the journal in this file has$/).waitFor();
});
