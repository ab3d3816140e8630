// Looks at runs in a real browser: a run as it was at an event, a live run below 1200 pixels, conversations of any length.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from './support/axe.ts';
import { longJournal } from './support/journals.mjs';
import { newPage } from './support/page.ts';
import { agent, asking, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const WITHOUT_TEXTS = { expected: /status of 422/ };
const NARROW = { width: 1024, height: 768 };

/** A lead that waits for a clerk, who has a call refused and asks a person. */
const nested = () =>
  scripted(
    { lead: agent('agents: [clerk]\n'), clerk: agent('tools: [files]\napprove: [files]\n') },
    {
      agents: {
        lead: [{ call: { agent__clerk: { input: 'Read it.', reason: 'why' } } }, { answer: 'It is read.' }],
        clerk: [{ call: { no_such_tool: {} } }, { call: { read_file: { path: 'cadre.yaml' } } }, { answer: 'Read.' }],
      },
    },
  );

test('at an event the clock is that of the event, the head says which, and nothing is run again from there', async () => {
  const server = await served({ files: asking() });
  const run = await server.run('clerk', 'Read it.', false);
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}?at=1`));
  const head = page.locator('.run-head');
  await head.getByText('as at event 1', { exact: true }).waitFor();
  const time = (): Promise<string | null> => head.locator('.figures dd').first().textContent();
  const then = await time();
  const row = (): Promise<string | null> => page.locator('.tl-row .f-time').first().textContent();
  const before = await row();
  // The clock of the server goes on, and what is shown does not.
  const other = await newPage();
  await other.goto(server.at(`/runs/${run}`));
  const now = other.locator('.run-head .figures dd').first();
  const began = await now.textContent();
  await expect.poll(() => now.textContent()).not.toBe(began);
  await expect.poll(() => now.textContent()).toMatch(/^[2-9]s$|^\d\ds$/);
  await expect.poll(time).toBe(then);
  await expect.poll(row).toBe(before);
  await expect.poll(() => page.title()).toContain('as at event 1');
  for (const name of ['Run again', 'Replay', 'Cancel'])
    await expect.poll(() => page.getByRole('button', { name }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
});

test('T puts the focus on the slider, each time', async () => {
  const server = await served({ files: scripted({ clerk: agent('') }, { agents: { clerk: [{ answer: 'Read.' }] } }) });
  const run = await server.run('clerk', 'Read it.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  await page.locator('.tl-row').first().waitFor();
  for (let time = 0; time < 2; time++) {
    await page.keyboard.press('t');
    await expect.poll(() => page.locator('.scrub input:focus').count()).toBe(1);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).not.toBeNull();
    await page.locator('.run-head h1').click();
    await page.evaluate('document.activeElement.blur()');
  }
  await page.getByRole('button', { name: 'Back to the end' }).click();
  await page.locator('.scrub').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Run again' }).waitFor();
});

const box = (page: Page, selector: string) => page.locator(selector).first().boundingBox();

test('a live run at 1024 pixels: one line of head, lanes as high as their rows, six lines of events, and Now over the time', async () => {
  const server = await served({ files: nested() });
  const run = await server.run('lead', 'Read it.', false);
  const page = await newPage({ viewport: NARROW });
  await page.goto(server.at(`/runs/${run}?skip=off`));
  const foot = page.getByRole('group', { name: 'Now' });
  await foot.getByText('clerk waits for you').waitFor();
  await foot.getByText('lead waits for clerk').waitFor();
  expect((await foot.boundingBox())!.height).toBe(44);
  expect((await box(page, '.run-head'))!.height).toBeLessThan(50);
  // The call that was refused is a row, and counts.
  await page
    .getByRole('row')
    .filter({ hasText: 'no_such_tool' })
    .getByText(/^refused: There is no/)
    .waitFor();
  await page.locator('.bad-below').getByText('1 refused').waitFor();
  const events = page.getByRole('log', { name: 'As it happens' });
  expect((await events.boundingBox())!.height).toBeGreaterThanOrEqual(6 * 22);
  await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('\\');
  const drawer = page.getByRole('complementary', { name: 'What it is doing now' });
  const place = (await drawer.boundingBox())!;
  expect(place.width).toBe(340);
  const names = (await box(page, '.tl-row .n'))!;
  expect(place.x).toBeGreaterThan(names.x + names.width);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('\\');
  await drawer.waitFor({ state: 'detached' });
  await foot.getByRole('button', { name: 'Message lead' }).click();
  await expect.poll(() => page.locator('.compose textarea:focus').count()).toBe(1);
  const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(sideways).toBeLessThanOrEqual(0);
});

test('the way to an answer names the call that a person denied, with by whom and why', async () => {
  const server = await served({ files: asking() });
  const run = await server.run('clerk', 'Read it.', false);
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  await page.locator('.run-head').getByText('waits for you').waitFor();
  await server.api(`/api/runs/${run}/ops/0.2/verdict`, { approved: false, note: 'Not *that* one.' });
  await page.locator('.run-head').getByText('answered').first().waitFor();
  await page.goto(server.at(`/runs/${run}`));
  const denied = page.locator('.why-beside').filter({ hasText: 'read_file' });
  await denied.getByText('denied', { exact: true }).waitFor();
  await denied.getByText('cadre.yaml').waitFor();
  await denied.getByText('by whoever runs the server: Not that one.').waitFor();
  await expect.poll(() => denied.getByRole('link', { name: '0.2' }).getAttribute('href')).toContain('0.2');
  expect(await violations(page)).toEqual([]);
});

test('a run that asks opens at its question, however late its events come, and says what led there in its conversation', async () => {
  const server = await served({ files: nested() });
  const run = await server.run('lead', 'Read it.', false);
  const page = await newPage();
  await page.goto(server.at('/approvals'));
  await page.getByRole('navigation', { name: 'Approvals' }).getByText('read_file').waitFor();
  // The journal arrives event by event, as over a slow connection.
  const rate = (bytes: number) => ({ offline: false, latency: 0, downloadThroughput: bytes, uploadThroughput: -1 });
  const session = await page.context().newCDPSession(page);
  await session.send('Network.emulateNetworkConditions', rate(6000));
  await page.goto(server.at(`/runs/${run}?level=ops`));
  const asked = page.locator('.tl-row[aria-selected="true"]');
  await asked.getByText('asks you').waitFor();
  await expect.poll(() => asked.innerText()).toContain('read_file');
  await page.getByRole('complementary').getByRole('heading', { name: 'What led here' }).waitFor();
  await session.send('Network.emulateNetworkConditions', rate(-1));
  await page.goto(server.at(`/runs/${run}/conversation`));
  await page.getByRole('complementary', { name: 'What led here' }).waitFor();
  await expect.poll(() => page.locator('.talk-who').first().innerText()).toContain('You');
  expect(await violations(page)).toEqual([]);
});

test('an earlier message of a thread has a link to its own run in the place of figures', async () => {
  const server = await served({
    files: scripted({ clerk: agent('') }, { agents: { clerk: [{ answer: 'So it is.', repeat: true }] } }),
  });
  const ask = (input: string, thread: string) =>
    server.api<{ run: string; thread: string }>('/api/runs?wait=60s', { agent: 'clerk', input, thread });
  const first = await ask('First?', 'new');
  const second = await ask('Second?', first.thread);
  const page = await newPage();
  await page.goto(server.at(`/runs/${second.run}/conversation`));
  const earlier = page.locator('.talk-entry').filter({ hasText: 'earlier in this thread' });
  await expect.poll(() => earlier.count()).toBe(2);
  for (const link of await earlier.getByRole('link', { name: 'earlier in this thread' }).all())
    await expect.poll(() => link.getAttribute('href')).toContain(first.run);
  await expect.poll(() => earlier.locator('.talk-figures').count()).toBe(0);
  await expect.poll(() => page.locator('.talk-figures').count()).toBe(1);
  await expect.poll(() => page.getByText(/turn 0|before/).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
});

test('on a phone a live run is its lanes, and what it does now opens as a sheet', async () => {
  const server = await served({ files: nested() });
  const run = await server.run('lead', 'Read it.', false);
  const page = await newPage({ viewport: { width: 390, height: 844 }, hasTouch: true });
  await page.goto(server.at(`/runs/${run}?skip=off`));
  const foot = page.getByRole('group', { name: 'Now' });
  await foot.getByText('clerk waits for you').waitFor();
  await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
  await foot.getByRole('button', { name: 'Now' }).click();
  await page.getByRole('complementary', { name: 'What it is doing now' }).waitFor();
  expect(await violations(page)).toEqual([]);
});

test('a live conversation opens at the root, its sessions stand as in the timeline, and the line to write names whom it reaches', async () => {
  const server = await served({
    files: scripted(
      { lead: agent('advisors: [risk]\nagents: [clerk]\n'), risk: agent(''), clerk: agent('') },
      {
        agents: {
          risk: [{ answer: 'Low.' }],
          lead: [{ call: { agent__clerk: { input: 'Go.', reason: 'why' } } }, { answer: 'Done.' }],
          clerk: [{ answer: 'Done.', delay: '10m' }],
        },
      },
    ),
  });
  const run = await server.run('lead', 'Go.', false);
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  await page.locator('.tl-row .who', { hasText: 'clerk' }).waitFor();
  const lanes = await page.locator('.tl-row .who').allTextContents();
  await page.getByRole('tab', { name: /^Conversation/ }).click();
  const sessions = page.getByRole('navigation', { name: 'Sessions' });
  await expect.poll(() => sessions.locator('.talk-name').allTextContents()).toEqual(lanes);
  expect(lanes[0]).toBe('lead');
  await expect.poll(() => sessions.locator('[aria-current] .talk-name').textContent()).toBe('lead');
  await page.getByRole('textbox', { name: 'Message lead' }).waitFor();
  await sessions.getByRole('link', { name: /clerk/ }).click();
  await page.getByText('Messages go to lead.').waitFor();
  await expect.poll(() => page.getByRole('textbox').count()).toBe(0);
  await page.getByRole('button', { name: 'Go to it' }).click();
  await page.getByRole('textbox', { name: 'Message lead' }).waitFor();
  expect(await violations(page)).toEqual([]);
});

test('a very long conversation has few entries in the document, the selected one among them, and all can be reached', async () => {
  const server = await served({
    files: scripted({ clerk: agent('') }, { agents: {} }),
    journals: { long: longJournal('long', 4000) },
  });
  const page = await newPage(WITHOUT_TEXTS);
  await page.goto(server.at('/runs/long/conversation#0.1000'));
  await page.locator('.talk-entry.selected').waitFor();
  await page.getByText('turn 500', { exact: true }).waitFor();
  const entries = page.locator('.talk-entry');
  await expect.poll(() => entries.count()).toBeLessThanOrEqual(400);
  await page.goto(server.at('/runs/long/conversation'));
  await page.getByText('turn 1', { exact: true }).waitFor();
  await expect.poll(() => entries.count()).toBeLessThanOrEqual(400);
  const main = page.locator('.talk-main');
  const toEnd = 'document.querySelector(".talk-main").scrollTop = 1e9';
  await expect
    .poll(
      async () => {
        await page.evaluate(toEnd);
        return page.getByText('turn 1000', { exact: true }).count();
      },
      { timeout: 25_000 },
    )
    .toBe(1);
  await expect.poll(() => entries.count()).toBeLessThanOrEqual(400);
  await main.waitFor();
});

test('below 1200 pixels the sessions are a menu, the line to write is one line, and Why is a drawer', async () => {
  const server = await served({ example: 'help-desk' });
  const run = await server.run('front-desk', 'I want my money back for order 17.');
  const page = await newPage({ viewport: NARROW });
  await page.goto(server.at(`/runs/${run}/conversation`));
  const menu = page.getByRole('button', { name: /5 sessions/ });
  await menu.waitFor();
  await expect.poll(() => page.getByRole('navigation', { name: 'Sessions' }).count()).toBe(0);
  await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
  const line = page.getByRole('textbox', { name: 'Ask front-desk a follow-up' });
  expect((await line.boundingBox())!.height).toBeLessThan(44);
  expect((await box(page, '.talk-compose'))!.height).toBeLessThan(64);
  await menu.click();
  await page
    .getByRole('navigation', { name: 'Sessions' })
    .getByRole('link', { name: /refunds/ })
    .click();
  await page.getByRole('button', { name: /refunds.*5 sessions/ }).waitFor();
  await page.getByRole('navigation', { name: 'Sessions' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Why', exact: true }).click();
  await page.getByRole('complementary', { name: 'Why this answer' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('complementary').waitFor({ state: 'detached' });
});
