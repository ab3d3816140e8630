// `spawn`, with its questions answered by hand: the call, what it launches, and the report that is held.

import { expect, test } from 'vitest';
import { answered, ByHand, contextOf, inputFor } from '../../../test/support/by-hand.ts';
import type { Routine } from '../../kernel/effect.ts';
import { fault } from '../../kernel/fault.ts';
import type { ToolResult } from '../../kernel/message.ts';
import { brokenOutcome, type Outcome } from '../../kernel/outcome.ts';
import { openConversation } from '../../kernel/session/conversation.ts';
import type { SessionInput } from '../../kernel/session/session-spec.ts';
import type { SpawnReport } from '../../kernel/spawned.ts';
import { withSpawnTools } from './with-spawn-tools.ts';

const limits = { maxDepth: 2, maxChildren: 5, maxTotal: 5, maxConcurrent: 2 };

/** A session whose tools the test calls, and which ends when it is told to. */
function open(last = false) {
  let input: SessionInput | undefined;
  const wrapped = withSpawnTools(
    { ...limits, agents: ['ann'] },
    contextOf('boss'),
  )(function* (given): Routine<Outcome> {
    input = given;
    yield { kind: 'clock' };
    return answered('done');
  });
  const session = new ByHand(wrapped(inputFor('please', { conversation: { ...openConversation(), last } })));
  const call = (name: string, given: unknown = {}) => {
    const tool = [...(input?.tools ?? []), ...(input?.exits ?? [])].find(({ spec }) => spec.name === name);
    if (tool === undefined) throw new Error(`there is no ${name}`);
    return new ByHand(tool.run({ id: 'c', name, arguments: given }, openConversation()));
  };
  /** Spawns, is answered, and gives what is launched. */
  const spawn = (label: string, more: object = {}) => {
    const run = call('sessions_spawn', { task: `do ${label}`, agent: 'ann', label, ...more });
    const accepted = { status: 'accepted', run: `r~${label}`, sessionKey: `r:${label}` };
    const [launched] = run.launch({ group: `r~${label}-group`, receipts: [accepted] });
    if (launched === undefined) throw new Error('nothing was launched');
    return launched;
  };
  return { session, call, spawn };
}

const report = (label: string, outcome?: Outcome): SpawnReport => ({
  run: `r~${label}`,
  label,
  agent: 'ann',
  state: outcome?.kind ?? 'running',
  parent: '0',
  session: `0.${label}`,
  after: [],
  spawnedAt: 1,
  ...(outcome && { outcome }),
  ...(outcome !== undefined && 'fault' in outcome && { fault: outcome.fault }),
});
const json = (run: ByHand<unknown>) => JSON.parse((run.value as ToolResult).text) as Record<string, unknown>;

test('a run asks for its slot, runs, and is announced to the session that spawned it', () => {
  const run = open().spawn('one');
  expect(run.asked).toEqual({ kind: 'begin', run: 'r~one' });
  run.answer({ began: true });
  expect(run.asked).toEqual({
    kind: 'run',
    agent: 'ann',
    input: { text: 'do one' },
    trigger: { kind: 'spawn', spawned: 'r~one' },
  });
  run.answer(answered('dry'));
  const announced = run.effect('announce');
  expect(announced).toMatchObject({ run: 'r~one', to: '0' });
  expect(announced.end).toBeUndefined();
  expect(announced.text).toMatch(/^## SPAWNED RUN `one` HAS ENDED: answered\n\nrunId: r~one\n\n<<<[\s\S]*\ndry\n/);
  expect(run.answer(null).value).toBeUndefined();
});

test('a run with dependencies waits for them first, and is given their results where it asks for them', () => {
  const { spawn } = open();
  spawn('one');
  const run = spawn('two', { chainAfter: 'one', includeDependencyResult: true, runTimeoutSeconds: 2 });
  expect(run.asked).toEqual({
    kind: 'await-runs',
    runs: ['r~one'],
    need: 1,
    by: 'r~two',
    withinMs: 1_800_000,
    results: true,
  });
  run.answer({ over: 'done', runs: [report('one', answered('dry'))] }).answer({ began: true });
  const { input, limits } = run.effect('run');
  expect(input).toMatchObject({
    quoted: true,
    text: expect.stringMatching(/^\[Previous step result\]:\n<<<[\s\S]*dry/),
  });
  expect(input.text).toMatch(/\[Current task\]:\ndo two$/);
  expect(limits).toEqual({ ms: 2000 });
});

test('a run whose dependency failed is skipped and names the root cause, unless it was told to go on', () => {
  const failed = report('one', brokenOutcome(fault('model/server', '503')));
  const { spawn } = open();
  spawn('one');
  const skipped = spawn('two', { chainAfter: 'one' }).answer({ over: 'done', runs: [failed] });
  expect(skipped.effect('announce').end).toMatchObject({
    fault: { code: 'spawn/dependency', details: { rootCause: { run: 'r~one', state: 'failed', message: '503' } } },
  });
  const goesOn = spawn('three', { chainAfter: 'one', onDependencyFailure: 'continue' });
  expect(goesOn.answer({ over: 'done', runs: [failed] }).asked).toMatchObject({ kind: 'begin' });
});

test('a run that may not begin any more is announced with that', () => {
  const run = open()
    .spawn('one')
    .answer({ began: false, fault: fault('cancelled', 'enough') });
  expect(run.effect('announce').end).toMatchObject({ kind: 'cancelled', fault: { message: 'enough' } });
});

test('the mistake in a call is told, and nothing is launched', () => {
  const { call } = open();
  const told = (given: object) => String(json(call('sessions_spawn', { task: 't', ...given }))['error']);
  expect(told({ chainAfter: 'none' })).toContain('There is no run "none"');
  expect(told({ label: 'me', chainAfter: 'me' })).toContain('cyclic');
  expect(told({ task: ['a', 'b'] })).toContain('"parallel": true');
  expect(told({ task: ' ' })).toBe('The task is empty.');
});

test('a report is held once while runs are at work, and then taken', () => {
  const { call, spawn } = open();
  spawn('one');
  const end = () => call('final_report', { content: 'done' });
  const held = end();
  expect(held.asked).toEqual({ kind: 'runs', runs: ['r~one'] });
  held.answer([report('one')]);
  expect(held.value).toMatchObject({ status: 'error', text: expect.stringContaining('- one (r~one): running') });
  const second = end().answer([report('one')]);
  expect(second.value).toHaveProperty('outcome');
});

test('on its last turn a report is taken at once', () => {
  const { call, spawn } = open(true);
  spawn('one');
  expect(call('final_report', { content: 'done' }).value).toHaveProperty('outcome');
});

test('no run outlives its session: what is at work is cancelled when it ends', () => {
  const { session, spawn } = open();
  spawn('one');
  session.answer(5);
  expect(session.asked).toEqual({
    kind: 'cancel-runs',
    runs: ['r~one'],
    reason: 'The session that spawned it has ended.',
  });
  expect(session.answer([]).value).toEqual(answered('done'));
  expect(open().session.answer(5).value).toEqual(answered('done'));
});

test('sessions_wait waits for as many as it says, and names those that are unfinished', () => {
  const { call, spawn } = open();
  spawn('one');
  spawn('two');
  expect(call('sessions_wait', { labels: ['one'] }).asked).toMatchObject({ runs: ['r~one'], need: 1 });
  const any = call('sessions_wait', { mode: 'any', timeoutSeconds: 3 });
  expect(any.asked).toEqual({ kind: 'await-runs', runs: ['r~one', 'r~two'], need: 1, withinMs: 3000 });
  any.answer({ over: 'timeout', runs: [report('one', answered('dry')), report('two')] });
  expect(any.value).toMatchObject({ status: 'error' });
  expect(json(any)).toMatchObject({ timedOut: true, ended: [{ label: 'one' }], unfinished: [{ label: 'two' }] });
});

test.each(['timeout', 'budget/exceeded', 'cancelled', 'spawn/dependency'] as const)(
  'a run is skipped as well where its dependency ended with %s',
  (code) => {
    const { spawn } = open();
    spawn('one');
    const outcome = brokenOutcome(fault(code, 'no'));
    const run = spawn('two', { chainAfter: 'one' }).answer({ over: 'done', runs: [report('one', outcome)] });
    expect(run.effect('announce').end).toMatchObject({ fault: { code: 'spawn/dependency' } });
  },
);
