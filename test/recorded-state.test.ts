// The state of a run follows from its events. Broken off at any of them, a budget's reminder and a message from outside
// are told once: not lost, and not told again.

import { expect, test } from 'vitest';
import type { CadreDefinition } from '../src/definition/definition.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { ControlMessage } from '../src/kernel/control.ts';
import type { ModelReply, ModelRequest } from '../src/kernel/effect.ts';
import { okResult } from '../src/kernel/message.ts';
import type { CadreResources } from '../src/run/resources.ts';
import { services } from '../src/run/services.ts';
import type { Tool } from '../src/tools/tool.ts';
import {
  type BenchOptions,
  bench,
  brokenOff,
  cadre,
  call,
  callableIn,
  type Finished,
  finish,
  type Model,
} from './support/cadre.ts';
import { announced, boss, calls, hang, receipts, report, spawn, waiting } from './support/spawning.ts';

const note: Tool = {
  spec: { name: 'note', description: 'Takes a note.', parameters: { type: 'object' } },
  repeat: 'safe',
  execute: async () => okResult('noted'),
};
const start = { agent: 'lead', input: { text: 'go' } };
const users = ({ messages }: ModelRequest): readonly string[] =>
  messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));

/** Each call counts 300 tokens, by the budget and in the record; the third turn answers with what it was told. */
const countingCalls =
  (asked: ModelRequest[]): CadreResources['callModel'] =>
  async (request, { runBudget }) => {
    asked.push(request);
    const held = runBudget?.reserve({ tokens: 300 });
    if (held !== undefined && 'code' in held) return { ok: false, fault: held };
    held?.settle({ tokens: 300 });
    const spent = { model: 'test/model', usage: { input: 10, output: 5 }, counted: { tokens: 300 } };
    const isLast = request.turn === 3;
    const text = isLast ? users(request).join(' | ') : '';
    const wants = isLast ? [] : [{ id: `c${request.turn}`, name: 'note', arguments: {} }];
    return { ok: true, value: { message: { role: 'assistant', text, calls: wants }, spent } };
  };

const REMINDER = 'The budget of lead is nearly spent: 600 of 1000 tokens. Finish soon.';
const frugal = cadre({ name: 'lead', tools: ['note'], budget: { tokens: 1000 } });

const reminders = (events: readonly RunEvent[]): readonly unknown[] =>
  events.flatMap((event) => {
    if (event.type !== 'op-end' || event.kind !== 'model' || !event.result.ok) return [];
    const { reminder } = event.result.value as ModelReply;
    return reminder === undefined ? [] : [reminder];
  });

async function resumed(
  events: readonly RunEvent[],
  run: string,
  of: CadreDefinition,
  model: Model,
  options: BenchOptions,
) {
  const b = bench(of, model, { ...options, store: await brokenOff(events, events.length, run) });
  const outcome = await (await b.engine.resume(run)).outcome();
  const all = await readAll(run, b.store);
  expect(await replay(all, of, services)).toMatchObject({ kind: 'identical', ended: true });
  return { outcome, events: all, calls: b.calls };
}

test('a reminder that a budget is nearly spent is told once, wherever the run is broken off', async () => {
  const model: Model = () => '';
  const asked: ModelRequest[] = [];
  const whole = await finish(bench(frugal, model, { tools: [note], callModel: countingCalls(asked) }), start);
  expect(whole.outcome).toMatchObject({ kind: 'answered', text: `go | ${REMINDER}` });
  expect(reminders(whole.events)).toEqual([{ to: '0', text: REMINDER, of: ['0'] }]);
  for (let count = 1; count < whole.events.length; count++) {
    const again = await resumed(whole.events.slice(0, count), whole.run, frugal, model, {
      tools: [note],
      callModel: countingCalls(asked),
    });
    expect(again.outcome).toEqual(whole.outcome);
    expect(reminders(again.events)).toEqual(reminders(whole.events));
  }
});

test('a run of an earlier release, which recorded a reminder only with its take, tells nothing again', async () => {
  const model: Model = () => '';
  const options = { tools: [note], callModel: countingCalls([]) };
  const whole = await finish(bench(frugal, model, options), start);
  const earlier = whole.events.map((event) => {
    if (event.type !== 'op-end' || event.kind !== 'model' || !event.result.ok) return event;
    const { reminder: _reminder, ...value } = event.result.value as ModelReply;
    return { ...event, result: { ok: true as const, value } };
  });
  expect(await replay(earlier, frugal, services)).toMatchObject({ kind: 'identical', ended: true });
  const taken = earlier.findIndex((event) => event.type === 'op' && event.kind === 'take');
  for (let count = taken + 1; count < earlier.length; count++) {
    const again = await resumed(earlier.slice(0, count), whole.run, frugal, model, options);
    expect(again.outcome).toEqual(whole.outcome);
  }
});

const talker = cadre({ name: 'lead', tools: ['note'] });
/** Takes notes until its third turn, and answers with all that it was told. */
const listens: Model = (request) => (request.turn < 3 ? call('note', {}) : users(request).join(' | '));
const withTools: BenchOptions = { tools: [note] };

/** The first events of a run, and then a message from outside. */
const told = (whole: Finished, count: number, message: ControlMessage): readonly RunEvent[] => [
  ...whole.events.slice(0, count),
  { seq: count, at: Date.now(), type: 'control', message },
];
const firstEnd = ({ events }: Finished): number =>
  events.findIndex((event) => event.type === 'op-end' && event.kind === 'model') + 1;

test('a message that was recorded reaches its session once, wherever the run is broken off afterwards', async () => {
  const whole = await finish(bench(talker, listens, withTools), start);
  const begun = told(whole, firstEnd(whole), { kind: 'send', id: 'm1', text: 'in metric units' });
  const first = await resumed(begun, whole.run, talker, listens, withTools);
  expect(first.outcome).toMatchObject({ kind: 'answered', text: 'go | in metric units' });
  for (let count = begun.length; count < first.events.length; count++) {
    const again = await resumed(first.events.slice(0, count), whole.run, talker, listens, withTools);
    expect(again.outcome).toEqual(first.outcome);
  }
});

test('a run whose cancellation was recorded asks nobody any more when it is resumed', async () => {
  const whole = await finish(bench(talker, listens, withTools), start);
  const begun = told(whole, firstEnd(whole), { kind: 'cancel', id: 'm1', reason: 'Not needed.' });
  const again = await resumed(begun, whole.run, talker, listens, withTools);
  expect(again.outcome).toMatchObject({ kind: 'cancelled', fault: { message: 'Not needed.' } });
  expect(again.calls).toEqual([]);
});

test('a run whose stop was recorded is asked for its final answer when it is resumed', async () => {
  const model: Model = (request) => (callableIn(request).includes('note') ? call('note', {}) : report('what I have'));
  const of = cadre({ name: 'lead', tools: ['note'], maxTurns: 4 });
  const whole = await finish(bench(of, model, withTools), start);
  const begun = told(whole, firstEnd(whole), { kind: 'stop', id: 'm1', reason: 'Enough.' });
  const again = await resumed(begun, whole.run, of, model, withTools);
  expect(again.outcome).toMatchObject({ kind: 'answered', text: 'what I have' });
  expect(again.calls).toHaveLength(1);
});

test('a spawned run whose cancellation was recorded is cancelled when the run is resumed, and does no work', async () => {
  const of = boss();
  const first = calls(spawn({ task: 'a', label: 'a' }), spawn({ task: 'b', label: 'b' }));
  const model = waiting(first, (request, signal) => (users(request).includes('a') ? hang(signal) : 'b is done'));
  const b = bench(of, model);
  const handle = await b.engine.start({ agent: 'boss', input: { text: 'go' } });
  const seen: RunEvent[] = [];
  for await (const event of handle.events()) {
    seen.push(event);
    if (announced(seen).length === 1) break; // b is done, and a hangs
  }
  const kid = receipts(seen)[0]?.run ?? '';
  handle.interrupt('cancel', 'the process is gone');
  await handle.outcome();
  const begun: readonly RunEvent[] = [
    ...seen,
    {
      seq: seen.length,
      at: Date.now(),
      type: 'control',
      message: { kind: 'cancel', id: 'm1', to: kid, reason: 'Enough.' },
    },
  ];
  const again = await resumed(begun, handle.run, of, model, {});
  expect(announced(again.events)).toEqual(['b answered', 'a cancelled']);
  expect(again.outcome).toMatchObject({ kind: 'answered', text: 'heard a cancelled, b answered' });
  expect(again.calls.filter((one) => !one.startsWith('0#'))).toEqual([]);
});

test('a message to a spawned run that was recorded is in its inbox when the run is resumed', async () => {
  const of = boss();
  const heard: string[] = [];
  const model = waiting(calls(spawn({ task: 'a', label: 'a' })), (request) => {
    heard.push(users(request).join(' | '));
    return 'done';
  });
  const whole = await finish(bench(of, model), { agent: 'boss', input: { text: 'go' } });
  const spawned = whole.events.findIndex((event) => event.type === 'op' && event.kind === 'spawn') + 1;
  const kid = receipts(whole.events)[0]?.run ?? '';
  heard.length = 0;
  const begun = told(whole, spawned, { kind: 'send', id: 'm1', to: kid, text: 'in metric units' });
  await resumed(begun, whole.run, of, model, {});
  expect(heard).toEqual(['a | in metric units']);
});
