// Verdicts of persons, from here and from elsewhere.

import { expect, test } from 'vitest';
import type { RunEvent } from '../journal/event.ts';
import type { Verdict } from '../kernel/effect.ts';
import { Verdicts } from './verdicts.ts';

const elsewhere = (refused?: string): RunEvent => ({
  type: 'control',
  seq: 1,
  at: 5,
  message: { kind: 'verdict', id: 'v', op: '0.1', approved: false, by: 'elsewhere' },
  ...(refused !== undefined && { refused }),
});
const QUESTION = { op: '0.1', key: 'k' };
const here: Verdict = { approved: true, by: 'here' };
const { signal } = new AbortController();

test.each([0, 1, 2, 3, 4, 5, 6])(
  'a verdict that was not refused counts, also where one from here is %i steps on its way',
  async (steps) => {
    const verdicts = new Verdicts();
    const answer = verdicts.on(QUESTION, async () => here, signal);
    for (let step = 0; step < steps; step++) await Promise.resolve();
    const isLate = verdicts.decided('0.1') !== undefined;
    if (!isLate) verdicts.add(elsewhere());
    expect((await answer).by).toBe(isLate ? 'here' : 'elsewhere');
    expect(verdicts.decided('0.1')?.by).toBe(isLate ? 'here' : 'elsewhere');
  },
);

test('a question asked here is aborted when a verdict came from elsewhere', async () => {
  const verdicts = new Verdicts();
  let told: AbortSignal | undefined;
  const answer = verdicts.on(QUESTION, (until) => ((told = until), new Promise(() => {})), signal);
  expect(told?.aborted).toBe(false);
  verdicts.add(elsewhere());
  expect(await answer).toEqual({ approved: false, by: 'elsewhere' });
  expect(told?.aborted).toBe(true);
});

test('without a person here to answer, the op waits for a verdict from elsewhere', async () => {
  const verdicts = new Verdicts();
  const answer = verdicts.on(QUESTION, async () => undefined, signal);
  await new Promise((resolve) => setImmediate(resolve));
  verdicts.add(elsewhere('too late'));
  verdicts.add(elsewhere());
  expect(await answer).toMatchObject({ by: 'elsewhere' });
});

test('a verdict that came before the op asks is its answer, and no person is asked', async () => {
  const verdicts = new Verdicts();
  verdicts.add(elsewhere());
  expect(await verdicts.on(QUESTION, () => expect.unreachable('somebody was asked'), signal)).toMatchObject({
    by: 'elsewhere',
  });
});
