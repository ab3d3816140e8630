// Runs that ended without an answer: what is said of it, and which button can help.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentDetail } from '../../src/server/protocol.ts';
import { newPage } from './support/page.ts';
import { agent, failing, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

test('a fault says what happened, how often, the code last and the way out, and each number once', async () => {
  const server = await served({ files: failing() });
  const run = await server.run('desk', 'Order 17.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  const banner = page.getByRole('alert');
  await banner
    .getByText(/^upstream connect error .*, 3 attempts \(model\/server\)\. Trying again may help\.$/)
    .waitFor();
  expect((await banner.innerText()).match(/\b3\b/g)).toHaveLength(1);
  await page.getByRole('button', { name: 'Fork and go on' }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Fork as it was' }).count()).toBe(0);
});

test('a cancelled run is plain: grey, by whom and when, and without advice about another try', async () => {
  const server = await served({
    files: scripted({ desk: agent('') }, { agents: { desk: [{ delay: '600s', answer: 'Late.' }] } }),
  });
  const run = await server.run('desk', 'Order 17.', false);
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  await page.locator('.tl-row').first().waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Stops 1 session. 1 model call is in flight and may still be charged.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel it' }).click();
  const banner = page.locator('.banner');
  await banner.getByText(/^Cancelled by you, [\d.]+ m?s in\.$/).waitFor();
  await expect.poll(() => banner.getAttribute('class')).toContain('s-plain');
  await expect.poll(() => page.getByText(/another try|Trying again/).count()).toBe(0);
  await page.goto(server.at(`/runs/${run}?level=ops#0.1`));
  await page.getByRole('heading', { level: 3, name: 'Cancelled' }).waitFor();
  await expect.poll(() => page.getByRole('heading', { name: 'Failed' }).count()).toBe(0);
  await page.locator('.tl-row .b-cancelled').first().waitFor();
  await expect.poll(() => page.locator('.tl-row .b-failed').count()).toBe(0);
});

test('the big button is the one that can help: after a limit it takes the files as they are today', async () => {
  const server = await served({
    files: scripted(
      { desk: agent('tools: [files]\nmaxTurns: 2\n') },
      {
        agents: {
          desk: [
            { call: { read_file: { path: 'desk.md' } } },
            { call: { read_file: { path: 'cadre.yaml' } } },
            { answer: 'Read.' },
          ],
        },
      },
    ),
  });
  const run = await server.run('desk', 'Read them.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  const help = page.getByRole('button', { name: 'Fork with today’s files' });
  await help.waitFor();
  await expect.poll(() => help.getAttribute('class')).toContain('main');
  await expect
    .poll(() => page.getByRole('button', { name: 'Fork as it was' }).getAttribute('class'))
    .not.toContain('main');
  await page.getByText('Raise maxTurns in desk.md, and fork with the files as they are then.').waitFor();
  // The form and the button are about one fork.
  await page.getByLabel('agents', { exact: true }).selectOption('pinned');
  await page.getByRole('button', { name: 'Fork and go on' }).waitFor();
  await page.getByLabel('agents', { exact: true }).selectOption('today');
  writeFileSync(join(server.folder, 'desk.md'), agent('tools: [files]\nmaxTurns: 5\n'));
  const settings = async () => JSON.stringify((await server.api<AgentDetail>('/api/agents/desk')).settings);
  await expect.poll(settings).toMatch(/"maxTurns[^}]*5/);
  await help.click();
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.includes(run));
  await page.locator('.run-head').getByText('answered').waitFor();
});
