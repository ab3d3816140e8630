// Runs that are tried otherwise: another prompt or model for one fork of a run, by keys and by hand, both sides beside each other, and each state.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ForkedRun, RunAgents, RunList } from '../../src/server/protocol.ts';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { agent } from './support/scripts.ts';
import { type Served, served } from './support/served.ts';

const CONFIG = [
  'providers: {slow: {kind: scripted, script: ./slow.yaml}, quick: {kind: scripted, script: ./quick.yaml}}',
  'models: {careful: {use: slow/any, price: {input: 2, output: 2}}, fast: {use: quick/any, price: {input: 1, output: 1}}}',
  'defaults: {models: [careful]}',
  'server: {tokens: {looker: {token: looker-token-of-the-test, may: [see]}}}',
].join('\n');

const script = (words: string): string =>
  JSON.stringify({
    agents: { desk: [{ answer: 'To the writer.', repeat: true }], writer: [{ answer: words, repeat: true }] },
  });

const room = (): Promise<Served> =>
  served({
    files: {
      'cadre.yaml': CONFIG,
      'desk.md': agent('next: writer\n', 'Ask the writer.'),
      'writer.md': agent('', 'Write at length.'),
      'slow.yaml': script('We are sorry about the mirror.'),
      'quick.yaml': script('We are sorry that it broke.'),
    },
  });

test.each(['light', 'dark'] as const)(
  'another prompt and model are tried by keys, and both answers, figures and steps stand side by side, in %s',
  async (colorScheme) => {
    const server = await room();
    const run = await server.run('desk', 'Refund it.');
    const before = readFileSync(join(server.folder, 'writer.md'), 'utf8');
    const page = await newPage({ colorScheme });
    await page.goto(server.at(`/runs/${run}#0.2.1`));
    await page.getByRole('link', { name: 'Try it otherwise' }).click();
    await page.waitForURL(/\/what-if\?at=0\.2/);
    const prompt = page.getByLabel('The prompt for this fork');
    await expect.poll(() => prompt.inputValue()).toBe('Write at length.');
    const start = page.getByRole('button', { name: /^Run it/ });
    await expect.poll(() => start.getAttribute('title')).toBe('Change the prompt or the model first.');
    await page.getByText('No answer yet.').waitFor();
    expect(await violations(page)).toEqual([]);
    await prompt.fill('Write at length.\nSay what broke.');
    await page.getByText('+1 −0').waitFor();
    await page.getByRole('combobox', { name: 'model' }).fill('fast');
    await page
      .getByText(/cadre fork \S+ --at 0\.2\S* --prompt writer=writer\.what-if\.md --model writer=fast/)
      .waitFor();
    await page.getByText('+Say what broke.').waitFor();
    await prompt.press('Control+Enter');
    const right = page.getByRole('region', { name: 'With the change' });
    await right.getByText('We are sorry').waitFor();
    await expect.poll(() => right.locator('mark').allInnerTexts()).toContain('broke');
    await page.getByRole('cell', { name: 'other request' }).first().waitFor();
    await page.getByText(/^answered → answered/).waitFor();
    expect(await violations(page)).toEqual([]);
    const fork = new URL(page.url()).searchParams.get('with') ?? '';
    const { agents } = await server.api<RunAgents>(`/api/runs/${fork}/agents`);
    expect(agents.find(({ name }) => name === 'writer')?.system).toBe('Write at length.\nSay what broke.');
    expect(readFileSync(join(server.folder, 'writer.md'), 'utf8')).toBe(before);
    // A second try stands in the same place, and the first one is a key away.
    await page.getByLabel('for which agents').selectOption('*');
    await page.getByRole('button', { name: /^Run again/ }).click();
    await page.getByText('2 of 2 tries').waitFor();
    await page.getByRole('heading', { name: 'What if', exact: true }).click();
    await page.keyboard.press('[');
    await page.getByText('1 of 2 tries').waitFor();
    await page.reload();
    await right.getByText('We are sorry').waitFor();
    await expect.poll(() => prompt.inputValue()).toBe('Write at length.\nSay what broke.');
    await page.keyboard.press('Escape');
    await page.waitForURL(new RegExp(`/runs/${run}#0\\.2`));
  },
);

test('a refusal, a changed file, a budget and a person who leaves are each said in place', async () => {
  const server = await room();
  const run = await server.run('desk', 'Refund it.');
  const page = await newPage({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    expected: /400/,
  });
  await page.goto(server.at(`/runs/${run}/what-if?at=0.2`));
  const prompt = page.getByLabel('The prompt for this fork');
  await expect.poll(() => prompt.inputValue()).toBe('Write at length.');
  await prompt.fill('   ');
  await page.getByRole('button', { name: /^Run it/ }).click();
  await page
    .getByRole('alert')
    .getByText(/The new text of writer is empty/)
    .waitFor();
  await prompt.fill('Sing.');
  const budget = page.getByLabel(/at most/);
  await budget.fill('much');
  await page.getByRole('button', { name: /^Run it/, disabled: true }).waitFor();
  await budget.fill('0.0000001');
  await page.getByText('--budget usd=1e-7').waitFor();
  await page.getByRole('button', { name: /^Run it/ }).click();
  await page.getByText('over budget').or(page.getByText('over-budget')).first().waitFor();
  expect(await violations(page)).toEqual([]);
  writeFileSync(join(server.folder, 'writer.md'), agent('', 'Write a poem.'));
  await page.reload();
  await prompt.fill('Sing.');
  await page.getByText('writer.md has changed since this run').waitFor();
  const { total } = await server.api<RunList>('/api/runs');
  expect(total).toBe(2);
});

test('the lines that are changed are marked in place, a try at work is cancelled in place, and its text is kept by a command', async () => {
  const server = await served({
    files: {
      'cadre.yaml': CONFIG,
      'desk.md': agent('', 'Ask.\nThen wait.'),
      'slow.yaml': JSON.stringify({ agents: { desk: [{ answer: 'At once.', repeat: true }] } }),
      'quick.yaml': JSON.stringify({ agents: { desk: [{ delay: '600s', answer: 'Late.' }] } }),
    },
  });
  const run = await server.run('desk', 'Refund it.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}/what-if`));
  const prompt = page.getByLabel('The prompt for this fork');
  await expect.poll(() => prompt.inputValue()).toBe('Ask.\nThen wait.');
  const before = await prompt.boundingBox();
  await prompt.fill('Ask.\nThen answer.\nAt length.');
  const marked = page.locator('.prompt-field .added');
  await expect.poll(() => marked.allInnerTexts()).toEqual(['Then answer.\n', 'At length.\n']);
  const was = page.getByRole('figure', { name: 'The prompt as it was' });
  await expect.poll(() => was.locator('.removed').allInnerTexts()).toEqual(['Then wait.\n']);
  expect((await prompt.boundingBox())?.height).toBeGreaterThan(before?.height ?? Infinity);
  await page.getByText('patch -p1 < desk.md.diff && cadre check && cadre test', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'model' }).fill('fast');
  await page.getByRole('button', { name: /^Run it/ }).click();
  const right = page.getByRole('region', { name: 'With the change' });
  await right.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog', { name: 'Cancel the run' }).getByRole('button', { name: 'Cancel it' }).click();
  await right.getByText('Cancelled by you').waitFor();
  await page.getByText('answered → cancelled').waitFor();
  expect(await violations(page)).toEqual([]);
});

test('a run at work, an op that is not there and a token that may only see start nothing', async () => {
  const server = await room();
  const slow = JSON.stringify({ agents: { desk: [{ delay: '600s', answer: 'Late.' }], writer: [] } });
  const busy = await served({
    files: { 'cadre.yaml': CONFIG, 'desk.md': agent(''), 'slow.yaml': slow, 'quick.yaml': slow },
  });
  const run = await server.run('desk', 'Refund it.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}/what-if?at=0.77`));
  await page.getByRole('heading', { name: 'This run has no op 0.77' }).waitFor();
  await page.goto(server.at(`/runs/${run}/what-if`).replace(/token=.*/, 'token=looker-token-of-the-test'));
  await page.getByLabel('The prompt for this fork').fill('Sing.');
  const start = page.getByRole('button', { name: /^Run it/ });
  await expect.poll(() => start.getAttribute('title')).toBe('The token looker has no permission "run".');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Escape');
  await page.getByText('Esc again leaves').waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(/\/runs\/[^/]+#0/);
  expect((await server.api<RunList>('/api/runs')).total).toBe(1);
  const live = await busy.run('desk', 'Go.', false);
  await page.goto(busy.at(`/runs/${live}/what-if`));
  await page.getByRole('heading', { name: 'This run has not ended' }).waitFor();
  expect(await violations(page)).toEqual([]);
});

test('a try whose journal and texts have not arrived is told by nothing that could be wrong', async () => {
  const server = await room();
  const run = await server.run('desk', 'Refund it.');
  const { run: fork } = await server.api<ForkedRun>(`/api/runs/${run}/fork`, { at: '0.2.1', models: ['fast'] });
  const page = await newPage();
  await page.goto(server.at(`/runs/${fork}`));
  await page.getByText('We are sorry that it broke.').first().waitFor();
  let arrive = (): void => {};
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  for (const slow of [`**/api/runs/${run}/agents`, `**/api/runs/${fork}/events*`])
    await page.route(slow, async (route) => {
      await held;
      await route.continue();
    });
  await page.goto(server.at(`/runs/${run}/what-if?at=0.2.1&with=${fork}`));
  await page.getByRole('heading', { name: 'What if' }).waitFor();
  await expect.poll(() => page.getByText('are not known').count()).toBe(0);
  await expect.poll(() => page.getByText('answered →').count()).toBe(0);
  arrive();
  await page.getByText('answered → answered').waitFor();
  await page.getByLabel('The prompt for this fork').waitFor();
});
