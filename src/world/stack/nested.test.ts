// Runs within runs: what a run that is begun here is given of the one above it.

import { expect, test } from 'vitest';
import { answered } from '../../../test/support/by-hand.ts';
import type { Effect, EffectOf, SettledResult, Trigger } from '../../kernel/effect.ts';
import { fault } from '../../kernel/fault.ts';
import { okResult } from '../../kernel/message.ts';
import { brokenOutcome, type Outcome } from '../../kernel/outcome.ts';
import type { SessionInput } from '../../kernel/session/session-spec.ts';
import { Stop } from '../abort.ts';
import { openOp } from '../drive.ts';
import { openSessions } from '../state/sessions.ts';
import type { Op, Scope, World } from '../world.ts';
import { nestedWorld } from './nested.ts';

const ok = (value: unknown): SettledResult => ({ ok: true, value });
const signal = new Stop();

/** A world in which every agent asks for one tool call and ends like this. */
function worldOf(ends: (agent: string) => Outcome = () => answered('done')) {
  const begun: SessionInput[] = [];
  const scopes: Scope[] = [];
  const leaves: World = {
    perform: (_effect, op) => (scopes.push(op.scope), ok(okResult('looked'))),
  };
  const sessions = openSessions();
  const session = (agent: string) =>
    function* (input: SessionInput) {
      begun.push(input);
      yield { kind: 'tool', agent, call: { id: 'c', name: 'look', arguments: {} } } as const;
      input.conversation.turns += 1;
      input.conversation.maxTurns = 2;
      return ends(agent);
    };
  const world = nestedWorld(
    leaves,
    ({ agent }) => ({ ok: true, value: { start: session(agent), again: session(agent) } }),
    sessions,
  );
  const perform = async (effect: Effect, scope: Scope, path = '0.3'): Promise<Outcome> => {
    const op: Op = openOp(path, { path, scope, signal }, world);
    const settled = await world.perform(effect, op);
    if (!settled.ok) throw new Error(settled.fault.message);
    return settled.value as Outcome;
  };
  return { perform, begun, scopes, sessions };
}

const run = (trigger: Trigger, more: Partial<EffectOf<'run'>> = {}): Effect => ({
  kind: 'run',
  agent: 'ann',
  input: { text: 'please' },
  trigger,
  ...more,
});
const given = {
  shared: { goal: 'ship' },
  family: { city: 'Oslo' },
  handles: ['0.1'],
  sharedHandles: { goal: '0.2' },
};
const above: Scope = { agent: 'boss', depth: 2, ...given };

const hops: readonly Trigger['kind'][] = ['next', 'handoff', 'router', 'advisor', 'member', 'supervisor'];

test.each(hops)(
  'a run that is a %s of the one above shares what that was given, and so do those below it',
  async (kind) => {
    const { perform, begun, scopes } = worldOf();
    await perform(run({ kind }), above);
    expect(begun[0]?.request).toMatchObject(given);
    expect(scopes[0]).toMatchObject(given);
  },
);

test.each(['call', 'spawn'] as const)('a run by %s is given its own, and nothing of the one above', async (kind) => {
  const { perform, begun, scopes } = worldOf();
  await perform(run({ kind }), above);
  expect(begun[0]?.request).toEqual({ text: 'please' });
  expect(scopes[0]).toMatchObject({ shared: undefined, family: undefined, handles: undefined });
});

test('the context that a request shares stands before that of the run above', async () => {
  const { perform, begun, scopes } = worldOf();
  await perform(run({ kind: 'member' }, { input: { text: 'please', shared: { goal: 'rest' } } }), above);
  expect(begun[0]?.request.shared).toEqual({ goal: 'rest' });
  expect(scopes[0]).toMatchObject({ shared: { goal: 'rest' }, family: undefined });
});

test('a further message to a session finds what the session was begun with', async () => {
  const { perform, begun, scopes } = worldOf();
  const outcome = await perform(run({ kind: 'member' }, { keep: true }), above);
  expect(outcome).toMatchObject({ session: '0.3', turnsLeft: 1 });
  await perform({ kind: 'say', session: '0.3', text: 'more' }, { agent: 'boss', depth: 2 }, '0.4');
  expect(begun[1]?.request).toEqual({ text: 'more', ...given });
  expect(scopes[1]).toMatchObject({ agent: 'ann', ...given });
});

test('a session whose turns are spent, or that was closed, takes no further message', async () => {
  const { perform } = worldOf();
  await perform(run({ kind: 'call' }, { keep: true }), above);
  await perform({ kind: 'say', session: '0.3', text: 'more' }, above, '0.4');
  const say: Effect = { kind: 'say', session: '0.3', text: 'again' };
  expect(await perform(say, above, '0.5')).toMatchObject({ fault: { code: 'clarification_no_turns' }, turnsLeft: 0 });
  await perform({ kind: 'close', session: '0.3' }, above, '0.6');
  expect(await perform(say, above, '0.7')).toMatchObject({ fault: { code: 'clarification_unknown' } });
});

test('a stage takes the level of the one before it, and a child is a level below', async () => {
  const { perform, scopes } = worldOf();
  for (const kind of ['next', 'router', 'call', 'member'] as const) await perform(run({ kind }), above);
  expect(scopes.map(({ depth }) => depth)).toEqual([2, 2, 3, 3]);
});

test('a run that broke names the stage at which it did, and one further down keeps its own', async () => {
  const { perform } = worldOf((agent) =>
    brokenOutcome({ ...fault('timeout', 'late'), ...(agent === 'bob' && { stage: 'cid' }) }),
  );
  expect(await perform(run({ kind: 'call' }), above)).toMatchObject({ fault: { stage: 'ann' } });
  expect(await perform(run({ kind: 'call' }, { agent: 'bob' }), above)).toMatchObject({ fault: { stage: 'cid' } });
});
