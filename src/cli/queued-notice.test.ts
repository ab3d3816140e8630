import { expect, test } from 'vitest';
import type { RunSummary } from '../journal/store.ts';
import { tellingQueued } from './queued-notice.ts';

test('the reason why a run waits for a worker is told the second time that it is seen waiting, each one once', async () => {
  const told: string[] = [];
  const reasons = ['no worker', 'no worker', 'all are full', 'no worker'];
  const states = [true, undefined, true, true, true, true, true];
  const look = tellingQueued({
    summary: async () => ({ queued: states.shift() }) as RunSummary,
    why: async () => reasons.shift(),
    tell: (text) => void told.push(text),
  });
  for (const before of [[], [], [], ['queued: no worker']]) {
    await look();
    expect(told).toEqual(before);
  }
  for (let looks = 0; looks < 3; looks++) await look();
  expect(told).toEqual(['queued: no worker', 'queued: all are full']);
  expect(reasons).toEqual([]);
});
