// The table of the timeline in a real browser: columns that are dragged, a zoom that a link carries, rows that come unseen.

import { rmSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApprovalList } from '../../src/server/protocol.ts';
import { violations } from './support/axe.ts';
import { longJournal } from './support/journals.mjs';
import { newPage, wholeRun } from './support/page.ts';
import { agent, asking, scripted } from './support/scripts.ts';
import { type Served, serve, served } from './support/served.ts';

/** Made, not run: there are no agent files that it was built from. */
const WITHOUT_TEXTS = { expected: /status of 422/ };

let server: Served;
let run = '';
beforeAll(async () => {
  server = await serve({
    files: scripted(
      { clerk: agent('budget: {usd: 0.001}\ntools: [files]\n') },
      { agents: { clerk: [{ call: { read_file: { path: 'cadre.yaml' } } }, { answer: 'Read.' }] } },
    ),
    journals: { long: longJournal('long', 4000) },
  });
  run = await server.run('clerk', 'Read it.');
});
afterAll(async () => {
  await server.stop('kill');
  rmSync(server.folder, { recursive: true, force: true });
});

const edge = (page: Page, name: string) => page.getByRole('separator', { name });
const namesWidth = (page: Page): Promise<number> =>
  page.evaluate<number>("document.querySelector('.tl-row .n').getBoundingClientRect().width");
/** The beginning of the part of the time that is seen, in percent of the whole. */
const zoomLeft = async (page: Page): Promise<number> =>
  parseFloat(await page.evaluate<string>("document.querySelector('.over .seen').style.left"));

test('columns are dragged or moved by arrow keys, and are as wide in the next visit', async () => {
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  await page.locator('.tl-row').first().waitFor();
  await expect.poll(() => namesWidth(page)).toBe(300);
  // hover waits until the edge stands still; the head above it grows when its figures arrive.
  await edge(page, 'Width of the names').hover({ position: { x: 4, y: 10 } });
  await page.mouse.down();
  const place = await edge(page, 'Width of the names').boundingBox();
  await page.mouse.move(place!.x + 64, place!.y + 10, { steps: 3 });
  await page.mouse.up();
  await expect.poll(() => namesWidth(page)).toBe(360);
  await edge(page, 'Width of the names').focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => namesWidth(page)).toBe(352);
  await edge(page, 'Width of the figures').focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => edge(page, 'Width of the figures').getAttribute('aria-valuenow')).toBe('184');
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await page.locator('.tl-row').first().waitFor();
  await expect.poll(() => namesWidth(page)).toBe(352);
  await edge(page, 'Width of the names').focus();
  await page.keyboard.press('Home');
  await expect.poll(() => namesWidth(page)).toBe(300);
});

test('a zoom stands in the address, and a link to it shows the same part of the time', async () => {
  const page = await newPage(WITHOUT_TEXTS);
  await page.goto(server.at('/runs/long'));
  await page.locator('.tl-row').first().waitFor();
  await page.keyboard.press('w');
  await page.keyboard.press('w');
  await page.keyboard.press('d');
  const zoom = (): string | null => new URL(page.url()).searchParams.get('zoom');
  const seen = page.locator('.over .seen');
  await seen.waitFor();
  // Written when the keys rest: the last one that was pressed counts.
  const last = (1000 * 4 - 1) * 3;
  await expect
    .poll(async () => Math.abs(Number(zoom()?.split('-')[0]) / last - (await zoomLeft(page)) / 100))
    .toBeLessThan(0.01);
  const other = await newPage(WITHOUT_TEXTS);
  await other.goto(server.at(`/runs/long?zoom=${zoom()}`));
  await other.locator('.over .seen').waitFor();
  await expect.poll(async () => Math.abs((await zoomLeft(other)) - (await zoomLeft(page)))).toBeLessThan(0.1);
  await other.keyboard.press('0');
  await other.locator('.over .seen').waitFor({ state: 'detached' });
  await expect.poll(() => new URL(other.url()).searchParams.get('zoom')).toBeNull();
});

test('without Follow the axis of a live run stays as it is; with Follow it ends a tenth after now', async () => {
  const own = await served({ files: asking() });
  const live = await own.run('clerk', 'Read it.', false);
  const waiting = async () => (await own.api<ApprovalList>('/api/approvals')).waiting.length;
  await expect.poll(waiting).toBe(1); // the page opens at a question that is asked already
  const page = await newPage();
  await page.goto(own.at(`/runs/${live}?skip=off`));
  const line = page.locator('.now-line');
  await line.waitFor();
  const place = (): Promise<number> =>
    page.evaluate<number>("parseFloat(document.querySelector('.now-line')?.style.left ?? '101')");
  const head = (): Promise<string> => page.getByRole('columnheader', { name: /when/ }).innerHTML();
  // The page selects the question by itself, and the link says that the run is followed all the same.
  await expect.poll(() => new URL(page.url()).searchParams.get('follow')).toBe('on');
  await expect.poll(place).toBeCloseTo(90, 0);
  await page.keyboard.press('f');
  await expect.poll(() => new URL(page.url()).searchParams.get('follow')).toBeNull();
  const then = await head();
  // Time goes on: the line of now moves through what is seen until it has left it.
  await line.waitFor({ state: 'detached' });
  await expect.poll(() => head()).toBe(then);
  // A link carries that it is not followed.
  await page.reload();
  await line.waitFor();
  await expect.poll(() => new URL(page.url()).searchParams.get('follow')).toBeNull();
  await page.keyboard.press('f');
  await expect.poll(() => new URL(page.url()).searchParams.get('follow')).toBe('on');
  await expect.poll(place).toBeCloseTo(90, 0);
  await expect.poll(() => new URL(page.url()).searchParams.get('follow')).toBe('on');
  // After fitting, all of it by now is seen, and no more.
  await page.keyboard.press('0');
  await expect.poll(() => new URL(page.url()).searchParams.get('follow')).toBeNull();
  const fitted = await head();
  await line.waitFor({ state: 'detached' });
  await expect.poll(() => head()).toBe(fitted);
});

test('a long run that has ended says how from the first moment', async () => {
  const page = await newPage(WITHOUT_TEXTS);
  const seen = "(window.seen = [...(window.seen ?? []), document.querySelector('.run-head .chip')?.textContent ?? ''])";
  await page.addInitScript(
    `new MutationObserver(() => ${seen}).observe(document, { subtree: true, childList: true, characterData: true });
     window.spins = 0;
     new MutationObserver(() => { window.spins += document.querySelectorAll('.tl-row .spin, .run-head .spin').length; })
       .observe(document, { subtree: true, childList: true });`,
  );
  await page.goto(server.at('/runs/long?level=ops'));
  await expect.poll(() => page.getByRole('treegrid').getAttribute('aria-rowcount')).toBe('2001');
  const words = await page.evaluate<readonly string[]>('[...new Set(window.seen)]');
  expect(words.filter((word) => word !== '')).toEqual(['answered']);
  await expect.poll(() => page.evaluate('window.spins')).toBe(0);
  await expect.poll(() => page.title()).toMatch(/^✓ clerk · /);
});

test('a run with a budget says so above its timeline', async () => {
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  await page.getByText(/of a budget of \$0\.001/).waitFor();
  await page.getByRole('img', { name: /of a budget of/ }).waitFor();
});

test('rows that stay in view while a person scrolls keep their elements', async () => {
  const page = await newPage(WITHOUT_TEXTS);
  await page.goto(server.at('/runs/long?level=ops'));
  await expect.poll(() => page.getByRole('treegrid').getAttribute('aria-rowcount')).toBe('2001');
  // A run that has ended is not followed: it opens at its beginning.
  await page.locator('.tl-row[aria-rowindex="1"]').waitFor();
  await page.evaluate(`((box) => {
    for (const row of box.querySelectorAll('.tl-row')) row.drawnAs = row.getAttribute('aria-rowindex');
    box.scrollTop = 24 * 12;
  })(document.querySelector('[role=treegrid]'))`);
  await page.locator('.tl-row[aria-rowindex="44"]').waitFor();
  const drawn = await page.evaluate<readonly { readonly index: string; readonly was?: string }[]>(
    `((box) => [...box.querySelectorAll('.tl-row')].map((row) => ({index: row.getAttribute('aria-rowindex'), was: row.drawnAs})))(document.querySelector('[role=treegrid]'))`,
  );
  const stayed = drawn.filter(({ index }) => Number(index) >= 15 && Number(index) <= 30);
  expect(stayed).toHaveLength(16);
  for (const { index, was } of stayed) expect(was).toBe(index);
  // Rows that came into view are drawn in elements that were there, and stand in order for those who hear the rows.
  expect(drawn.filter(({ was }) => was !== undefined).length).toBeGreaterThan(30);
  expect(drawn.map(({ index }) => Number(index))).toEqual(drawn.map((_, place) => Number(drawn[0]!.index) + place));
});

test('a jump shows the rows where it ends, and those beyond the view when it rests', async () => {
  const page = await newPage({ expected: /status of 422/ });
  await page.goto(server.at('/runs/long?level=ops'));
  await wholeRun(page, 'long');
  const JUMP = 24 * 500;
  await page.evaluate(`document.querySelector('[role=treegrid]').scrollTop = ${JUMP}`);
  await page.locator('.tl-row[aria-rowindex="501"]').waitFor();
  // Row 495 is six rows above the view.
  await page.locator('.tl-row[aria-rowindex="495"]').waitFor({ state: 'attached' });
  const drawn = await page.locator('.tl-row').evaluateAll((all) => all.map((row) => row.getAttribute('aria-rowindex')));
  expect(drawn.map(Number)).toEqual(drawn.map((_, place) => 495 + place));
  expect(drawn.length).toBeLessThan(90);
});

test('rows that come below the view are counted, and shown on request', async () => {
  const reads = Array.from({ length: 30 }, () => ({ call: { read_file: { path: 'cadre.yaml' } } }));
  const gate = { call: { search_files: { query: 'x' } } };
  const own = await served({
    files: scripted(
      { clerk: agent('tools: [files]\napprove: [search_files]\nmaxTurns: 40\nstuck: off\n') },
      { agents: { clerk: [gate, ...reads, gate, { answer: 'Read.' }] } },
    ),
  });
  const live = await own.run('clerk', 'Read them.', false);
  const page = await newPage({ viewport: { width: 1440, height: 600 } });
  await page.goto(own.at(`/runs/${live}?level=ops#0`));
  await page
    .getByRole('row')
    .filter({ hasText: /asks you|asked you/ })
    .waitFor();
  const { waiting } = await own.api<ApprovalList>('/api/approvals');
  await own.api(`/api/runs/${live}/ops/${waiting[0]!.path}/verdict`, { approved: true });
  const more = page.getByRole('button', { name: /^\d+ new below$/ });
  await more.waitFor();
  // The first row has stayed where it was.
  await expect.poll(() => page.evaluate("document.querySelector('[role=treegrid]').scrollTop")).toBe(0);
  // The agent, a turn with its question and its call, thirty turns with a call each, and a turn with its question.
  await expect.poll(() => page.getByRole('treegrid').getAttribute('aria-rowcount')).toBe('66');
  await expect.poll(async () => Number((await more.textContent())?.split(' ')[0])).toBeGreaterThan(30);
  expect(await violations(page)).toEqual([]);
  await more.click();
  await more.waitFor({ state: 'detached' });
  await page
    .getByRole('row')
    .filter({ hasText: /asks you|asked you/ })
    .last()
    .waitFor();
});

test('events of a live run touch the rows that they are about, and no other that is seen', async () => {
  const reads = Array.from({ length: 8 }, () => ({ call: { read_file: { path: 'cadre.yaml' } } }));
  const gate = { call: { search_files: { query: 'x' } } };
  const own = await served({
    files: scripted(
      { clerk: agent('tools: [files]\napprove: [search_files]\nmaxTurns: 40\nstuck: off\n') },
      { agents: { clerk: [...reads, gate, ...reads.slice(5), gate, { answer: 'Read.' }] } },
    ),
  });
  const live = await own.run('clerk', 'Read them.', false);
  const page = await newPage({ viewport: { width: 1440, height: 1600 } }); // below the question all rows are in view
  // With a selection the run is not followed, and no wait that becomes long is skipped: its axis stays where it is.
  await page.goto(own.at(`/runs/${live}?level=ops&skip=off#0`));
  const asks = page.getByRole('row').filter({ hasText: /asks you|asked you/ });
  await asks.waitFor();
  await page.evaluate(`(() => {
    globalThis.touched = new Set();
    const rowOf = (node) => (node instanceof Element ? node : node.parentElement)?.closest('.tl-row');
    new MutationObserver((all) => {
      for (const { target } of all) touched.add(Number(rowOf(target)?.getAttribute('aria-rowindex')));
    }).observe(document.querySelector('.rows-all'), { subtree: true, childList: true, attributes: true, characterData: true });
  })()`);
  const { waiting } = await own.api<ApprovalList>('/api/approvals');
  await own.api(`/api/runs/${live}/ops/${waiting[0]!.path}/verdict`, { approved: true });
  await expect.poll(() => asks.count(), { timeout: 15_000 }).toBe(2);
  const touched = await page.evaluate<readonly number[]>('[...touched].filter((row) => row > 0).sort((a, b) => a - b)');
  // A turn and its call are two rows, after that of the agent. Of the eight turns that were over, none is drawn again.
  const over = 1 + 2 * 8;
  expect(touched.filter((row) => row > 1 && row <= over)).toEqual([]);
  expect(touched.some((row) => row > over)).toBe(true);
});
