// Calls that wait for a person, as events tell it.

import { expect, test } from 'vitest';
import type { RunEvent, UnstampedEvent } from '../journal/event.ts';
import { fault } from '../kernel/fault.ts';
import { ApprovalsFold } from './approvals.ts';

/** The events in their places, ten milliseconds apart. */
function foldOf(...events: readonly UnstampedEvent[]) {
  const fold = new ApprovalsFold();
  events.forEach((event, seq) => fold.add({ seq, at: 1000 + seq * 10, ...event } as RunEvent));
  return fold;
}

const asks = (path: string): UnstampedEvent => ({
  type: 'op-start',
  path,
  op: { kind: 'approval', prompt: 'ann wants to call pay', about: { name: 'pay' } },
});
const says = (op: string, by: string, refused?: string): UnstampedEvent => ({
  type: 'control',
  message: { kind: 'verdict', id: `v-${by}`, op, approved: true, by },
  ...(refused !== undefined && { refused }),
});

test('a call that is asked about again after a crash waits since the first time', () => {
  const fold = foldOf(asks('0.1'), asks('0.2'), asks('0.1'));
  expect(fold.waiting().map(({ path, at }) => [path, at])).toEqual([
    ['0.1', 1000],
    ['0.2', 1010],
  ]);
});

test('the first verdict counts, and one that was refused does not', () => {
  const fold = foldOf(asks('0.1'), says('0.1', 'eve', 'too late'), says('0.1', 'ann'), says('0.1', 'bob'));
  expect(fold.waiting()).toEqual([]);
  expect(fold.decided.get('0.1')).toEqual({ approved: true, by: 'ann' });
});

test('a call that was decided before its process died does not wait when it is asked about again', () => {
  expect(foldOf(asks('0.1'), says('0.1', 'ann'), asks('0.1')).waiting()).toEqual([]);
});

test('a call that ended without a verdict does not wait, and no one has decided it', () => {
  const result = { ok: false as const, fault: fault('cancelled', 'enough') };
  const fold = foldOf(asks('0.1'), { type: 'op-end', path: '0.1', kind: 'approval', result });
  expect(fold.waiting()).toEqual([]);
  expect(fold.decided.size).toBe(0);
});

test('nothing waits in a run that has ended', () => {
  expect(foldOf(asks('0.1'), { type: 'run-end', outcome: { kind: 'answered', text: '' } }).waiting()).toEqual([]);
});

const call = (path: string, id: string): UnstampedEvent => ({
  type: 'op-start',
  path,
  op: { kind: 'tool', agent: 'ann', call: { id, name: 'pay', arguments: {} } },
});
const asksAbout = (path: string, id: string): UnstampedEvent => ({
  type: 'op-start',
  path,
  op: { kind: 'approval', prompt: 'ann wants to call pay', about: { id, name: 'pay' } },
});
const answers = (path: string, status: 'ok' | 'error', text: string): UnstampedEvent => ({
  type: 'op-end',
  path,
  kind: 'tool',
  result: { ok: true, value: { status, text } },
});

test('the result of a call stands with the verdict, also where another session has a call of the same id', () => {
  const fold = foldOf(
    asksAbout('0.1.0', 'call-1'),
    asksAbout('0.2.0', 'call-1'),
    asksAbout('0.3', 'call-9'),
    says('0.1.0', 'ann'),
    says('0.2.0', 'bob'),
    says('0.3', 'eve'),
    call('0.2.1', 'call-1'),
    answers('0.2.1', 'error', `no such order ${'x'.repeat(500)}`),
    call('0.1.1', 'call-1'),
  );
  expect(fold.settled()).toMatchObject([
    { path: '0.1.0', verdict: { by: 'ann' }, at: 1000, decidedAt: 1030, call: { path: '0.1.1', state: 'running' } },
    { path: '0.2.0', call: { path: '0.2.1', state: 'failed', text: expect.stringMatching(/^no such order x{186}$/) } },
    { path: '0.3' },
  ]);
  expect(fold.settled()[2]).not.toHaveProperty('call');
});
