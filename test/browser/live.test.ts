// A run that is at work, in a real browser: who is counted as working, what is followed and what ends that, what the
// page draws and asks for while very many sessions work.

import { expect, test } from 'vitest';
import { newPage } from './support/page.ts';
import { agent, type Files, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

/** A boss that spawns workers, and waits for them. */
const spawning = (count: number, atOnce: number, worker: readonly unknown[]): Files =>
  scripted(
    {
      boss: agent(`spawn: {agents: [worker], maxChildren: ${count}, maxTotal: ${count}, maxConcurrent: ${atOnce}}\n`),
      worker: agent('tools: [files]\n'),
    },
    {
      agents: {
        boss: [
          {
            call: {
              sessions_spawn: {
                agent: 'worker',
                label: 'w',
                task: Array.from({ length: count }, (_, index) => `place ${index}`),
                parallel: true,
              },
            },
          },
          { call: { sessions_wait: {} } },
          { answer: 'All are back.' },
        ],
        worker,
      },
    },
  );

test('who waits or is queued is not at work, wherever sessions are counted', async () => {
  const server = await served({ files: spawning(41, 3, [{ answer: 'Seen.', delay: '10m' }]) });
  const run = await server.run('boss', 'Send them out.', false);
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  await page.getByText('42 sessions, 3 at work').waitFor();
  await expect.poll(() => page.locator('.now-share').textContent()).toBe('3 at work · 38 queued · 1 waits');
});
