// The tabs of a run beside its timeline, and two runs side by side: what each says of the same journal.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './support/axe.ts';
import { holdLaterScripts } from './support/later-scripts.ts';
import { newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { type Served, serve, served } from './support/served.ts';

let desk: Served;
let refund = '';
beforeAll(async () => {
  desk = await serve({ example: 'help-desk' });
  refund = await desk.run('front-desk', 'The mirror of my sextant arrived broken. Please refund order 17.');
});
afterAll(async () => {
  await desk.stop('kill');
  rmSync(desk.folder, { recursive: true, force: true });
});

test('while a tab is loaded the screen has one title, and bars stand in the place of the tab', async () => {
  const page = await newPage();
  const release = await holdLaterScripts(page);
  await page.goto(desk.at(`/runs/${refund}`));
  await page.getByRole('treegrid').waitFor();
  await page.getByRole('tab', { name: /^Cost/ }).click();
  await page.locator('.run-tab .bone').first().waitFor();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  release();
  await page.getByRole('tabpanel', { name: 'Cost' }).getByRole('table').first().waitFor();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1);
});

test('a team shows its seats with their turns, and what a member knew when it spoke', async () => {
  const own = await served({ example: 'ship-room' });
  const run = await own.run('release-lead', 'Does 4.2.0 go out today?');
  const page = await newPage();
  await page.goto(own.at(`/runs/${run}/team`));
  const seats = page.locator('.team-seats li');
  await expect.poll(() => seats.count()).toBe(4);
  // The turns that the team gives, not those of the agent's own file.
  await seats.filter({ hasText: 'builder' }).getByText('3 of 8 turns').waitFor();
  await seats.filter({ hasText: 'release-lead' }).getByText('of 4 turns').waitFor();
  // The run is over: nobody waits any more.
  await seats.filter({ hasText: 'tester' }).getByText('waited to the end').waitFor();
  await page.getByText(/^Cycle 1/).waitFor();
  await page.getByText(/hears #1 to #4 at .*thinks for/).waitFor();
  await page.keyboard.press('Home');
  await page.getByRole('heading', { name: /^Broadcast 1 of/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('heading', { name: /^Broadcast 2 of/ }).waitFor();
  await page.getByText('What it knew then').waitFor();
  await expect.poll(() => page.locator('.team-known li').count()).toBeGreaterThan(1);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/conversation?session=**');
});

test('a conversation says who told what, what was sent back, and where it went', async () => {
  const page = await newPage();
  await page.goto(desk.at(`/runs/${refund}/conversation?session=0.4`));
  const talk = page.getByRole('list', { name: 'Conversation of refunds' });
  await talk.getByText('by front-desk').waitFor();
  await expect
    .poll(() => talk.locator('.talk-heading', { hasText: 'risk' }).getByRole('link').textContent())
    .toBe('0.1.0.0');
  await talk.getByText('not taken, sent back').waitFor();
  await talk.getByText('taken: its answer').waitFor();
  await page.getByText('3 of 10 turns').waitFor();
  await page.getByRole('button', { name: 'As the model saw it' }).click();
  await talk.getByText('read_result').waitFor();
  expect(await violations(page)).toEqual([]);
  await talk.getByText('handed on to').getByRole('link', { name: 'refund-order' }).click();
  await page.getByRole('list', { name: 'Conversation of refund-order' }).waitFor();
});

test('the journal explains an event, and leads to its op in the timeline', async () => {
  const page = await newPage();
  await page.goto(desk.at(`/runs/${refund}/journal#seq=9`));
  const beside = page.getByRole('complementary', { name: 'Event 9' });
  await beside.getByText(/An op is over, with its result/).waitFor();
  await page.getByRole('button', { name: 'Replay' }).last().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('treegrid').waitFor();
  await expect.poll(() => new URL(page.url()).hash).toBe('#0.1.0.0.1');
});

test('two runs that part are marked where they differ, with what each call cost', async () => {
  const own = await served({ files: scripted({ clerk: agent('') }, { agents: { clerk: [{ answer: 'Done.' }] } }) });
  const left = await own.run('clerk', 'Pay order 17 today.');
  const right = await own.run('clerk', 'Pay order 18 today.');
  const page = await newPage();
  await page.goto(own.at(`/runs/${left}/diff/${right}`));
  await page.getByText('They were asked something else.').waitFor();
  const marked = page.locator('.diff-part mark');
  await expect.poll(() => marked.allTextContents()).toEqual(['17', '18']);
  const row = page.getByRole('row').filter({ hasText: 'model call of clerk, turn 1' });
  expect((await row.getByRole('cell').allTextContents()).filter((text) => text.startsWith('$'))).toHaveLength(2);
  expect(await violations(page)).toEqual([]);
});

test('the head of a column of figures stands over its figures, at the right', async () => {
  const page = await newPage();
  await page.goto(desk.at(`/runs/${refund}/cost`));
  const heads = page.locator('th.num');
  await heads.first().waitFor();
  const sides = (): Promise<readonly string[]> =>
    page.evaluate<string[]>(
      "[...new Set([...document.querySelectorAll('th.num')].map((one) => getComputedStyle(one).textAlign))]",
    );
  await expect.poll(sides).toEqual(['right']);
});

test('the cost of a run has the budget that it began with, whatever its file says now', async () => {
  const own = await served({
    files: scripted({ clerk: agent('budget: {usd: 0.001}\n') }, { agents: { clerk: [{ answer: 'Done.' }] } }),
  });
  const run = await own.run('clerk', 'Do it.');
  writeFileSync(join(own.folder, 'clerk.md'), agent('budget: {usd: 5}\n'));
  const page = await newPage();
  await page.goto(own.at(`/runs/${run}/cost`));
  await page.getByText('Its budget is $0.001.').waitFor();
  await page.getByRole('row', { name: /demo\/any.*\$1, \$1/ }).waitFor(); // the price, for a million tokens
  await page.getByText('the run itself').waitFor();
  expect(await violations(page)).toEqual([]);
});
