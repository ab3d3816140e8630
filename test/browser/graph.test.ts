// The graph of a run in a real browser: boxes that stand still while what they say changes, time, keys, folders and a phone.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ApprovalList } from '../../src/server/protocol.ts';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { agent, asking, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const box = (page: Page, name: string) => page.getByRole('option').filter({ hasText: name }).first();

/** The places of all boxes, by their names. */
const places = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('.graph-box')].map((one) => {
      const { left, top, width, height } = one.getBoundingClientRect();
      return [one.querySelector('strong').textContent, left, top, width, height].join(' ');
    })`,
  );

test('a run is seen at any of its events: states and words change, and no box moves', async () => {
  const server = await served({ example: 'help-desk' });
  const run = await server.run('front-desk', 'I want my money back for order 17.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  await page.getByRole('tab', { name: 'Graph' }).click();
  await box(page, 'front-desk').waitFor();
  await expect
    .poll(() => page.getByRole('tab').allTextContents())
    .toMatchObject(['Timeline', 'Graph', /^Conversation/, /^Cost/, /^Journal/]);
  await expect.poll(() => box(page, 'refund-order').textContent()).toContain('answered');
  await expect.poll(() => box(page, 'researcher').textContent()).toContain('not reached');
  const before = await places(page);
  expect(before).toHaveLength(7);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('t');
  const slider = page.getByRole('slider', { name: 'Time travel' });
  await expect.poll(() => page.locator('.graph-track:focus').count()).toBe(1);
  const all = Number(await slider.getAttribute('aria-valuemax'));
  await page.keyboard.press('Home');
  await expect.poll(() => box(page, 'refund-order').textContent()).toContain('not reached');
  await expect.poll(() => box(page, 'risk').textContent()).toContain('not reached');
  await expect.poll(() => places(page)).toEqual(before);
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe('10');
  await expect.poll(() => box(page, 'risk').textContent()).toMatch(/thinks|calls|answered/);
  await expect.poll(() => places(page)).toEqual(before);
  // A link shows the same moment.
  const other = await newPage();
  await other.goto(server.at(`/runs/${run}/graph?at=10`));
  await expect.poll(() => box(other, 'risk').textContent()).toBe(await box(page, 'risk').textContent());
  await page.keyboard.press('End');
  await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBeNull();
  await expect.poll(() => slider.getAttribute('aria-valuenow')).toBe(String(all));
  await expect.poll(() => places(page)).toEqual(before);
});

test('keys move along the lines, open what stands there, and lead to the timeline at that op', async () => {
  const server = await served({ example: 'help-desk' });
  const run = await server.run('front-desk', 'I want my money back for order 17.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}/graph`));
  await box(page, 'front-desk').waitFor();
  const chosen = (): Promise<string | null> => page.locator('.graph-box[aria-selected="true"] strong').textContent();
  await page.keyboard.press('ArrowRight');
  await expect.poll(chosen).toBe('front-desk');
  await page.keyboard.press('ArrowRight');
  await expect.poll(chosen).toMatch(/risk|policy/);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(chosen).toBe('front-desk');
  await page.goto(server.at(`/runs/${run}/graph?node=refunds`));
  await expect.poll(chosen).toBe('refunds');
  await page.keyboard.press('ArrowRight');
  await expect.poll(chosen).toBe('refund-order');
  await page.keyboard.press('\\');
  await page.getByRole('complementary').waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'refund-order, its sessions' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('o');
  await page.getByRole('treegrid').waitFor();
  await expect.poll(() => new URL(page.url()).hash).toMatch(/^#0\.\d/);
  await page.getByRole('heading', { level: 2 }).filter({ hasText: 'refund-order' }).waitFor();
});

test('a run of one agent has no graph', async () => {
  const server = await served({ files: asking() });
  const run = await server.run('clerk', 'Read it.', false);
  const page = await newPage();
  const known = page.waitForResponse((answer) => answer.url().endsWith('/agents'));
  await page.goto(server.at(`/runs/${run}`));
  await page.getByRole('tab', { name: /^Cost/ }).waitFor();
  await known;
  await page
    .getByText(/asks you/)
    .first()
    .waitFor();
  await expect.poll(() => page.getByRole('tab', { name: 'Graph' }).count()).toBe(0);
  await page.goto(server.at(`/runs/${run}/graph`));
  await page.getByRole('heading', { name: 'One agent, and nobody else' }).waitFor();
});

test('a live run is followed: who waits for a person is amber and says so, and the answer comes by itself', async () => {
  const server = await served({
    files: scripted(
      { lead: agent('agents: [clerk]\n'), clerk: agent('tools: [files]\napprove: [files]\n') },
      {
        agents: {
          lead: [{ call: { agent__clerk: { input: 'Read it.', reason: 'why' } } }, { answer: 'It is read.' }],
          clerk: [{ call: { read_file: { path: 'cadre.yaml' } } }, { answer: 'Read.' }],
        },
      },
    ),
  });
  const run = await server.run('lead', 'Read it.', false);
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}/graph`));
  await expect.poll(() => box(page, 'clerk').textContent()).toContain('waits for you');
  await expect.poll(() => box(page, 'clerk').getAttribute('class')).toContain('s-limit');
  await expect.poll(() => box(page, 'lead').textContent()).toContain('waits for clerk');
  await page.getByRole('button', { name: /Following/ }).waitFor();
  await page.getByRole('slider', { name: 'Time travel' }).press('ArrowLeft');
  await page.getByRole('button', { name: /Back to now/ }).waitFor();
  const { waiting } = await server.api<ApprovalList>('/api/approvals');
  await server.api(`/api/runs/${run}/ops/${waiting[0]!.path}/verdict`, { approved: true });
  await page.keyboard.press('f');
  await expect.poll(() => box(page, 'clerk').textContent()).toContain('answered');
  await expect.poll(() => box(page, 'lead').textContent()).toContain('answered');
  expect(await violations(page)).toEqual([]);
});

test('a member that was to hear more waits no longer once the run has ended, and did at every moment before', async () => {
  const server = await served({ example: 'ship-room' });
  const run = await server.run('release-lead', 'Does 4.2.0 go out today?');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}/graph`));
  await expect.poll(() => box(page, 'tester').textContent()).toContain('waited to the end');
  await expect
    .poll(() => page.getByRole('option').allTextContents())
    .not.toContainEqual(expect.stringMatching(/waits/));
  await box(page, 'tester').click();
  const side = page.getByRole('complementary', { name: 'tester, its sessions' });
  await side.getByRole('heading', { name: /^Ended/ }).waitFor();
  await page.getByRole('slider', { name: 'Time travel' }).press('ArrowLeft');
  await expect.poll(() => box(page, 'tester').textContent()).toMatch(/waits$|waits\D/);
  await side.getByRole('heading', { name: /^Waits/ }).waitFor();
});

test('a folder of more than sixty agents that nothing has reached is one box, and a click opens it', async () => {
  const names = Array.from({ length: 64 }, (_, index) => `one-${index}`);
  const server = await served({
    files: scripted(
      { lead: agent(`agents: [near, ${names.join(', ')}]\n`), near: agent('') },
      {
        agents: {
          lead: [{ call: { agent__near: { input: 'Go.', reason: 'why' } } }, { answer: 'Done.' }],
          near: [{ answer: 'Seen.' }],
        },
      },
      Object.fromEntries(names.map((name) => [`far/${name}.md`, agent('')])),
    ),
  });
  const run = await server.run('lead', 'Go.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}/graph`));
  await expect.poll(() => page.getByRole('option').count()).toBe(3);
  await expect.poll(() => box(page, 'far/').textContent()).toContain('64 agents');
  await box(page, 'far/').click();
  await expect.poll(() => page.getByRole('option').count()).toBe(66);
});

test('on a phone the graph is a list, each agent below the one that leads to it', async () => {
  const server = await served({ example: 'help-desk' });
  const run = await server.run('front-desk', 'I want my money back for order 17.');
  const page = await newPage({ viewport: { width: 390, height: 844 }, hasTouch: true });
  await page.goto(server.at(`/runs/${run}/graph`));
  const list = page.getByRole('list', { name: 'Who is at work' });
  await expect.poll(() => list.getByRole('button').count()).toBe(7);
  await list.getByRole('button', { name: /refunds/ }).click();
  await page.getByRole('complementary', { name: 'refunds, its sessions' }).waitFor();
  expect(await violations(page)).toEqual([]);
});
