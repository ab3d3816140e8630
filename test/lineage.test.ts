// The cost of an answer with everything that led to it, in every pattern: the agent that gave it, its own calls, the
// calls that led to it, and those that did not. Every call of a run counts once.

import { expect, test } from 'vitest';
import { ledger } from '../src/views/costs/ledger.ts';
import { sum } from '../src/views/costs/totals.ts';
import { runReport } from '../src/views/report/run-report.ts';
import { type AgentSketch, bench, cadre, call, finish, type Model, type Reply } from './support/cadre.ts';

const chain = (trigger: 'next' | 'handoff', ...stages: readonly string[]): NonNullable<AgentSketch['chain']> => ({
  trigger,
  stages: stages.map((to) => ({ to })),
  pass: 'answer',
});
const advisors = (...agents: readonly string[]): NonNullable<AgentSketch['advisors']> => ({
  agents,
  policy: { kind: 'isolate' },
});
const says: Model = ({ agent }) => `answer of ${agent}`;
const ask = (name: string): Reply => call(`agent__${name}`, { input: 'x', reason: 'y' });

async function play(sketches: readonly AgentSketch[], model: Model, more: object = {}) {
  const { events, outcome } = await finish(bench(cadre(...sketches), model), {
    agent: sketches[0]?.name ?? '',
    input: { text: 'go' },
    ...more,
  });
  const { lines, totals, answer } = ledger(events);
  if (answer !== undefined) {
    expect(answer.agent).toBe(outcome.agent);
    expect(answer.lineage.calls + answer.abandoned.calls).toBe(totals.calls);
    expect(runReport(events).totals.answer).toEqual(answer);
  }
  return { lines, totals, answer, outcome };
}

const costs = (answer: Awaited<ReturnType<typeof play>>['answer']) =>
  answer && [answer.agent, answer.own.calls, answer.lineage.calls, answer.abandoned.calls];

test('alone: what the agent called itself', async () => {
  const { answer, totals } = await play([{ name: 'solo' }], says);
  expect(costs(answer)).toEqual(['solo', 1, 1, 0]);
  expect(answer?.lineage).toEqual(totals);
});

test.each(['next', 'handoff'] as const)('%s: every stage before the last one led to its answer', async (trigger) => {
  const { answer } = await play(
    [{ name: 'a', chain: chain(trigger, 'b') }, { name: 'b', chain: chain(trigger, 'c') }, { name: 'c' }],
    says,
  );
  expect(costs(answer)).toEqual(['c', 1, 3, 0]);
  expect(answer?.lineage.usd).toBe(0.003);
});

test('a sequence: each stage led to the next', async () => {
  const { answer } = await play([{ name: 'a', chain: chain('next', 'b', 'c') }, { name: 'b' }, { name: 'c' }], says);
  expect(costs(answer)).toEqual(['c', 1, 3, 0]);
});

test('else: a stage that was replaced led nowhere, with all that it had done for it', async () => {
  const stages = [{ to: 'b', else: 'd' }, { to: 'e' }];
  const { answer, totals } = await play(
    [
      { name: 'a', chain: { trigger: 'next', stages, pass: 'answer' } },
      { name: 'b', agents: ['helper'], advisors: advisors('critic') },
      { name: 'critic' },
      { name: 'helper' },
      { name: 'd' },
      { name: 'e' },
    ],
    (request) => {
      if (request.agent !== 'b') return `answer of ${request.agent}`;
      return request.turn === 1 ? ask('helper') : { fault: 'model/server' };
    },
  );
  expect(costs(answer)).toEqual(['e', 1, 3, 4]);
  expect(totals.calls).toBe(7);
});

test('a router that routed led to the answer of its destination, with its advisors and its sub-agents', async () => {
  const { answer } = await play(
    [
      { name: 'desk', router: { destinations: ['refunds'] }, advisors: advisors('risk'), agents: ['clerk'] },
      { name: 'risk' },
      { name: 'clerk' },
      { name: 'refunds', chain: chain('next', 'order') },
      { name: 'order' },
    ],
    ({ agent, turn }) => {
      if (agent !== 'desk') return `answer of ${agent}`;
      return turn === 1 ? ask('clerk') : call('handoff-to', { agent: 'refunds' });
    },
  );
  expect(costs(answer)).toEqual(['order', 1, 6, 0]);
});

test('a router that answers itself is the one that gave the answer', async () => {
  const { answer } = await play([{ name: 'desk', router: { destinations: ['far'] } }, { name: 'far' }], says);
  expect(costs(answer)).toEqual(['desk', 1, 1, 0]);
});

test('a router that hands on what came back: its last stage gave the answer', async () => {
  const { answer } = await play(
    [
      { name: 'desk', router: { destinations: ['far'] }, chain: chain('handoff', 'gate') },
      { name: 'far' },
      { name: 'gate' },
    ],
    ({ agent }) => (agent === 'desk' ? call('handoff-to', { agent: 'far' }) : `answer of ${agent}`),
  );
  expect(costs(answer)).toEqual(['gate', 1, 3, 0]);
});

test('advisors led to the answer, those that failed as well', async () => {
  const { answer } = await play(
    [
      { name: 'main', advisors: advisors('one', 'two') },
      { name: 'one', chain: chain('next', 'three') },
      { name: 'two' },
      { name: 'three' },
    ],
    ({ agent }) => (agent === 'two' ? { fault: 'model/server' } : `answer of ${agent}`),
  );
  expect(costs(answer)).toEqual(['main', 1, 4, 0]);
});

const twoCycles =
  (boss: string): Model =>
  ({ agent, turn }) =>
    agent === boss
      ? turn === 1
        ? call('team_broadcast', { message: 'Go on.' })
        : call('final_report', { content: 'decided' })
      : call('team_broadcast', { message: `I am ${agent}.` });

test('a team: what its members called in every cycle led to the answer of its supervisor', async () => {
  const self = await play(
    [{ name: 'lead', team: { members: ['ann', 'bob'], supervisor: 'lead' } }, { name: 'ann' }, { name: 'bob' }],
    twoCycles('lead'),
  );
  expect(costs(self.answer)).toEqual(['lead', 2, 6, 0]);
  const other = await play(
    [
      { name: 'desk', team: { members: ['ann', 'bob'], supervisor: 'boss' } },
      { name: 'ann' },
      { name: 'bob' },
      { name: 'boss' },
    ],
    twoCycles('boss'),
  );
  expect(costs(other.answer)).toEqual(['boss', 2, 6, 0]);
});

test('a chain into a team: the stage before it and its members led to the answer', async () => {
  const { answer } = await play(
    [
      { name: 'draft', chain: chain('next', 'desk') },
      { name: 'desk', team: { members: ['ann'], supervisor: 'boss' } },
      { name: 'ann', chain: chain('next', 'amy') },
      { name: 'amy' },
      { name: 'boss' },
    ],
    (request, signal) =>
      request.agent === 'draft' || request.agent === 'ann' ? 'x' : twoCycles('boss')(request, signal),
  );
  expect(costs(answer)).toEqual(['boss', 2, 6, 0]);
});

test('sub-agents called as tools led to the answer of whoever asked them, and their chains with them', async () => {
  const { answer } = await play(
    [{ name: 'main', agents: ['helper'] }, { name: 'helper', chain: chain('next', 'polish') }, { name: 'polish' }],
    ({ agent, turn }) => (agent === 'main' && turn === 1 ? ask('helper') : `answer of ${agent}`),
  );
  expect(costs(answer)).toEqual(['main', 2, 4, 0]);
});

test('a child that is asked again counts with the one that asks', async () => {
  const { answer } = await play(
    [
      { name: 'main', agents: ['helper'] },
      { name: 'helper', chat: true },
    ],
    ({ agent, turn, messages }) => {
      if (agent !== 'main' || turn > 2) return `answer of ${agent}`;
      if (turn === 1) return ask('helper');
      const [, id] = /id `(helper@[^`]+)`/.exec(JSON.stringify(messages)) ?? [];
      return call('agent__ask_clarification', { id, question: 'Sure?' });
    },
  );
  expect(costs(answer)).toEqual(['main', 3, 5, 0]);
});

test('spawned runs count with the session that spawned them', async () => {
  const limits = { maxDepth: 3, maxChildren: 5, maxTotal: 50, maxConcurrent: 8 };
  const { answer } = await play(
    [{ name: 'boss', spawn: { ...limits, agents: ['worker'] } }, { name: 'worker' }],
    ({ agent, turn }) => {
      if (agent !== 'boss' || turn > 2) return `answer of ${agent}`;
      if (turn === 1) return call('sessions_spawn', { agent: 'worker', task: ['a', 'b'], parallel: true, label: 'w' });
      return call('sessions_wait', { labels: ['w-1', 'w-2'] });
    },
  );
  expect(costs(answer)).toEqual(['boss', 3, 5, 0]);
});

test('a helper of the subagent tool counts with the agent that delegated to it', async () => {
  const subagent: NonNullable<AgentSketch['subagent']> = {
    enabled: true,
    maxDepth: 1,
    maxIterations: 8,
    timeoutSeconds: 120,
    maxInputBytes: 1000,
    maxOutputBytes: 1000,
    artifactKinds: ['note'],
    runner: 'in-process',
  };
  const { answer } = await play([{ name: 'main', subagent }], ({ agent, turn }) =>
    agent === 'main' && turn === 1 ? call('subagent', { task: 'Count.' }) : `answer of ${agent}`,
  );
  expect(costs(answer)).toEqual(['main', 2, 3, 0]);
});

test('a run that was ended early by stop-after has the answer of that stage', async () => {
  const sketches = [{ name: 'a', chain: chain('next', 'b', 'c') }, { name: 'b' }, { name: 'c' }];
  const { answer } = await play(sketches, says, { stopAfter: 'b' });
  expect(costs(answer)).toEqual(['b', 1, 2, 0]);
});

test('a run without an answer has none to account for, and every call is in the totals', async () => {
  const { answer, lines, totals, outcome } = await play(
    [{ name: 'a', chain: chain('next', 'b') }, { name: 'b' }],
    ({ agent }) => (agent === 'b' ? { fault: 'model/server' } : 'ok'),
  );
  expect(outcome.kind).toBe('failed');
  expect(answer).toBeUndefined();
  expect(totals).toEqual(sum(lines));
});
