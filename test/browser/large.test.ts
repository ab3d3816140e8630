// Very large runs on the page: few rows in the document whatever their number, and bytes within the budget.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { built } from '../support/dist.ts';
import { longJournal, wideJournal } from './support/journals.mjs';
import { newPage, wholeRun } from './support/page.ts';
import { plainRows } from './support/plain-rows.mjs';
import { agent, CONFIG, scripted } from './support/scripts.ts';
import { type Served, serve, served } from './support/served.ts';

const EVENTS = 10_000;
const SESSIONS = 1000;
/** The agent, and a turn and a call for four events. */
const ROWS = 1 + 2 * Math.ceil((EVENTS - 2) / 4);

/** These runs were made, not run: there are no agent files that they were built from. */
const WITHOUT_TEXTS = { expected: /status of 422/ };

let server: Served;
beforeAll(async () => {
  const journals = {
    long: longJournal('long', EVENTS),
    short: longJournal('short', EVENTS / 10),
    wide: wideJournal('wide', SESSIONS),
  };
  server = await serve({ files: scripted({ clerk: agent('') }, { agents: {} }), journals });
});
afterAll(async () => {
  await server.stop('kill');
  rmSync(server.folder, { recursive: true, force: true });
});

test('the page is small: a first script under 125 kB, a style under 16 kB, and no later part over 12 kB with its style', () => {
  const dir = join(built('cli/main.js'), '../../page/assets');
  const html = readFileSync(join(dir, '../index.html'), 'utf8');
  const sizes = (end: '.js' | '.css', isFirst: boolean): readonly number[] =>
    readdirSync(dir)
      .filter((file) => file.endsWith(end) && html.includes(file) === isFirst)
      .map((file) => gzipSync(readFileSync(join(dir, file))).length);
  const [script, ...otherScripts] = sizes('.js', true);
  const [style, ...otherStyles] = sizes('.css', true);
  expect([...otherScripts, ...otherStyles]).toEqual([]);
  expect(script).toBeLessThan(125_000);
  expect(style).toBeLessThan(16_000);
  const [scripts, styles] = [sizes('.js', false), sizes('.css', false)];
  expect(scripts.length).toBeGreaterThan(5);
  expect(styles.length).toBeGreaterThan(5);
  // Whichever style it brings.
  expect(Math.max(...scripts) + Math.max(...styles)).toBeLessThan(12_000);
});

test('the stream of a long run that has ended says so first, and ends', async () => {
  const token = new URL(server.openUrl).searchParams.get('token');
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const response = await fetch(new URL('/api/runs/long/events', server.openUrl), { headers });
  const text = await response.text();
  expect(text.split('\n\n')[0]).toMatch(/^event: state\ndata: .*"state":"ended".*"outcome":"answered","endedAt":\d+/);
  expect(text.trimEnd().split('\n\n').at(-1)).toContain('"type":"run-end"');
});

test('10,000 events are one table of which about sixty rows are in the document', async () => {
  const page = await newPage(WITHOUT_TEXTS);
  await page.goto(server.at('/runs/long?level=ops'));
  const grid = page.getByRole('treegrid');
  await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe(String(ROWS));
  await expect.poll(() => page.locator('.tl-row').count()).toBeLessThan(90);
  await page.keyboard.press('End');
  await page.locator('.tl-row[aria-selected="true"]').waitFor();
  await expect
    .poll(() => page.locator('.tl-row[aria-selected="true"]').getAttribute('aria-rowindex'))
    .toBe(await grid.getAttribute('aria-rowcount'));
  await expect.poll(() => page.locator('.tl-row').count()).toBeLessThan(90);
  // The search works over all of it, not over what is in the document.
  await page.keyboard.press('Home');
  await page.keyboard.press('/');
  await page.keyboard.type('page-1234.txt');
  await expect.poll(() => page.locator('.tl-row.dim').count()).toBeGreaterThan(20);
});

test('a thousand runs of one agent in one turn are one row, with those that failed by name', async () => {
  const page = await newPage(WITHOUT_TEXTS);
  await page.goto(server.at('/runs/wide'));
  const group = page.getByRole('row').filter({ hasText: `× ${SESSIONS}` });
  await group.waitFor();
  await expect.poll(() => group.textContent()).toContain('990 answered');
  await expect.poll(() => page.getByRole('treegrid').getAttribute('aria-rowcount')).toMatch(/^\d\d$/);
  await group.locator('.tw').click();
  await expect
    .poll(async () => Number(await page.getByRole('treegrid').getAttribute('aria-rowcount')))
    .toBeGreaterThan(SESSIONS);
  await expect.poll(() => page.locator('.tl-row').count()).toBeLessThan(90);
});

/** Folding is compared with what the browser needs to draw as many plain rows: no clock of the machine's own. */
test('the events of a large run are applied in a few times what its rows take drawn plainly', async () => {
  const page = await newPage(WITHOUT_TEXTS);
  await page.goto(server.at('/runs/long?level=ops'));
  await wholeRun(page, 'long');
  const plain = await plainRows(page, EVENTS);
  const applied = await page.evaluate<number>(
    "performance.getEntriesByName('cadre:apply').reduce((sum, { duration }) => sum + duration, 0)",
  );
  expect(applied).toBeGreaterThan(0);
  expect(applied / plain).toBeLessThan(12);
});

/** The work of the page in one frame of a scroll, as the number of its functions that are called: no clock at all. */
async function callsOfScroll(page: Page, run: string): Promise<number> {
  await page.goto(server.at(`/runs/${run}?level=ops`));
  await wholeRun(page, run);
  await page.locator('.tl-row[aria-rowindex="1"]').waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  // Half a row in each frame, as a slow wheel does: every second frame brings a row.
  await page.evaluate(`((box) => new Promise((resolve) => {
    let left = ${FRAMES};
    const step = () => {
      box.scrollTop += 12;
      if (left-- > 0) requestAnimationFrame(step);
      else requestAnimationFrame(() => requestAnimationFrame(resolve));
    };
    requestAnimationFrame(step);
  }))(document.querySelector('[role=treegrid]'))`);
  const { result } = await session.send('Profiler.takePreciseCoverage');
  await session.send('Profiler.disable');
  await session.detach();
  const own = result.filter(({ url }) => url.includes('/assets/'));
  const calls = own.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
  return calls.reduce((sum, count) => sum + count, 0) / FRAMES;
}
const FRAMES = 60;

test('a frame of a scroll does as much in ten times as many rows, and little in all', async () => {
  const page = await newPage(WITHOUT_TEXTS);
  const [short, long] = [await callsOfScroll(page, 'short'), await callsOfScroll(page, 'long')];
  expect(short).toBeGreaterThan(10);
  expect(long / short).toBeLessThan(1.5);
  // Each of some sixty rows is asked whether it changed, and the one that comes into view is drawn: some 520 calls.
  expect(long).toBeLessThan(1000);
});

test('five hundred sessions at work are one row and a count, and the page stays with them', async () => {
  const COUNT = 500;
  const limits = `{agents: [worker], maxChildren: ${COUNT}, maxTotal: ${COUNT}, maxConcurrent: ${COUNT}}`;
  const task = Array.from({ length: COUNT }, (_, index) => `place ${index}`);
  const own = await served({
    files: scripted(
      { boss: agent(`spawn: ${limits}\n`), worker: agent('') },
      {
        agents: {
          boss: [
            { call: { sessions_spawn: { agent: 'worker', label: 'w', task, parallel: true } } },
            { call: { sessions_wait: {} } },
            { answer: 'All are back.' },
          ],
          // They are at work until the page has seen them, on a busy machine too.
          worker: [{ answer: 'Seen.', delay: '12s' }],
        },
      },
      { 'cadre.yaml': `${CONFIG}\nlimits: {concurrency: ${COUNT}}\n` },
    ),
  });
  const run = await own.run('boss', 'Send them out.', false);
  const page = await newPage();
  await page.goto(own.at(`/runs/${run}`));
  await page.getByText(/501 sessions, \d+ at work/).waitFor();
  await page
    .getByRole('row')
    .filter({ hasText: `× ${COUNT}` })
    .waitFor();
  await expect.poll(() => page.locator('.tl-row').count()).toBeLessThan(90);
  await page.locator('.run-head .chip', { hasText: 'answered' }).waitFor({ timeout: 45_000 });
  await page.getByText('all answered').waitFor();
});
