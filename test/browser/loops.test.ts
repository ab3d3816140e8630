// Loops on the page: the round in the graph, what was sent back in the timeline and in the conversation, and an answer
// that was never found good.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ROOT } from '../support/fences.ts';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { agent, type Files, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const loop = (keys: string, verdicts: readonly boolean[]): Files =>
  scripted(
    { writer: agent(`repeat: {until: critic, max: 4${keys}}\n`), critic: agent('') },
    {
      agents: {
        writer: verdicts.map((_, round) => ({ answer: `Draft ${round + 1}.` })),
        critic: verdicts.map((good, round) => ({
          when: { input: `Draft ${round + 1}.` },
          report: { good, why: good ? 'It names the year.' : `Name the year, round ${round + 1}.` },
        })),
      },
    },
  );

const box = (page: Page, name: string) => page.getByRole('option').filter({ hasText: name }).first();

test('the graph shows the round and what the judge said, and the side each round with its reason', async () => {
  const server = await served({ files: loop('', [false, true]) });
  const run = await server.run('writer', 'Write about the flood.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}/graph`));
  await expect.poll(() => box(page, 'writer').textContent()).toContain('round 2 of 4');
  await expect.poll(() => box(page, 'critic').textContent()).toContain('good in round 2');
  await expect.poll(() => box(page, 'writer').locator('.graph-cells i').count()).toBe(4);
  await expect.poll(() => box(page, 'writer').locator('.c-back').count()).toBe(1);
  await expect.poll(() => box(page, 'writer').locator('.c-good').count()).toBe(1);
  await box(page, 'critic').click();
  const side = page.getByRole('complementary', { name: 'critic, its sessions' });
  await expect.poll(() => side.textContent()).toContain('Rounds of writer');
  await expect.poll(() => side.textContent()).toContain('not goodName the year, round 1.');
  await expect.poll(() => violations(page)).toEqual([]);
});

test('the timeline and the conversation say which answer was sent back, and why', async () => {
  const server = await served({ files: loop('', [false, true]) });
  const run = await server.run('writer', 'Write about the flood.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  const grid = page.getByRole('treegrid').first();
  await expect.poll(() => grid.textContent()).toContain('sent back: Name the year, round 1.');
  await expect.poll(() => grid.textContent()).toContain('judge, round 1 of 4, not good');
  await expect.poll(() => grid.textContent()).toContain('judge, round 2 of 4, good');
  await expect.poll(() => grid.textContent()).toContain('2 rounds');
  await page.goto(server.at(`/runs/${run}/conversation`));
  const talk = page.getByRole('list', { name: 'Conversation of writer' });
  await expect.poll(() => talk.textContent()).toContain('FEEDBACK, ROUND 2 OF 4');
  await expect.poll(() => talk.textContent()).toContain('sent back: Name the year, round 1.');
  await expect.poll(() => violations(page)).toEqual([]);
});

test('an answer that no judge took says so beside it', async () => {
  const server = await served({ files: loop(', atMax: last', [false, false, false, false]) });
  const run = await server.run('writer', 'Write about the flood.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  const answer = page.getByRole('complementary').first();
  await expect.poll(() => answer.textContent()).toContain('unmet: not found good in 4 rounds');
  await expect.poll(() => page.getByRole('treegrid').first().textContent()).toContain('4 rounds, unmet');
});

test('a command that judges is a box of the graph, with its verdict and the output of each round', async () => {
  const mender = readFileSync(join(ROOT, 'examples/mend/mender.md'), 'utf8');
  const trusting = mender.replace('trust: [', 'trust: [files:write, ');
  const server = await served({ example: 'mend', files: { 'mender.md': trusting } });
  const run = await server.run('mender', 'The tests fail.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}/graph`));
  await expect.poll(() => box(page, 'npm test').textContent()).toContain('good in round 2');
  await box(page, 'npm test').click();
  const side = page.getByRole('complementary', { name: '`npm test`, its sessions' });
  await expect.poll(() => side.textContent()).toContain('half a metre');
});
