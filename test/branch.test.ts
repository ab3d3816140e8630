// Branches through the engine: which case is taken, what its agent gets, what stands, and how a branch does in and around
// every pattern: killed at every event, under a budget, stopped, replayed, forked.

import { expect, test } from 'vitest';
import { forkRun } from '../src/engine/history/fork.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { ModelRequest } from '../src/kernel/effect.ts';
import type { BranchStep } from '../src/patterns/branch/step.ts';
import type { ChainConfig } from '../src/patterns/chain/key.ts';
import { services } from '../src/run/services.ts';
import { ledger } from '../src/views/costs/ledger.ts';
import { type OpNode, opTree } from '../src/views/tree/op-tree.ts';
import { modelCalls, shapeOf } from './crash/support/victim.ts';
import {
  type AgentSketch,
  type BenchOptions,
  bench,
  brokenOff,
  cadre,
  call,
  finish,
  lastText,
  type Model,
} from './support/cadre.ts';

const KINDS = ['refund', 'bug', 'other', 'odd', '__proto__', 'constructor', 7, true];

const output = (kinds: readonly unknown[] = KINDS) =>
  ({
    output: {
      format: 'json',
      schema: {
        type: 'object',
        properties: { kind: { enum: kinds }, body: { type: 'string' }, order: { type: 'string' } },
        required: ['kind', 'body'],
      },
    },
    outputDeclared: true,
  }) as const;

const takes = (...required: readonly string[]) =>
  ({ input: { format: 'json', schema: { type: 'object', properties: {}, required } } }) as const;

const BY_KIND: BranchStep = {
  kind: 'branch',
  by: 'kind',
  cases: [
    { value: 'refund', end: { to: 'refunds' } },
    { value: 'bug', end: { to: 'triage', else: 'clerk' } },
    { value: 'other', end: null },
    { value: '__proto__', end: { to: 'clerk' } },
    { value: 'constructor', end: { to: 'refunds' } },
    { value: '7', end: { to: 'triage' } },
  ],
  otherwise: { to: 'clerk' },
  pass: 'answer',
};

const chain = (
  ...steps: ChainConfig['steps']
): { readonly chain: Pick<ChainConfig, 'trigger' | 'pass' | 'steps'> } => ({
  chain: { trigger: 'next', pass: 'answer', steps },
});

const SORTER: AgentSketch = { name: 'sorter', ...output(), ...chain(BY_KIND) };
const ENDS: readonly AgentSketch[] = [{ name: 'refunds' }, { name: 'triage' }, { name: 'clerk' }];

/** A map over the parts of an answer, one item at a time. */
const EACH = { kind: 'map', each: 'parts', max: 3, concurrent: 1, failures: 3, pass: 'item' } as const;
const LIST = {
  output: {
    format: 'json',
    schema: { type: 'object', properties: { parts: { type: 'array' } }, required: ['parts'] },
  },
  outputDeclared: true,
} as const;

const input = (request: ModelRequest): string => (request.messages[0] as { text: string }).text;
const told = (kind: unknown, more: object = {}) => call('final_report', { kind, body: 'b', ...more });

/** The sorter answers with these, in their order and the last one again; others say what they heard. */
const sorting =
  (...answers: readonly object[]): Model =>
  (request) => {
    if (request.agent !== 'sorter') return `${request.agent} heard ${input(request)}`;
    return call('final_report', answers[Math.min(request.turn, answers.length) - 1]);
  };

async function play(sketches: readonly AgentSketch[], model: Model, options: BenchOptions = {}) {
  const of = cadre(...sketches);
  const b = bench(of, model, options);
  const done = await finish(b, { agent: sketches[0]?.name ?? '', input: { text: 'go' } });
  expect(ledger(done.events).lines).toHaveLength(b.calls.length);
  const again = await replay(done.events, of, services);
  expect(again, JSON.stringify(again)).toMatchObject({ kind: 'identical' });
  return { ...done, calls: b.calls.length };
}

const nodes = (node: OpNode): readonly OpNode[] => [node, ...node.children.flatMap(nodes)];
const rowsOf = (events: readonly RunEvent[]): readonly OpNode[] => nodes(opTree(events));

test.each([
  ['refund', 'refunds'],
  ['bug', 'triage'],
  ['odd', 'clerk'],
  ['__proto__', 'clerk'],
  ['constructor', 'refunds'],
  [7, 'triage'],
  [true, 'clerk'],
])('the value %j leads to %s, which gets the whole answer', async (kind, agent) => {
  const { outcome, events } = await play([SORTER, ...ENDS], sorting({ kind, body: 'b' }));
  expect(outcome).toMatchObject({
    kind: 'answered',
    text: `${agent} heard ${JSON.stringify({ kind, body: 'b' })}`,
    chainedStages: ['agent__sorter', `agent__${agent}`],
    cases: [String(kind)],
  });
  const row = rowsOf(events).find(({ trigger }) => trigger === 'next');
  expect(row).toMatchObject({ agent, case: String(kind), chainTrigger: 'next', chainParent: 'agent__sorter' });
});

test('at ~ the answer stands: no stage runs, and the chain ends with the agent itself', async () => {
  const { outcome, events } = await play([SORTER, ...ENDS], sorting({ kind: 'other', body: 'b' }));
  expect(outcome).toMatchObject({
    kind: 'answered',
    agent: 'sorter',
    data: { kind: 'other', body: 'b' },
    chainedStages: ['agent__sorter'],
    cases: ['other'],
  });
  expect(rowsOf(events).filter(({ kind }) => kind === 'run')).toHaveLength(1);
  expect(rowsOf(events)[0]).toMatchObject({ cases: ['other'] });
});

test('else runs where the agent of the case does not answer, with the case', async () => {
  const { outcome, events } = await play([SORTER, ...ENDS], (request) =>
    request.agent === 'triage'
      ? { fault: 'model/refused-key' }
      : sorting({ kind: 'bug', body: 'b' })(request, new AbortController().signal),
  );
  expect(outcome).toMatchObject({ kind: 'answered', agent: 'clerk', cases: ['bug'] });
  expect(rowsOf(events).find(({ agent }) => agent === 'clerk')).toMatchObject({ case: 'bug', insteadOf: 'triage' });
});

test.each([
  ['request+answer', '## ORIGINAL USER REQUEST\n\ngo\n\n## ANSWER FROM AGENT `sorter`\n\n{"kind":"refund","body":"b"}'],
  [{ field: 'body' }, 'b'],
  [{ field: 'kind' }, 'refund'],
] as const)('pass %j hands on that part', async (pass, heard) => {
  const sorter = { ...SORTER, ...chain({ ...BY_KIND, pass }) };
  const { outcome } = await play([sorter, ...ENDS], sorting({ kind: 'refund', body: 'b' }));
  expect(outcome).toMatchObject({ text: `refunds heard ${heard}` });
});

test('an answer that does not fit its destination is sent back, and says so where the turns are spent', async () => {
  const refunds = { name: 'refunds', ...takes('order') };
  const good = { kind: 'refund', body: 'b', order: '17' };
  const { outcome, events } = await play(
    [SORTER, refunds, ...ENDS.slice(1)],
    sorting({ kind: 'refund', body: 'b' }, good),
  );
  expect(outcome).toMatchObject({ kind: 'answered', text: `refunds heard ${JSON.stringify(good)}` });
  expect(rowsOf(events).filter(({ state }) => state === 'refused')).not.toHaveLength(0);
  const sorter = { ...SORTER, maxTurns: 2 };
  const spent = await play([sorter, refunds, ...ENDS.slice(1)], sorting({ kind: 'refund', body: 'b' }));
  expect(spent.outcome).toMatchObject({
    kind: 'failed',
    agent: 'sorter',
    fault: {
      code: 'invalid_chain_payload',
      stage: 'sorter',
      details: {
        downstream: 'the branch by `kind`',
        violations: [{ path: '$', message: 'must have the property "order"' }],
      },
    },
  });
  // Another case of the same answer fits.
  const bug = await play([sorter, refunds, ...ENDS.slice(1)], sorting({ kind: 'bug', body: 'b' }));
  expect(bug.outcome).toMatchObject({ kind: 'answered', agent: 'triage' });
});

test.each([
  ['an unknown value', { kind: 'nonsense', body: 'b' }],
  ['a missing property', { body: 'b' }],
  ['a text for a number', { kind: '7', body: 'b' }],
  ['a flag as a text', { kind: 'true', body: 'b' }],
])('%s is sent back like any other answer that breaks the schema', async (_, wrong) => {
  const { outcome, calls } = await play([SORTER, ...ENDS], sorting(wrong, { kind: 'refund', body: 'b' }));
  expect(outcome).toMatchObject({ kind: 'answered', agent: 'refunds' });
  expect(calls).toBe(3);
});

test('an answer that stands is held to the caller’s contract too, and a caller of text gets the JSON as text', async () => {
  const contract = { format: 'json', schema: { type: 'object', required: ['order'] } } as const;
  const of = cadre(SORTER, ...ENDS);
  const model = sorting({ kind: 'other', body: 'b' }, { kind: 'other', body: 'b', order: '17' });
  const json = await finish(bench(of, model), { agent: 'sorter', input: { text: 'go' }, contract });
  expect(json.outcome).toMatchObject({ kind: 'answered', data: { kind: 'other', order: '17' } });
  expect(await replay(json.events, of, services)).toMatchObject({ kind: 'identical' });
  const text = await finish(bench(of, model), { agent: 'sorter', input: { text: 'go' }, contract: { format: 'text' } });
  expect(text.outcome).toMatchObject({ kind: 'answered', text: '{"kind":"other","body":"b"}' });
  expect(text.outcome).not.toHaveProperty('data');
});

test('a branch looks at what a team, a router or a loop of its file gave back', async () => {
  const report = { kind: 'refund', body: 'b' };
  const lead: AgentSketch = { ...SORTER, team: { members: ['ada'], supervisor: 'boss' } };
  const inTeam: Model = (request) =>
    request.agent === 'boss' ? call('final_report', report) : `${request.agent} heard ${input(request)}`;
  const team = await play([lead, { name: 'boss' }, { name: 'ada' }, ...ENDS], inTeam);
  expect(team.outcome).toMatchObject({ agent: 'refunds', cases: ['refund'] });
  const desk: AgentSketch = { ...SORTER, router: { destinations: ['expert'] } };
  const routed = await play([desk, { name: 'expert' }, ...ENDS], (request) => {
    if (request.agent === 'sorter') return call('handoff-to', { agent: 'expert' });
    return request.agent === 'expert' ? call('final_report', report) : `${request.agent} heard it`;
  });
  expect(routed.outcome).toMatchObject({ agent: 'refunds', cases: ['refund'] });
  const looped: AgentSketch = { ...SORTER, repeat: { until: 'critic', max: 3, fresh: false, atMax: 'fail' } };
  const judged = await play([looped, { name: 'critic' }, ...ENDS], (request) => {
    if (request.agent === 'critic')
      return call('final_report', { good: input(request).includes('refund'), why: 'no refund' });
    return sorting({ kind: 'bug', body: 'b' }, report)(request, new AbortController().signal);
  });
  expect(judged.outcome).toMatchObject({ agent: 'refunds', cases: ['refund'] });
});

test('in a sequence an answer that stands goes on as the result of its step', async () => {
  const first = { name: 'a', ...chain({ kind: 'agent', to: 'sorter' }, BY_KIND, { kind: 'agent', to: 'last' }) };
  const sketches = [first, { ...SORTER, chain: undefined } as never, ...ENDS, { name: 'last' }];
  const stood = await play(sketches, sorting({ kind: 'other', body: 'b' }));
  expect(stood.outcome).toMatchObject({
    text: 'last heard {"kind":"other","body":"b"}',
    chainedStages: ['agent__a', 'agent__sorter', 'agent__last'],
    cases: ['other'],
  });
  const went = await play(sketches, sorting({ kind: 'refund', body: 'b' }));
  expect(went.outcome).toMatchObject({
    chainedStages: ['agent__a', 'agent__sorter', 'agent__refunds', 'agent__last'],
    cases: ['refund'],
  });
});

test('a map that fails after an answer that stood keeps the case that was taken', async () => {
  const sorter = { ...SORTER, ...chain(BY_KIND, { ...EACH, to: 'triage' }) };
  const { outcome, events } = await play([sorter, ...ENDS], (request) =>
    request.agent === 'triage' ? { fault: 'model/refused-key' } : told('other', { parts: ['x'] }),
  );
  expect(outcome).toMatchObject({ kind: 'failed', cases: ['other'], fault: { code: 'each/failed' } });
  expect(rowsOf(events)[0]).toMatchObject({ cases: ['other'] });
});

const IN_A = (step: BranchStep = BY_KIND): AgentSketch => ({ ...SORTER, ...chain(step) });
const SPAWN = { maxDepth: 3, maxChildren: 5, maxTotal: 50, maxConcurrent: 8, agents: ['sorter'] };

const PLACES: Readonly<Record<string, readonly AgentSketch[]>> = {
  root: [IN_A()],
  stage: [{ name: 'a', ...chain({ kind: 'agent', to: 'sorter' }) }, IN_A()],
  'in a sequence': [
    { name: 'a', ...chain({ kind: 'agent', to: 'sorter' }, BY_KIND, { kind: 'agent', to: 'last' }) },
    { name: 'sorter', ...output() },
    { name: 'last' },
  ],
  'sub-agent': [{ name: 'a', agents: ['sorter'] }, IN_A()],
  'sub-agent, asked again': [
    { name: 'a', agents: ['sorter'] },
    { ...IN_A(), chat: true },
  ],
  advisor: [{ name: 'a', advisors: { agents: ['sorter'], policy: { kind: 'isolate' } } }, IN_A()],
  judge: [{ name: 'a', repeat: { until: 'sorter', max: 2, fresh: false, atMax: 'fail' } }, IN_A()],
  destination: [{ name: 'a', router: { destinations: ['sorter'] } }, IN_A()],
  spawned: [{ name: 'a', spawn: SPAWN }, IN_A()],
  item: [{ name: 'a', ...LIST, ...chain({ ...EACH, to: 'sorter' }) }, IN_A()],
  'before a seat': [
    { name: 'a', team: { members: ['sorter'], supervisor: 'a' } },
    { ...SORTER, ...chain(BY_KIND, { kind: 'agent', to: 'last' }) },
    { name: 'last' },
  ],
  'around a loop': [
    { ...IN_A(), repeat: { until: 'critic', max: 3, fresh: false, atMax: 'fail' } },
    { name: 'critic' },
  ],
  'around a router': [{ ...IN_A(), router: { destinations: ['expert'] } }, { name: 'expert' }],
  'around a team': [{ ...IN_A(), team: { members: ['ada'], supervisor: 'boss' } }, { name: 'boss' }, { name: 'ada' }],
};

/** A model for all of these. As a judge the case’s agent, or what stands, finds every answer good. */
const inPlaces =
  (kind: string): Model =>
  (request) => {
    const { agent, turn, tools, output: wanted } = request;
    const has = (name: string): boolean => tools.some((tool) => tool.name === name);
    if (agent === 'a' && wanted.format === 'json') return call('final_report', { parts: ['x', 'y'] });
    if (agent === 'sorter' && has('handoff-to')) return call('handoff-to', { agent: 'expert' });
    if (agent === 'expert' || agent === 'boss') return told(kind);
    if (agent === 'critic') return call('final_report', { good: true, why: 'w' });
    if (agent === 'sorter') return turn > 1 && wanted.format !== 'json' ? 'sure' : told(kind, { good: true, why: 'w' });
    if (wanted.format === 'json') return call('final_report', { good: true, why: 'w' });
    if (agent === 'a' && turn === 1 && has('agent__sorter')) return call('agent__sorter', { input: 'x', reason: 'r' });
    if (agent === 'a' && turn === 1 && has('handoff-to')) return call('handoff-to', { agent: 'sorter' });
    if (agent === 'a' && turn === 1 && has('sessions_spawn'))
      return call('sessions_spawn', { task: 'x', agent: 'sorter', label: 'w' });
    if (agent === 'a' && turn === 2 && has('sessions_wait')) return call('sessions_wait', {});
    const [, id] = /id `([^`]+)`/.exec(lastText(request)) ?? [];
    if (id !== undefined && turn === 2) return call('agent__ask_clarification', { id, question: 'Sure?' });
    return `${agent} ${turn}`;
  };

/** As a judge it must answer {good, why}, so nothing of its own can stand: the check refuses that. */
const CELLS = Object.keys(PLACES)
  .flatMap((place) => ['refund', 'other'].map((kind) => [place, kind] as const))
  .filter((cell) => cell.join() !== 'judge,other');
const teamOf = (place: string): readonly AgentSketch[] => [...(PLACES[place] ?? []), ...ENDS];

test.each(CELLS)(
  '%s, %s: broken off at every event, the run ends as it would have, and no call is made twice',
  async (place, kind) => {
    const of = cadre(...teamOf(place));
    const agent = PLACES[place]?.[0]?.name ?? '';
    const whole = await finish(bench(of, inPlaces(kind)), { agent, input: { text: 'go' } });
    expect(whole.outcome, JSON.stringify(whole.outcome)).toMatchObject({ kind: 'answered' });
    const rows = rowsOf(whole.events);
    expect(rows.some((row) => row.case === kind || row.cases?.includes(kind))).toBe(true);
    expect(rows.some((row) => row.agent === 'refunds')).toBe(kind === 'refund');
    expect(await replay(whole.events, of, services)).toMatchObject({ kind: 'identical' });
    for (let count = 1; count < whole.events.length; count++) {
      const store = await brokenOff(whole.events, count, whole.run);
      const outcome = await (await bench(of, inPlaces(kind), { store }).engine.resume(whole.run)).outcome();
      const events = await readAll(whole.run, store);
      expect(outcome, `after ${count} events`).toEqual(whole.outcome);
      expect(shapeOf(events)).toEqual(shapeOf(whole.events));
      expect(modelCalls(events).repeated).toBe(0);
    }
  },
);

test.each(CELLS)('%s, %s: under any budget the run ends as what it is, and replays', async (place, kind) => {
  const sketches = teamOf(place);
  const calls = (await play(sketches, inPlaces(kind))).calls;
  const kinds = new Set<string>();
  for (let sessions = 1; sessions <= calls; sessions++) {
    const [first, ...others] = sketches;
    if (first === undefined) throw new Error('a place without agents');
    const { outcome } = await play([{ ...first, budget: { sessions } }, ...others], inPlaces(kind));
    kinds.add(outcome.kind);
    expect(['answered', 'over-budget', 'exhausted', 'failed']).toContain(outcome.kind);
    if (outcome.kind !== 'answered') expect(outcome).toHaveProperty('fault');
  }
  expect(kinds).toContain('answered');
});

test.each(CELLS)('%s, %s: stopped at each model call, it ends, and replays', async (place, kind) => {
  const of = cadre(...teamOf(place));
  const agent = PLACES[place]?.[0]?.name ?? '';
  const { calls } = await play(teamOf(place), inPlaces(kind));
  for (let at = 1; at <= calls; at++) {
    let made = 0;
    let stop = (): void => {};
    const b = bench(of, (request, signal) => {
      if (++made === at) stop();
      return inPlaces(kind)(request, signal);
    });
    const handle = await b.engine.start({ agent, input: { text: 'go' } });
    stop = () => void handle.stop('enough');
    const outcome = await handle.outcome();
    expect(['answered', 'cancelled', 'exhausted']).toContain(outcome.kind);
    const events = await readAll(handle.run, b.store);
    const again = await replay(events, of, services);
    expect(again, JSON.stringify(again)).toMatchObject({ kind: 'identical' });
    expect(modelCalls(events).repeated).toBe(0);
  }
});

test.each(CELLS)('%s, %s: cancelled at each model call, it ends at once, and replays', async (place, kind) => {
  const of = cadre(...teamOf(place));
  const agent = PLACES[place]?.[0]?.name ?? '';
  const { calls } = await play(teamOf(place), inPlaces(kind));
  for (let at = 1; at <= calls; at++) {
    let made = 0;
    let cancel = async (): Promise<unknown> => undefined;
    const b = bench(of, async (request, signal) => {
      if (++made === at) await cancel();
      return inPlaces(kind)(request, signal);
    });
    const handle = await b.engine.start({ agent, input: { text: 'go' } });
    cancel = () => handle.cancel('enough');
    expect((await handle.outcome()).kind, `at call ${at}`).toBe('cancelled');
    expect(made).toBe(at);
    expect(await replay(await readAll(handle.run, b.store), of, services)).toMatchObject({ kind: 'identical' });
  }
});

/** The agent that deals with the case. Where the answer stands, it is the one that gave it. */
const dealing = (place: string, kind: string): string =>
  kind === 'refund'
    ? 'refunds'
    : place === 'around a router'
      ? 'expert'
      : place === 'around a team'
        ? 'boss'
        : 'sorter';

test.each(CELLS)('%s, %s: a deadline that passes in the case ends the run as timed-out', async (place, kind) => {
  const [first, ...others] = teamOf(place);
  const { outcome } = await play([{ ...(first as AgentSketch), timeoutMs: 40 }, ...others], async (request, signal) => {
    if (request.agent !== dealing(place, kind)) return inPlaces(kind)(request, signal);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    return 'too late';
  });
  expect(outcome.kind).toBe('timed-out');
});

test.each(Object.keys(PLACES))(
  '%s: broken off at every event under a budget that the agent of the case exceeds, it ends as it would have',
  async (place) => {
    const limited = place === 'in a sequence' ? 'a' : 'sorter';
    // So many sessions come before the agent of the case.
    const sessions = { 'in a sequence': 1, 'around a loop': 1, 'around a router': 1, 'around a team': 2 }[place] ?? 0;
    const sketches = teamOf(place).map((one) => (one.name === limited ? { ...one, budget: { sessions } } : one));
    const of = cadre(...sketches);
    const agent = sketches[0]?.name ?? '';
    const whole = await finish(bench(of, inPlaces('refund')), { agent, input: { text: 'go' } });
    const refused = rowsOf(whole.events).find((row) => row.agent === 'refunds');
    expect(refused).toMatchObject({ case: 'refund', state: 'over-budget' });
    for (let count = 1; count < whole.events.length; count++) {
      const store = await brokenOff(whole.events, count, whole.run);
      const outcome = await (await bench(of, inPlaces('refund'), { store }).engine.resume(whole.run)).outcome();
      expect(outcome, `after ${count} events`).toEqual(whole.outcome);
      expect(modelCalls(await readAll(whole.run, store)).repeated).toBe(0);
    }
  },
);

test.each(CELLS)(
  '%s, %s: forked at every call of a model from the branch on, it ends as the run did',
  async (place, kind) => {
    const of = cadre(...teamOf(place));
    const first = bench(of, inPlaces(kind));
    const whole = await finish(first, { agent: PLACES[place]?.[0]?.name ?? '', input: { text: 'go' } });
    const asked = rowsOf(whole.events).filter((row) => row.kind === 'model');
    const inCase = asked.filter(({ agent }) => agent === dealing(place, kind));
    expect(inCase.length).toBeGreaterThan(0);
    for (const { path } of asked) {
      const { run } = await forkRun(
        { run: whole.run, at: path },
        { store: first.store, cadre: of, texts: 'pinned', now: Date.now },
      );
      const b = bench(of, inPlaces(kind), { store: first.store });
      const outcome = await (await b.engine.resume(run)).outcome();
      expect(outcome, `at ${path}`).toEqual(whole.outcome);
      expect(b.calls.length, `at ${path}`).toBeLessThanOrEqual(asked.length);
      const events = await readAll(run, first.store);
      expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
      expect(modelCalls(events).repeated).toBe(0);
    }
  },
);

test('a fork inside the agent of a case takes the branch from the record, and asks nobody before it', async () => {
  const of = cadre(SORTER, ...ENDS);
  const first = bench(of, sorting({ kind: 'refund', body: 'b' }));
  const whole = await finish(first, { agent: 'sorter', input: { text: 'go' } });
  const at = rowsOf(whole.events).find((row) => row.kind === 'model' && row.agent === 'refunds')?.path ?? '';
  const { run } = await forkRun(
    { run: whole.run, at },
    { store: first.store, cadre: of, texts: 'pinned', now: Date.now },
  );
  // This model would take another case.
  const b = bench(of, sorting({ kind: 'bug', body: 'b' }), { store: first.store });
  expect(await (await b.engine.resume(run)).outcome()).toEqual(whole.outcome);
  expect(b.calls).toEqual(['0.2#1']);
  const rows = rowsOf(await readAll(run, first.store));
  expect(rows.find(({ agent }) => agent === 'refunds')).toMatchObject({ case: 'refund' });
});

test('asked again: who answered is asked, and with ~ its own session stays open', async () => {
  const asker: AgentSketch = { name: 'a', agents: ['sorter'] };
  const chats = ENDS.map((one) => ({ ...one, chat: true }));
  for (const [kind, heard] of [
    ['refund', 'refunds'],
    ['other', 'sorter'],
  ] as const) {
    const { events, outcome } = await play([asker, { ...IN_A(), chat: true }, ...chats], inPlaces(kind));
    expect(outcome).toMatchObject({ kind: 'answered' });
    const again = rowsOf(events).find((row) => row.kind === 'say');
    expect(again, kind).toMatchObject({ agent: heard });
  }
});

test('a router whose answer goes on keeps nobody open, and whoever it led to is asked where the answer stands', async () => {
  const asker: AgentSketch = { name: 'a', agents: ['sorter'] };
  const desk: AgentSketch = { ...IN_A(), router: { destinations: ['expert'] }, chat: true };
  const model =
    (kind: string): Model =>
    (request, signal) => {
      if (request.agent === 'sorter') return call('handoff-to', { agent: 'expert' });
      if (request.agent === 'expert') return request.turn > 1 ? told(kind) : told(kind);
      return inPlaces(kind)(request, signal);
    };
  for (const [kind, heard] of [
    ['refund', 'refunds'],
    ['other', 'expert'],
  ] as const) {
    const { events } = await play([asker, desk, { name: 'expert' }, ...ENDS], model(kind));
    expect(rowsOf(events).find((row) => row.kind === 'say')).toMatchObject({ agent: heard });
  }
});
