// The server goes away and comes back while a run is watched, or begins to tell late.

import { expect, test } from 'vitest';
import { hold } from './support/held.ts';
import { armed, newPage } from './support/page.ts';
import { agent, asking, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

test('a restart of the server in the middle of a run loses nothing that is shown, and the run goes on', async () => {
  const server = await served({ files: asking() });
  const run = await server.run('clerk', 'Read it.', false);
  const page = await newPage({ expected: /net::ERR_/ });
  await page.goto(server.at(`/runs/${run}`));
  await page
    .getByText(/asks you/)
    .first()
    .waitFor();
  const rows = await page.locator('.tl-row').count();
  await server.stop('kill');
  await page.getByRole('status').filter({ hasText: 'reconnecting' }).waitFor();
  await expect.poll(() => page.locator('.tl-row').count()).toBe(rows);
  await expect.poll(() => page.getByRole('button', { name: 'Cancel' }).getAttribute('aria-disabled')).toBe('true');
  await server.again();
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
  // It asks again after the restart: the answer is given, and the run answers.
  await page.keyboard.press('p');
  await armed(page);
  await page.keyboard.press('Control+Enter');
  await page.locator('.run-head .chip', { hasText: 'answered' }).waitFor();
});

test('the page stays live when nobody reads the log of its server, and the lines are counted', async () => {
  const server = await served({
    files: scripted({ host: agent('') }, { agents: { host: [{ answer: 'Hello.', repeat: true }] } }),
  });
  const page = await newPage();
  await page.goto(server.at('/'));
  server.closeOutputs();
  const field = page.getByRole('textbox', { name: 'Ask host' });
  await field.fill('hi');
  await field.press('Enter');
  await page.locator('.run-head .chip', { hasText: 'answered' }).waitFor();
  await expect
    .poll(async () => (await server.api<{ readonly lostLogLines: number }>('/healthz')).lostLogLines)
    .toBeGreaterThan(0);
  // The server that lost them is the one that answers the next question.
  await page.goto(server.at('/chat/new'));
  await page.getByRole('textbox', { name: 'Ask host' }).fill('hi again');
  await page.keyboard.press('Enter');
  await page.getByText('Hello.').first().waitFor();
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
});

test('a run that comes between the first look at a list and the beginning of the stream is shown', async () => {
  const server = await served({ files: asking() });
  const page = await newPage();
  const release = await hold(page, '**/api/stream');
  await page.goto(server.at('/approvals'));
  await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
  await server.run('clerk', 'Read it.', false);
  const waiting = async (): Promise<number> =>
    ((await server.api('/api/approvals')) as { waiting: readonly unknown[] }).waiting.length;
  await expect.poll(waiting).toBe(1);
  release();
  await page.getByRole('heading', { name: '1 question waits for you' }).waitFor();
});
