// The prompt of a model call in the inspector: its parts with sources and tokens, as a run had them.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from './support/axe.ts';
import { longJournal } from './support/journals.mjs';
import { newPage, wholeRun } from './support/page.ts';
import { agent, CONFIG, scripted } from './support/scripts.ts';
import { type Served, served } from './support/served.ts';

const FOLDER = scripted(
  { writer: agent('tools: [files]\nprojectFiles: [AGENTS.md]\nskills: {use: true, preload: [pdf]}\n', 'You write.') },
  { agents: { writer: [{ call: { list_files: {} } }, { answer: 'Done.' }] } },
  {
    'AGENTS.md': 'Use tabs.\n',
    'skills/pdf/SKILL.md': '---\nname: pdf\ndescription: For forms.\n---\nFill them.\n',
  },
);

const focused = (page: Page) =>
  page.evaluate<string>(
    'document.activeElement.closest("summary, [role=row], .tl-row")?.textContent ?? document.activeElement.tagName',
  );

async function writerRun(): Promise<{ readonly server: Served; readonly run: string }> {
  const server = await served({ files: FOLDER });
  return { server, run: await server.run('writer', 'Write it.') };
}

const sectionOf = (page: Page) => page.locator('.sec').filter({ has: page.getByRole('heading', { name: 'Prompt' }) });

test.each([
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
])(
  'a prompt opens by keys with its parts, their sources and tokens, and keeps the focus, at $width pixels',
  async (viewport) => {
    const { server, run } = await writerRun();
    const page = await newPage({ viewport });
    await page.goto(server.at(`/runs/${run}#0.1`));
    await wholeRun(page, run);
    const prompt = sectionOf(page);
    const opener = prompt.getByText('Its parts, with their sources and tokens');
    await opener.focus();
    await page.keyboard.press('Enter');
    await prompt.getByText('tokens in all, estimated.').waitFor();
    await expect.poll(() => focused(page)).toBe('Its parts, with their sources and tokens');
    const sources = prompt.locator('details details > summary');
    const parts = ['own text', 'project file AGENTS.md', 'skills', 'skill pdf', 'tools'];
    await expect
      .poll(async () => (await sources.allTextContents()).map((text) => text.replace(/ [\d.k]+ tokens$/, '')))
      .toEqual(parts);
    const shown = await server.api<{ tokens: number; parts: { tokens: number }[] }>(`/api/runs/${run}/prompts/0.1`);
    await expect
      .poll(async () => (await sources.locator('.num').allTextContents()).map((text) => text.replace(' tokens', '')))
      .toEqual(shown.parts.map(({ tokens }) => String(tokens)));
    // The focus goes on to the first part, and the text is there.
    await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toMatch(/^own text/);
    await page.keyboard.press('Enter');
    await prompt.getByText('You write.', { exact: true }).waitFor();
    await prompt.getByText(/^tools /).click();
    await prompt.getByText(/list_files \d+.*final_report \d+/).waitFor();
    await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await violations(page)).toEqual([]);
  },
);

test('a prompt is worked out once it is opened, and is that of the chosen call', async () => {
  const { server, run } = await writerRun();
  const asked: string[] = [];
  const page = await newPage();
  page.on('request', (request) => {
    const [, op] = /\/prompts\/([\d.]+)/.exec(request.url()) ?? [];
    if (op !== undefined) asked.push(op);
  });
  await page.goto(server.at(`/runs/${run}#0.1`));
  await wholeRun(page, run);
  const prompt = sectionOf(page);
  await prompt.waitFor();
  expect(asked).toEqual([]); // nothing is worked out before it is opened
  await prompt.getByText('Its parts, with their sources and tokens').click();
  await prompt.getByText('tokens in all, estimated.').waitFor();
  await page.getByRole('row').filter({ hasText: 'turn 2' }).first().click();
  await page.getByRole('heading', { name: 'Model call of writer, turn 2' }).waitFor();
  await prompt.getByText('Its parts, with their sources and tokens').click();
  await prompt.getByText('tokens in all, estimated.').waitFor();
  await expect.poll(() => asked).toEqual(['0.1', '0.4']);
});

test('a prompt that cannot be worked out says why in its place', async () => {
  const journals = { 'run-long': longJournal('run-long', 8) };
  const server = await served({ files: FOLDER, journals });
  const page = await newPage({ expected: /status of 4\d\d/ });
  await page.goto(server.at('/runs/run-long#0.2'));
  await wholeRun(page, 'run-long');
  const prompt = sectionOf(page);
  await prompt.getByText('Its parts, with their sources and tokens').click();
  await prompt.locator('.text.bad').getByText('there is no agent in /agents').waitFor();
  await expect.poll(() => prompt.getByText('tokens in all').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
});

test.each([
  { width: 1440, height: 900, written: '2% written' },
  { width: 390, height: 844, written: '' },
])(
  'the share of the input that came from caches stands in the head, within $width pixels',
  async ({ written, ...viewport }) => {
    const usage = { input: 128_000, output: 1200, cacheRead: 96_000, cacheWrite: 2600 };
    const files = scripted({ writer: agent('') }, { agents: { writer: [{ answer: 'Done.', usage }] } });
    const server = await served({ files });
    const run = await server.run('writer', 'Write it.');
    const page = await newPage({ viewport });
    await page.goto(server.at(`/runs/${run}`));
    await wholeRun(page, run);
    const figures = page.locator('.run-head .figures');
    const cached = figures.locator('div').filter({ hasText: 'cached' }).locator('dd');
    await expect.poll(() => cached.innerText()).toMatch(new RegExp(`^75% read\\s*${written}$`));
    await cached.getByTitle('75% of the input read from cache (96k tokens), 2% written to it (2.6k)').waitFor();
    const right =
      "Math.max(...[...document.querySelectorAll('.run-head .figures dd')].map((one) => one.getBoundingClientRect().right))";
    await expect.poll(() => page.evaluate<number>(`${right} - innerWidth`)).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
  },
);

test('a call that sums up has its tokens and its cost in the inspector', async () => {
  const step = { say: 'I note what I read. '.repeat(12), call: { search_files: { query: '{{turn}}' } } };
  const sum = { goal: 'Read.', decisions: [], facts: [], open: [], files: [] };
  const script = {
    agents: { reader: [{ when: { compact: true }, report: sum }, ...Array(24).fill(step), { answer: 'Done.' }] },
  };
  const config = CONFIG.replace('{use: demo/any,', '{use: demo/any, contextWindow: 2600,');
  const server = await served({
    files: scripted({ reader: agent('tools: [files]\nmaxTurns: 30\n') }, script, { 'cadre.yaml': config }),
  });
  const run = await server.run('reader', 'Read.');
  const { ledger } = await server.api<{ ledger: { path: string; compact?: true }[] }>(`/api/runs/${run}`);
  const op = ledger.find(({ compact }) => compact)?.path;
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}#${op}`));
  await wholeRun(page, run);
  await page.getByRole('heading', { name: 'Sums up' }).waitFor();
  await expect
    .poll(() => page.locator('.facts').first().innerText())
    .toMatch(/tokens\s+[\d.k]+ in, \d+ out\s+cost\s+\$0\.\d+/);
});
