// Maps on the page: the items of a list in the graph, in the timeline and in the conversation, while one of them waits for
// a person, at an earlier moment, and at the end.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/journal/event.ts';
import type { ApprovalList } from '../../src/server/protocol.ts';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { agent, type Files, scripted } from './support/scripts.ts';
import { type Served, served } from './support/served.ts';

const LIST = 'output: {schema: {type: object, required: [letters], properties: {letters: {type: array}}}}\n';

/** Letters that are read one after the other. Nobody can read the second, and a person is asked about the third. */
const digest = (letters: readonly string[]): Files =>
  scripted(
    {
      sorter: agent(`${LIST}next: {each: letters, to: reader, max: ${letters.length}, concurrent: 1, join: editor}\n`),
      reader: agent('tools: [files]\napprove: [files]\n'),
      editor: agent(''),
    },
    {
      agents: {
        sorter: [{ report: { letters } }],
        reader: [
          { when: { tool: 'read_file' }, answer: 'It is read.' },
          { when: { input: letters[1] }, fault: { status: 400 } },
          { when: { input: letters[2] }, call: { read_file: { path: 'cadre.yaml' } } },
          { answer: 'It is read.' },
        ],
        editor: [{ answer: 'The digest.' }],
      },
    },
  );

const LETTERS = ['bread', 'smudged', 'rudder', 'lighthouse', 'anchor'];

const box = (page: Page, name: string) => page.getByRole('option').filter({ hasText: name }).first();

/** The cells of the box, by their looks. */
const cells = (page: Page): Promise<readonly string[]> =>
  box(page, 'reader')
    .locator('.graph-cells i')
    .evaluateAll((all) => all.map((one) => (one as unknown as { className: string }).className));

/** The number of events after which this item has just begun. */
function beginOf(index: number, run: string, { folder }: Served): number {
  const lines = readFileSync(join(folder, '.cadre/runs', run, 'events.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const events = lines.map((line) => JSON.parse(line) as RunEvent);
  const isBegin = (event: RunEvent): boolean =>
    event.type === 'op-start' && event.op.kind === 'run' && event.op.trigger.index === index;
  return events.findIndex(isBegin) + 1;
}

test('the graph has a cell for each item, while one waits for a person, at an earlier moment, and at the end', async () => {
  const server = await served({ files: digest(LETTERS) });
  const run = await server.run('sorter', 'What came in?', false);
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}/graph?node=reader`));
  await expect.poll(() => box(page, 'reader').textContent()).toContain('1 of 5 items, 1 failed, 1 asks you');
  await expect.poll(() => box(page, 'reader').locator('.graph-name').textContent()).toContain('readereach');
  await expect.poll(() => cells(page)).toEqual(['c-good', 'c-bad', 'c-asks', '', '']);
  const side = page.getByRole('complementary', { name: 'reader, its sessions' });
  await expect.poll(() => side.textContent()).toContain('items1 of 5');
  await expect.poll(() => side.textContent()).toContain('item 3 of 5');
  await expect.poll(() => violations(page)).toEqual([]);

  const earlier = await newPage();
  await earlier.goto(server.at(`/runs/${run}/graph?at=${beginOf(1, run, server)}`));
  await expect.poll(() => box(earlier, 'reader').textContent()).toContain('1 of 5 items, 1 at work');
  await expect.poll(() => cells(earlier)).toEqual(['c-good', 'c-live', '', '', '']);

  const { waiting } = await server.api<ApprovalList>('/api/approvals');
  await server.api(`/api/runs/${run}/ops/${waiting[0]!.path}/verdict`, { approved: true });
  await expect.poll(() => box(page, 'reader').textContent()).toContain('4 of 5 items, 1 failed');
  await expect.poll(() => cells(page)).toEqual(['c-good', 'c-bad', 'c-good', 'c-good', 'c-good']);
  await expect.poll(() => box(page, 'editor').textContent()).toContain('answered');
  await expect.poll(() => cells(earlier)).toEqual(['c-good', 'c-live', '', '', '']);
  await expect.poll(() => violations(page)).toEqual([]);
});

test('the timeline and the conversation say which item it is', async () => {
  const server = await served({ files: digest(LETTERS) });
  const run = await server.run('sorter', 'What came in?', false);
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  const grid = page.getByRole('treegrid').first();
  await expect.poll(() => grid.textContent()).toContain('1 of 5 items, 1 at work, 1 failed');
  await expect.poll(() => grid.textContent()).toContain('item 2 of 5');
  await expect.poll(() => grid.textContent()).toContain('item 3 of 5');
  await expect.poll(() => violations(page)).toEqual([]);
  await page.goto(server.at(`/runs/${run}/conversation`));
  const talk = page.getByRole('list', { name: 'Conversation of sorter' });
  await expect.poll(() => talk.textContent()).toContain('item 3 of 5');
  const sessions = page.getByRole('navigation', { name: 'Sessions' });
  await sessions.getByRole('link').filter({ hasText: 'item 2 of 5' }).click();
  await page.getByText('item 2 of 5 by sorter').waitFor();
  await expect.poll(() => violations(page)).toEqual([]);
});

test('the graph has a bar for more than forty items', async () => {
  const letters = [...LETTERS, ...Array.from({ length: 40 }, (_, index) => `more ${index}`)];
  const server = await served({ files: digest(letters) });
  const run = await server.run('sorter', 'What came in?', false);
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}/graph`));
  await expect.poll(() => box(page, 'reader').textContent()).toContain('1 of 45 items, 1 failed, 1 asks you');
  await expect.poll(() => box(page, 'reader').locator('.share-bar i').count()).toBe(4);
  await expect.poll(() => cells(page)).toEqual([]);
});
