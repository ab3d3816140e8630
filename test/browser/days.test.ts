// The list of runs over many days: the strip above it, what is chosen, saved and marked, in a real browser with the real
// server.

import { rmSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent, RunList, ThreadInfo } from '../../src/server/protocol.ts';
import { dayAndTime } from '../../src/views/amounts.ts';
import { violations } from './support/axe.ts';
import { shortJournal } from './support/journals.mjs';
import { newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { type Served, serve, served } from './support/served.ts';

const FILES = scripted({ clerk: agent('') }, { agents: { clerk: [{ answer: 'At the harbour.' }] } });

/** Noon so many days ago, and minutes after it. */
const noon = (daysAgo: number, minutes = 0): number =>
  new Date().setHours(12, 0, 0, 0) - daysAgo * 86_400_000 + minutes * 60_000;
const dayOf = (daysAgo: number): string => dayAndTime(noon(daysAgo)).slice(0, 10);
const stamp = (at: number): string => new Date(at).toISOString().replaceAll(/[-:]/g, '').slice(0, 15).replace('T', '-');

/** More runs than one page of the list has; some failed; six of yesterday are one chat. */
function manyDays(): Readonly<Record<string, readonly RunEvent[]>> {
  const all: Record<string, readonly RunEvent[]> = {};
  const add = (at: number, of: object = {}): string => {
    const run = `${stamp(at)}-${Object.keys(all).length.toString(16).padStart(7, '0')}`;
    all[run] = shortJournal(run, { at, usd: 0.001, ...of });
    return run;
  };
  const fault = { code: 'model/server', message: 'upstream connect error of a server that is far away from here' };
  for (let day = 2; day <= 12; day++)
    for (let minute = 0; minute < 20; minute++)
      add(
        noon(day, minute),
        minute === 3 ? { outcome: { kind: 'failed', agent: 'clerk', fault } } : { asked: `Order ${day}?` },
      );
  for (let message = 0; message < 6; message++)
    add(noon(1, message), { thread: 't20260101', asked: `Message ${message}`, ms: 1000 });
  return all;
}

let server: Served;
beforeAll(async () => {
  server = await serve({ files: FILES, journals: manyDays() });
});
afterAll(async () => {
  await server.stop('kill');
  rmSync(server.folder, { recursive: true, force: true });
});

const strip = (page: Page) => page.getByRole('region', { name: 'Days' });
const day = (page: Page, daysAgo: number) =>
  strip(page)
    .locator('.strip-day')
    .nth(34 - daysAgo);
const filterOf = (page: Page): string | null => new URL(page.url()).searchParams.get('q');
const sums = async (page: Page): Promise<string> =>
  (await strip(page).locator('.strip-sums').innerText()).replaceAll(/\s+/g, ' ').trim();

test('days are chosen by a drag, by a click and by keys, and the sums are of the whole store', async () => {
  const page = await newPage();
  await page.goto(server.at('/runs'));
  await expect.poll(() => sums(page)).toBe('Cost $0.226 Runs 226 runs Not answered 11 not answered');
  await expect.poll(() => page.getByRole('radio', { name: 'All' }).innerText()).toBe('All\n226');
  await expect.poll(() => page.getByRole('radio', { name: 'Not answered' }).innerText()).toBe('Not answered\n11');
  await expect.poll(() => day(page, 2).getAttribute('aria-label')).toMatch(/: 20 runs, 1 not answered, \$0\.020$/);
  const [from, to] = [(await day(page, 5).boundingBox())!, (await day(page, 3).boundingBox())!];
  await page.mouse.move(from.x + 5, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(to.x + 5, to.y + 20);
  await page.mouse.up();
  await expect.poll(() => filterOf(page)).toBe(`since:${dayOf(5)} until:${dayOf(3)}`);
  await expect.poll(() => sums(page)).toContain('$0.060 of $0.226 Runs 60 of 226 runs Not answered 3 of 11');
  await expect.poll(() => page.getByRole('radio', { name: 'All' }).innerText()).toBe('All\n60');
  await day(page, 4).click();
  await expect.poll(() => filterOf(page)).toBe(`since:${dayOf(4)} until:${dayOf(4)}`);
  await expect.poll(() => page.locator('.runs-day').count()).toBe(1);
  await day(page, 4).click();
  await expect.poll(() => filterOf(page)).toBeNull();
  await page.keyboard.press('d');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(() => filterOf(page)).toBe(`since:${dayOf(7)} until:${dayOf(5)}`);
  await page.keyboard.press('Escape');
  await expect.poll(() => filterOf(page)).toBeNull();
});

test('the list goes to its true end, says the time of day in each row, and each day’s sum is of all its runs', async () => {
  const page = await newPage();
  await page.goto(server.at('/runs'));
  await page.getByRole('grid', { name: 'Runs' }).waitFor();
  const oldest = (await server.api<RunList>('/api/runs?limit=500')).items.at(-1)!;
  await page.keyboard.press('End');
  const last = page.locator('.runs-row[aria-selected="true"]');
  await expect.poll(() => last.getByRole('link').getAttribute('href')).toBe(`/runs/${oldest.run}`);
  for (const began of await page.locator('.runs-row time').allInnerTexts()) expect(began).toMatch(/^12:\d\d:00$/);
  await page.keyboard.press('Home');
  await expect.poll(() => page.locator('.runs-day').nth(1).innerText()).toMatch(/20 runs\s+1 not answered\s+\$0\.020/);
});

test('a note leaves at least half of the cell to what was asked', async () => {
  const page = await newPage();
  await page.goto(server.at('/runs?state=unanswered'));
  const cell = page.locator('.runs-asked').first();
  await cell.getByText(/upstream connect error/).waitFor();
  const widths = () =>
    page.evaluate<readonly (readonly [number, number])[]>(
      "[...document.querySelectorAll('.runs-asked')].map((one) => [one.querySelector('.runs-text').offsetWidth, one.offsetWidth])",
    );
  for (const [text, whole] of await widths()) expect(text).toBeGreaterThanOrEqual(whole / 2 - 1);
  // Also beside the marks and the messages of a chat.
  const { runs } = await server.api<ThreadInfo>('/api/threads/t20260101');
  const marks = `/api/runs/${runs.at(-1)!.run}/notes`;
  await server.api(marks, { mark: 'bad' });
  await page.goto(server.at('/runs'));
  await page.locator('.runs-asked .mark').first().waitFor();
  for (const [text, whole] of await widths()) expect(text).toBeGreaterThanOrEqual(whole / 2 - 1);
  await server.api(marks, { mark: 'none' });
});

test('a chat is one row with the sums of its messages, opens to them, and goes on as a chat', async () => {
  const page = await newPage();
  await page.goto(server.at('/runs'));
  const row = page.locator('.runs-row').first();
  await expect
    .poll(async () => (await row.innerText()).split(/\s*\n\s*/))
    .toEqual(['answered', 'clerk', 'Message 0', '6 messages', '▸', '12:05:00', '6.0s', '6', '5.0k', '$0.006']);
  const peek = page.getByRole('complementary', { name: 'Chat' });
  await peek.getByText('Chat of 6 messages').waitFor();
  await expect.poll(() => peek.getByRole('listitem').count()).toBe(6);
  await peek.getByText('At the harbour.').waitFor();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.locator('.runs-row.inner').allInnerTexts()).toHaveLength(4);
  await page.getByRole('link', { name: '3 earlier messages' }).waitFor();
  await expect.poll(() => new URL(page.url()).searchParams.get('open')).toBe('t20260101');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => page.locator('.runs-row.inner').count()).toBe(0);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/chat\/t20260101/);
  await page.getByText('Message 5').first().waitFor();
});

test('a filter is saved as a link that every visitor has, and forgotten again', async () => {
  const page = await newPage();
  await page.goto(server.at('/runs?q=time%3A%3E2s&state=unanswered'));
  await page.getByRole('button', { name: 'Save as link' }).click();
  await page.keyboard.type('slow, failed');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Forget slow, failed' }).waitFor();
  const other = await newPage();
  await other.goto(server.at('/runs'));
  await other.getByRole('navigation', { name: 'Saved filters' }).getByRole('link', { name: 'slow, failed' }).click();
  await expect
    .poll(() => [filterOf(other), new URL(other.url()).searchParams.get('state')])
    .toEqual(['time:>2s', 'unanswered']);
  await expect.poll(() => other.getByRole('radio', { name: 'Not answered' }).innerText()).toBe('Not answered\n11');
  await page.getByRole('button', { name: 'Forget slow, failed' }).click();
  await expect.poll(() => page.getByRole('link', { name: 'slow, failed' }).count()).toBe(0);
});

test('a word that the filter does not know is underlined, with the nearest one that it does', async () => {
  const page = await newPage();
  await page.goto(server.at('/runs?q=agnet%3Aclerk'));
  await expect.poll(() => page.locator('.filter-words u').allInnerTexts()).toEqual(['agnet:clerk']);
  await page.getByRole('heading', { name: 'No match among 226 runs' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'agent:clerk?' }).click();
  await expect.poll(() => filterOf(page)).toBe('agent:clerk');
  await expect.poll(() => page.locator('.runs-row').count()).toBeGreaterThan(5);
  await expect.poll(() => page.locator('.filter-words').count()).toBe(0);
});

test('X marks up to two runs, a third takes the place of the older one, and C needs two different ones', async () => {
  const page = await newPage();
  await page.goto(server.at(`/runs?q=since:${dayOf(4)}+until:${dayOf(4)}`));
  await expect.poll(() => page.locator('.runs-row').count()).toBe(20);
  const [first, second, third] = await page
    .locator('.runs-agent a')
    .evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href.split('/').at(-1)!));
  await page.keyboard.press('c');
  await page.getByText('Mark two runs with X, then C compares them.').waitFor();
  await page.keyboard.press('x');
  await page.getByText('1 run is marked').waitFor();
  await page.keyboard.press('c');
  await page.getByText('C needs two different runs: mark another with X.').waitFor();
  for (const run of [second, third]) {
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => new URL(page.url()).searchParams.get('run')).toBe(run);
    await page.keyboard.press('x');
  }
  await expect.poll(() => new URL(page.url()).searchParams.get('mark')).toBe(`${second},${third}`);
  await expect.poll(() => page.locator('.tag').count()).toBe(2);
  expect(first).not.toBe(second);
  await page.keyboard.press('c');
  await page.waitForURL(new RegExp(`/runs/${second}/diff/${third}`));
});

test('days without runs say so, and lead back to all', async () => {
  const page = await newPage();
  await page.goto(server.at(`/runs?q=since:${dayOf(20)}+until:${dayOf(18)}`));
  await page.getByRole('heading', { name: /^No runs from \d+/ }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect.poll(() => page.locator('.runs-row').count()).toBeGreaterThan(5);
});

test('below 1200 pixels the peek is a drawer that Space opens, and it asks for no journal', async () => {
  const page = await newPage({ viewport: { width: 1024, height: 768 } });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(server.at('/runs'));
  await page.locator('.runs-row').nth(3).click();
  await expect.poll(() => page.locator('.runs-peek').count()).toBe(0);
  await page.keyboard.press('Space');
  await page.locator('.runs-peek').getByRole('heading', { name: /clerk/ }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.locator('.runs-peek').getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => page.locator('.runs-peek').count()).toBe(0);
  expect(asked.filter((path) => path.endsWith('/events'))).toEqual([]);
});

test.each([
  [1440, 900],
  [1024, 768],
  [720, 512],
  [390, 844],
])(
  'at %i pixels the strip and the list have no sideways scroll, and axe finds nothing in both modes',
  async (width, height) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await newPage({ viewport: { width, height }, colorScheme });
      await page.goto(server.at(`/runs?open=t20260101&q=since:${dayOf(6)}`));
      await expect.poll(() => page.locator('.runs-row.inner').count()).toBe(4);
      await expect.poll(() => page.locator('.strip-day').count()).toBe(width < 720 ? 14 : 35);
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(await violations(page)).toEqual([]);
    }
  },
);

test('runs of one day are shown by its hours', async () => {
  const at = noon(3);
  const run = `${stamp(at)}-0000001`;
  const own = await served({ files: FILES, journals: { [run]: shortJournal(run, { at, usd: 0.001 }) } });
  const page = await newPage();
  await page.goto(own.at('/runs'));
  const hours = page.getByRole('region', { name: 'Hours' });
  await hours.getByRole('button', { name: /12:00: 1 run, all answered, \$0\.001$/ }).click();
  await expect.poll(() => filterOf(page)).toBe(`since:${dayOf(3)}T12 until:${dayOf(3)}T12`);
  await expect.poll(() => page.locator('.runs-row').count()).toBe(1);
});
