// A run that is at work, in a real browser: who is counted as working, what is followed and what ends that, what the
// page draws and asks for while very many sessions work.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ApprovalList } from '../../src/server/protocol.ts';
import { violations } from './support/axe.ts';
import { waitingJournal } from './support/journals.mjs';
import { newPage } from './support/page.ts';
import { agent, asking, type Files, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

/** A boss that spawns workers, and waits for them. */
const spawning = (count: number, atOnce: number, worker: readonly unknown[]): Files =>
  scripted(
    {
      boss: agent(`spawn: {agents: [worker], maxChildren: ${count}, maxTotal: ${count}, maxConcurrent: ${atOnce}}\n`),
      worker: agent('tools: [files]\n'),
    },
    {
      agents: {
        boss: [
          {
            call: {
              sessions_spawn: {
                agent: 'worker',
                label: 'w',
                task: Array.from({ length: count }, (_, index) => `place ${index}`),
                parallel: true,
              },
            },
          },
          { call: { sessions_wait: {} } },
          { answer: 'All are back.' },
        ],
        worker,
      },
    },
  );

test('a session that waits or is queued is not at work, wherever sessions are counted', async () => {
  const server = await served({ files: spawning(41, 3, [{ answer: 'Seen.', delay: '10m' }]) });
  const run = await server.run('boss', 'Send them out.', false);
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  await page.getByText('42 sessions, 3 at work').waitFor();
  await expect.poll(() => page.locator('.now-share').textContent()).toBe('3 at work · 38 queued · 1 waits');
});

const grid = (page: Page) => page.getByRole('treegrid', { name: 'Timeline of ops' });
/** The distance of the table from its end, in pixels. */
const left = (page: Page): Promise<number> =>
  grid(page).evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight);
const following = (page: Page) => page.getByRole('button', { name: 'Following' });

test('forty-one spawned sessions are followed to the end: the newest row stays in view, and so does the last', async () => {
  const worker = [
    { call: { read_file: { path: 'cadre.yaml' } }, delay: '40ms' },
    { call: { read_file: { path: 'cadre.yaml' } }, delay: '40ms' },
    { answer: 'Seen.' },
  ];
  const files = spawning(41, 8, worker);
  const own = {
    ...files,
    'boss.md': files['boss.md']!.replace('---\nGo', 'tools: [files]\napprove: [files]\n---\nGo'),
  };
  const script = JSON.parse(files['demo.script.yaml']!) as { agents: { boss: unknown[] } };
  const gate = { call: { read_file: { path: 'cadre.yaml' } } };
  const server = await served({
    files: {
      ...own,
      'demo.script.yaml': JSON.stringify({ agents: { ...script.agents, boss: [gate, ...script.agents.boss] } }),
    },
  });
  const run = await server.run('boss', 'Send them out.', false);
  const page = await newPage();
  // Followed from the first question on, at the level that has most rows.
  await page.goto(server.at(`/runs/${run}?level=ops&follow=on`));
  await following(page).waitFor();
  await page
    .getByText(/asks you/)
    .first()
    .waitFor();
  const gaps = page.evaluate<number>(`new Promise((resolve) => {
    const grid = document.querySelector('[role=treegrid]');
    let most = 0;
    const look = () => {
      most = Math.max(most, grid.scrollHeight - grid.scrollTop - grid.clientHeight);
      const over = /answered/.test(document.querySelector('.run-head .chip').textContent);
      if (over) requestAnimationFrame(() => requestAnimationFrame(() => resolve(most)));
      else requestAnimationFrame(look);
    };
    look();
  })`);
  const { waiting } = await server.api<ApprovalList>('/api/approvals');
  await server.api(`/api/runs/${run}/ops/${waiting[0]!.path}/verdict`, { approved: true });
  // Nothing but a hand ends it, and no hand was there: at no frame was the end out of view by more than what came in it.
  const most = await gaps;
  expect(most).toBeLessThan(400);
  await page.locator('.run-head .chip', { hasText: 'answered' }).waitFor();
  await expect.poll(() => left(page)).toBeLessThan(2);
  await page.locator('.tl-row').last().getByText('turn 4').waitFor();
});

/** In the browser: whatever a screen reader is told, when, and how urgently. */
const NOTE_WORDS = `
  globalThis.said = [];
  const REGIONS = '[aria-live=polite], [aria-live=assertive], [role=status], [role=alert], [role=log]:not([aria-live=off])';
  new MutationObserver((changes) => {
    const regions = new Set(changes.map(({ target }) => (target.parentElement ?? target).closest?.(REGIONS)));
    for (const one of regions)
      if (one) said.push({ urgent: one.matches('[aria-live=assertive], [role=alert]'), words: one.textContent });
  }).observe(document, { subtree: true, childList: true, characterData: true });
`;

test('a screen reader hears of forty-one sessions at most once in five seconds, and never urgently', async () => {
  const worker = [{ call: { read_file: { path: 'cadre.yaml' } }, delay: '40ms' }, { answer: 'Seen.' }];
  const server = await served({ files: spawning(41, 8, worker) });
  const page = await newPage();
  await page.addInitScript(NOTE_WORDS);
  const run = await server.run('boss', 'Send them out.', false);
  await page.goto(server.at(`/runs/${run}`));
  await page.locator('.run-head .chip', { hasText: 'answered' }).waitFor();
  const { said, ms } = await page.evaluate<{ said: readonly { urgent: boolean; words: string }[]; ms: number }>(
    '({ said, ms: performance.now() })',
  );
  expect(said.filter(({ urgent }) => urgent)).toEqual([]);
  // The connection, how the run stands, and what happens: each at most once in five seconds of the page's own clock.
  expect(said.length).toBeLessThanOrEqual(3 * (1 + Math.ceil(ms / 5000)));
});

test('only a hand ends following: another size, another level and what comes do not, a wheel does', async () => {
  const reads = Array.from({ length: 30 }, () => ({ call: { search_files: { query: 'x' } } }));
  const gate = { call: { read_file: { path: 'cadre.yaml' } } };
  const server = await served({
    files: scripted(
      { clerk: agent('tools: [files]\napprove: [read_file]\nmaxTurns: 80\nstuck: off\n') },
      { agents: { clerk: [...reads, gate, ...reads, gate, { answer: 'Read.' }] } },
    ),
  });
  const run = await server.run('clerk', 'Read it.', false);
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}?level=ops&follow=on`));
  await following(page).waitFor();
  await page
    .getByText(/asks you/)
    .first()
    .waitFor();
  await expect.poll(() => left(page)).toBeLessThan(2);
  for (const height of [500, 1100, 640]) {
    await page.setViewportSize({ width: 1440, height });
    await expect.poll(() => left(page)).toBeLessThan(2);
  }
  // Fewer rows: the browser clamps the table.
  await page.getByRole('radio', { name: 'Agents' }).click();
  await page.getByRole('radio', { name: 'Ops' }).click();
  await expect.poll(() => left(page)).toBeLessThan(2);
  await grid(page).focus();
  const { waiting } = await server.api<ApprovalList>('/api/approvals');
  await server.api(`/api/runs/${run}/ops/${waiting[0]!.path}/verdict`, { approved: true });
  await expect
    .poll(() =>
      page
        .getByRole('row')
        .filter({ hasText: /asks you|asked you/ })
        .count(),
    )
    .toBe(1);
  await page.getByRole('row', { name: /turn 60/ }).waitFor();
  await expect.poll(() => left(page)).toBeLessThan(2);
  await following(page).waitFor();
  await grid(page).hover();
  // A browser without time drops turns of a wheel that it cannot handle, so the hand goes on as a person's would.
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, -400);
      return following(page).count();
    })
    .toBe(0);
  await expect.poll(() => left(page)).toBeGreaterThan(200);
});

test('a long wait is skipped: it is narrow and says how long it was, and ⇧W shows it as it is', async () => {
  const server = await served({
    files: scripted({ clerk: agent('') }, { agents: {} }),
    journals: { waited: waitingJournal('waited', 678_000) },
  });
  const page = await newPage({ expected: /status of 422/ });
  await page.goto(server.at('/runs/waited'));
  const skip = page.getByRole('button', { name: 'Skip waits' });
  await skip.and(page.locator('[aria-pressed="true"]')).waitFor();
  await page.getByText('» 11m').waitFor();
  const widths = (): Promise<readonly number[]> =>
    page.evaluate<readonly number[]>(
      "[...document.querySelectorAll('.tl-row .b-model')].map((bar) => parseFloat(bar.style.width)).filter((width) => width > 0)",
    );
  await expect.poll(async () => Math.max(...(await widths()))).toBeGreaterThan(25);
  expect(
    await page.locator('.gridlines .skipped').evaluate((one) => (one as { style: { width: string } }).style.width),
  ).toBe('5%');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Shift+W');
  await page.locator('.gridlines .skipped').waitFor({ state: 'detached' });
  await expect.poll(async () => Math.max(...(await widths()))).toBeLessThan(1);
  await expect.poll(() => new URL(page.url()).searchParams.get('skip')).toBe('off');
  // A zoom is a time of the run, whether waits are skipped or not.
  await page.goto(server.at('/runs/waited?zoom=0-2000'));
  await page.locator('.over .seen').waitFor();
  const first = await widths();
  await page.goto(server.at('/runs/waited?zoom=0-2000&skip=off'));
  await page.locator('.over .seen').waitFor();
  await expect.poll(widths).toEqual(first);
});

test('while a wait that is skipped goes on, nothing moves but its length', async () => {
  const server = await served({ files: asking() });
  const run = await server.run('clerk', 'Read it.', false);
  const page = await newPage();
  // With a selection the run is not followed.
  await page.goto(server.at(`/runs/${run}?skip=on#0`));
  await page.locator('.tl-row .b-model').first().waitFor();
  await page.locator('.gridlines .skipped').waitFor();
  const seen = (): Promise<readonly string[]> =>
    page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('.gridlines .skipped, .now-line, .tl-row .b-model')].map((one) => `${one.className} ${Math.round(parseFloat(one.style.left))}`)",
    );
  const words = (): Promise<string | null> => page.locator('.skip-words').textContent();
  const [before, then] = [await seen(), await words()];
  expect(before.some((one) => one.startsWith('now-line 90'))).toBe(true);
  await expect.poll(words).not.toBe(then);
  await expect.poll(seen).toEqual(before);
});
