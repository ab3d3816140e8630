// One run on the page, in a real browser with the real server: start, watch, decide, read, fail, fork.

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApprovalList } from '../../src/server/protocol.ts';
import { violations } from './support/axe.ts';
import { armed, newPage, wholeRun } from './support/page.ts';
import { agent, asking, failing, scripted } from './support/scripts.ts';
import { type Served, serve, served } from './support/served.ts';

/** A run that has ended, for the tests that only look at it. */
let server: Served;
let run = '';
beforeAll(async () => {
  server = await serve({ example: 'lighthouse' });
  run = await server.run('detective', 'Four gallons of lamp oil are missing. Who took them?');
});
afterAll(async () => {
  await server.stop('kill');
  rmSync(server.folder, { recursive: true, force: true });
});

test('a run is watched live, approved in place, and shows its answer', async () => {
  const own = await served({ files: asking() });
  const asked = await own.run('clerk', 'Read it.', false);
  const page = await newPage();
  await page.goto(own.at(`/runs/${asked}`));
  await page.getByRole('heading', { level: 1 }).filter({ hasText: 'clerk' }).waitFor();
  await page.getByRole('treegrid', { name: 'Timeline of ops' }).waitFor();
  // The approval is found by a key, and given by a chord.
  await page
    .getByText(/asks you/)
    .first()
    .waitFor();
  await page.keyboard.press('p');
  await expect.poll(() => page.locator('.asks h2:focus').count()).toBe(1);
  await page.getByLabel(/Note/).fill('It is fine.');
  await armed(page);
  await page.keyboard.press('Control+Enter');
  await page.getByText('approved').first().waitFor();
  await page.locator('.run-head .chip', { hasText: 'answered' }).waitFor();
  await expect.poll(() => page.title()).toMatch(/^✓ clerk · /);
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 2, name: 'The answer' }).waitFor();
  // The answer is rendered: bold words, not asterisks.
  await expect.poll(() => page.locator('.md strong').first().textContent()).toBe('read');
  expect(await violations(page)).toEqual([]);
});

test('the detail that a person looks at stays when the run ends, and is that of an ended run when it is opened again', async () => {
  const own = await served({ files: asking() });
  const run = await own.run('clerk', 'Read it.', false);
  const page = await newPage();
  await page.goto(own.at(`/runs/${run}`));
  const detail = page.getByRole('radiogroup', { name: 'Detail' });
  const chosen = () => detail.getByRole('radio', { checked: true }).textContent();
  await page
    .getByText(/asks you/)
    .first()
    .waitFor();
  await expect.poll(() => chosen()).toBe('Agents');
  await page.keyboard.press('Escape'); // a run that waits opens at its question
  const { waiting } = await own.api<ApprovalList>('/api/approvals');
  await own.api(`/api/runs/${run}/ops/${waiting[0]!.path}/verdict`, { approved: true });
  await page.locator('.run-head .chip', { hasText: 'answered' }).waitFor();
  await page.getByRole('heading', { level: 2, name: 'The answer' }).waitFor();
  await expect.poll(() => chosen()).toBe('Agents');
  await expect.poll(() => page.locator('.tl-row').count()).toBe(1);
  // Another tab in between is the same visit.
  await page.getByRole('tab', { name: /^Cost/ }).click();
  await page.getByRole('tab', { name: /^Timeline/ }).click();
  await expect.poll(() => chosen()).toBe('Agents');
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('grid', { name: 'Runs' }).getByRole('link', { name: 'clerk' }).click();
  await detail.waitFor();
  await expect.poll(() => chosen()).toBe('Turns');
});

test('a failed run opens at the failing op, is forked from there, and the fork goes on', async () => {
  const own = await served({ files: failing() });
  const failed = await own.run('desk', 'Pay it.');
  const page = await newPage();
  await page.goto(own.at(`/runs/${failed}`));
  await page.getByRole('alert').filter({ hasText: 'model/server' }).waitFor();
  await page.getByRole('heading', { name: 'Model call of pay, turn 1' }).waitFor();
  await expect.poll(() => new URL(page.url()).hash).toMatch(/^#0\./);
  await expect.poll(() => page.locator('.try').count()).toBe(3);
  await page.getByText(/takes over/).waitFor();
  await expect.poll(() => page.locator('.cmd').last().textContent()).toContain('cadre fork');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Control+Enter');
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.includes(failed));
  await page.getByText('fork of').waitFor();
  await page.locator('.run-head .chip', { hasText: /answered|failed/ }).waitFor();
});

test('a limit that ended a run is said in words: in the list, above the run, and in its row', async () => {
  const read = { call: { read_file: { path: 'cadre.yaml' } } };
  const own = await served({
    files: scripted(
      {
        tireless: agent('tools: [files]\nmaxTurns: 2\n'),
        spender: agent('budget: {usd: 0.00001}\n'),
        slow: agent('timeout: 300ms\n'),
      },
      { agents: { tireless: [read, read, read], spender: [{ answer: 'x' }], slow: [{ answer: 'x', delay: '20s' }] } },
    ),
  });
  const page = await newPage();
  const words = { tireless: '2 of 2 turns', spender: '$0 of $0.00001', slow: '300 ms of 300 ms' };
  const above = {
    tireless: /tireless spent its 2 turns without a final answer/,
    spender: /Over budget: the next call may cost \$[\d.]+; \$0\.00001 of \$0\.00001 is left\./,
    slow: /Timed out after 300 ms \(its limit\)\./,
  };
  for (const [name, said] of Object.entries(words)) {
    const ended = await own.run(name, 'Go.');
    await page.goto(own.at(`/runs/${ended}`));
    await page
      .getByRole('alert')
      .filter({ hasText: above[name as keyof typeof above] })
      .waitFor();
    await page.locator('.tl-row').first().getByText(said).waitFor();
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .not.toMatch(/turns\/exhausted|budget\/exceeded|: timeout/);
  }
  await page.goto(own.at('/runs'));
  for (const [name, said] of Object.entries(words))
    await page.getByRole('row').filter({ hasText: name }).getByText(said, { exact: true }).waitFor();
  await page.keyboard.press('Home');
  await page.getByRole('complementary').getByText('300 ms of 300 ms').waitFor();
  expect(await violations(page)).toEqual([]);
});

test('levels, rows, time and the tabs of a run are moved by keys alone', async () => {
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  const rows = page.locator('.tl-row');
  await wholeRun(page, run);
  const turns = await rows.count();
  await page.keyboard.press(']');
  await expect.poll(() => rows.count()).toBeGreaterThan(turns);
  await page.keyboard.press('[');
  await page.keyboard.press('[');
  await expect.poll(() => rows.count()).toBe(1);
  await page.keyboard.press('j');
  await expect.poll(() => page.locator('.tl-row[aria-selected="true"]').count()).toBe(1);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => rows.count()).toBeGreaterThan(1);
  await page.keyboard.press('ArrowDown');
  await page.getByRole('heading', { name: 'Model call of detective, turn 1' }).waitFor();
  await page.keyboard.press('w');
  await page.keyboard.press('d');
  await page.locator('.over .seen').waitFor();
  await page.keyboard.press('0');
  await page.locator('.over .seen').waitFor({ state: 'detached' });
  await page.keyboard.press('2');
  await page.waitForURL('**/conversation**');
  await expect.poll(() => new URL(page.url()).hash).not.toBe(''); // one selection in all tabs
  await page.keyboard.press('1');
  await page.getByRole('treegrid').waitFor();
});

test('rows that are opened and closed by hand stand in the address, and come back on load and by Back', async () => {
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}?level=agents`));
  const rows = page.locator('.tl-row');
  await wholeRun(page, run);
  await expect.poll(() => rows.count()).toBe(1);
  await rows.first().locator('.tw').click();
  await expect.poll(() => rows.count()).toBeGreaterThan(1);
  const turns = await rows.count();
  await rows.filter({ hasText: 'turn 1' }).locator('.tw').click();
  await expect.poll(() => rows.count()).toBeGreaterThan(turns);
  const all = await rows.count();
  const opened = new URL(page.url()).searchParams.get('rows');
  expect(opened).toMatch(/^0_0\.\d+$/);
  await page.reload();
  await expect.poll(() => rows.count()).toBe(all);
  // Other tabs keep them.
  await page.getByRole('tab', { name: /^Journal/ }).click();
  await page.getByRole('tab', { name: /^Timeline/ }).click();
  await expect.poll(() => rows.count()).toBe(all);
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('grid', { name: 'Runs' }).waitFor();
  await page.goBack();
  await expect.poll(() => rows.count()).toBe(all);
  await rows.first().locator('.tw').click();
  await expect.poll(() => rows.count()).toBe(1);
  await expect.poll(() => new URL(page.url()).searchParams.get('rows')).toMatch(/_-0$/);
});

test('time travel shows the run as it was after an event, and a link carries that', async () => {
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}?level=ops`));
  const rows = page.locator('.tl-row');
  await wholeRun(page, run);
  const all = await rows.count();
  await page.keyboard.press('t');
  const slider = page.getByRole('slider');
  await slider.focus();
  await page.keyboard.press('Home');
  await expect.poll(() => rows.count()).toBe(1);
  for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowRight');
  await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe('4');
  const then = await rows.count();
  expect(then).toBeLessThan(all);
  await page.reload();
  await expect.poll(() => rows.count()).toBe(then);
  await page.getByRole('button', { name: 'Back to the end' }).click();
  await expect.poll(() => rows.count()).toBe(all);
});

test('the filter dims what does not match, and stands in the address', async () => {
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}?level=ops`));
  await page.locator('.tl-row').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('tool:read_file');
  await expect.poll(() => page.locator('.tl-row.dim').count()).toBeGreaterThan(0);
  const lit = page.locator('.tl-row:not(.dim)', { hasText: 'read_file' });
  await expect.poll(() => lit.count()).toBeGreaterThan(0);
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('tool:read_file');
});

test('a run that is replayed keeps the result in its head', async () => {
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  await page.getByRole('button', { name: 'Replay' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replay' });
  await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
  await dialog.getByText(/^identical: \d+ events$/).waitFor();
  // It can be asked again, with the texts that the run began with.
  const again = page.waitForRequest((request) => request.url().endsWith('/replay'));
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
  expect((await again).postDataJSON()).toEqual({ pinned: true });
  await page.keyboard.press('Escape');
  await page.getByText(/^replay identical, \d+ events$/).waitFor();
});

test('a replay is asked for from the peek at a run, and its result stands there', async () => {
  const page = await newPage();
  await page.goto(server.at(`/runs?run=${run}`));
  const peek = page.getByRole('complementary', { name: `Run ${run}` });
  await peek.getByRole('button', { name: 'Replay' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replay' });
  await dialog.getByText(`cadre replay ${run.slice(0, 15)}`).waitFor();
  await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
  await dialog.getByText(/^identical: \d+ events$/).waitFor();
  await page.keyboard.press('Escape');
  await peek.getByText(/^identical: \d+ events$/).waitFor();
  expect(await violations(page)).toEqual([]);
  // One result for the visit: the run's own head has it, too.
  await peek.getByRole('link', { name: 'Open' }).click();
  await page.getByText(/^replay identical, \d+ events$/).waitFor();
});

test('a run of no such name says so, with the nearest', async () => {
  const page = await newPage({ expected: /404/ });
  await page.goto(server.at('/runs/nothing'));
  await page.getByRole('heading', { name: 'No run of that name' }).waitFor();
});
