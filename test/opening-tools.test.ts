// Tools that cannot be opened, or not in time, in every place that an agent can run in: the run of that agent fails,
// its asker is told, the record has the end of it, and a replay is the same.

import { expect, test } from 'vitest';
import type { AgentDefinition } from '../src/definition/definition.ts';
import type { RunHandle } from '../src/engine/contract.ts';
import { forkRun } from '../src/engine/history/fork.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import { FaultError, fault } from '../src/kernel/fault.ts';
import { okResult } from '../src/kernel/message.ts';
import type { AgentTools, CadreResources } from '../src/run/resources.ts';
import { services } from '../src/run/services.ts';
import type { Tool } from '../src/tools/tool.ts';
import { bench, brokenOff, cadre, call, finish, lastText, type Model } from './support/cadre.ts';
import { calls, limits, spawn, start as spawnStart, waiting } from './support/spawning.ts';

const note: Tool = {
  spec: { name: 'note', description: 'Notes.', parameters: { type: 'object' } },
  repeat: 'safe',
  execute: async () => okResult('noted'),
};

const OPEN: AgentTools = { tools: new Map([['note', note]]), approve: [] };
const NONE: AgentTools = { tools: new Map(), approve: [] };
const CLOSED = new FaultError(fault('tool/source', 'The MCP server "x" cannot be used.'));

/** Agents with tools cannot open them, the first so many times. */
function closed(times = Number.POSITIVE_INFINITY) {
  let left = times;
  return async ({ tools }: AgentDefinition): Promise<AgentTools> => {
    if (tools.length === 0) return NONE;
    if (left-- > 0) throw CLOSED;
    return OPEN;
  };
}

/** Agents with tools wait for them until they are stopped; tells when somebody waits. */
function hanging() {
  const waiting = deferred<void>();
  const toolsOf: CadreResources['toolsOf'] = ({ tools }, signal) => {
    if (tools.length === 0) return NONE;
    waiting.resolve();
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));
  };
  return { toolsOf, waiting: waiting.promise };
}

/** A promise that the test settles. */
function deferred<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (value: Value) => resolve(value) };
}

const identical = async (events: readonly RunEvent[], of: ReturnType<typeof cadre>) =>
  expect(await replay(events, of, services)).toEqual({ kind: 'identical', events: events.length, ended: true });

const worker = { name: 'worker', tools: ['mcp:x'] };

test('a run whose agent cannot open its tools fails at that agent, before any model call', async () => {
  const of = cadre(worker);
  const b = bench(of, () => 'never', { toolsOf: closed() });
  const { outcome, events } = await finish(b, { agent: 'worker', input: { text: 'go' } });
  expect(outcome).toEqual({ kind: 'failed', agent: 'worker', fault: { ...CLOSED.fault, stage: 'worker' } });
  expect(b.calls).toEqual([]);
  await identical(events, of);
});

/** Asks the worker so many times, one after the other, and answers with what it was told last. */
const asking =
  (times: number): Model =>
  (request) => {
    if (request.agent !== 'lead') return 'worked';
    return request.turn <= times ? call('agent__worker', { input: 'go', reason: 'r' }) : lastText(request);
  };

test('its parent sees a failed tool call, and goes on', async () => {
  const of = cadre({ name: 'lead', agents: ['worker'] }, worker);
  const { outcome, events } = await finish(bench(of, asking(1), { toolsOf: closed() }), {
    agent: 'lead',
    input: { text: 'go' },
  });
  expect(outcome).toMatchObject({ kind: 'answered', text: 'outcome: failed\n\nThe MCP server "x" cannot be used.' });
  expect(events.filter(({ type }) => type === 'op-start')).toHaveLength(
    events.filter(({ type }) => type === 'op-end').length,
  );
  await identical(events, of);
});

test('the next run of the agent tries again, and both ends are replayed as they were', async () => {
  const of = cadre({ name: 'lead', agents: ['worker'] }, worker);
  const { outcome, events } = await finish(bench(of, asking(2), { toolsOf: closed(1) }), {
    agent: 'lead',
    input: { text: 'go' },
  });
  expect(outcome).toMatchObject({ kind: 'answered', text: 'outcome: answered\n\nworked' });
  const ends = events.flatMap((event) =>
    event.type === 'op-end' && event.kind === 'run' && event.result.ok
      ? [(event.result.value as { readonly kind: string }).kind]
      : [],
  );
  expect(ends).toEqual(['failed', 'answered']);
  await identical(events, of);
});

test('an advisor that cannot open its tools gives a synthetic report', async () => {
  const of = cadre({ name: 'lead', advisors: { agents: ['worker'], policy: { kind: 'isolate' } } }, worker);
  let told = '';
  const model: Model = (request) => {
    told = lastText(request);
    return 'advised';
  };
  const { outcome, events } = await finish(bench(of, model, { toolsOf: closed() }), {
    agent: 'lead',
    input: { text: 'go' },
  });
  expect(outcome.kind).toBe('answered');
  expect(told).toMatch(
    /### From worker\n\nworker did not answer\. Outcome after .*: failed: The MCP server "x" cannot be used\./,
  );
  await identical(events, of);
});

test('a member that cannot open its tools is announced as failed, and the team goes on', async () => {
  const of = cadre({ name: 'lead', team: { members: ['worker', 'ann'], supervisor: 'lead' } }, worker, { name: 'ann' });
  let told = '';
  const model: Model = (request) => {
    if (request.agent === 'ann') return 'ann is here';
    told = lastText(request);
    return call('final_report', { content: 'done' });
  };
  const { outcome, events } = await finish(bench(of, model, { toolsOf: closed() }), {
    agent: 'lead',
    input: { text: 'go' },
  });
  expect(outcome).toMatchObject({ kind: 'answered', text: 'done' });
  expect(told).toContain('member worker failed and is no longer in the team. Reason: ');
  expect(told).toContain('The MCP server "x" cannot be used.');
  await identical(events, of);
});

test('a spawned run that cannot open its tools is announced as failed', async () => {
  const of = cadre({ name: 'boss', spawn: { ...limits, agents: ['worker'] } }, worker);
  const model = waiting(calls(spawn({ task: 'do A', label: 'a' })), () => 'never');
  const { outcome, events } = await finish(bench(of, model, { toolsOf: closed() }), spawnStart);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'heard a failed' });
  await identical(events, of);
});

test.each([
  ['a cancel', 'cancelled', (run: RunHandle) => run.cancel('enough')],
  ['a graceful stop', 'cancelled', (run: RunHandle) => run.stop('enough')],
] as const)('%s ends the wait for tools', async (_, kind, end) => {
  const of = cadre(worker);
  const { toolsOf, waiting: opened } = hanging();
  const b = bench(of, () => 'never', { toolsOf });
  const handle = await b.engine.start({ agent: 'worker', input: { text: 'go' } });
  await opened;
  await end(handle);
  expect(await handle.outcome()).toMatchObject({ kind, fault: { message: 'enough', stage: 'worker' } });
  await identical(await readAll(handle.run, b.store), of);
});

test('a graceful stop while a child waits for its tools gives the parent its last turn', async () => {
  const of = cadre({ name: 'lead', agents: ['worker'] }, worker);
  const { toolsOf, waiting: opened } = hanging();
  const b = bench(of, asking(1), { toolsOf });
  const handle = await b.engine.start({ agent: 'lead', input: { text: 'go' } });
  await opened;
  handle.interrupt('stop', 'enough');
  expect(await handle.outcome()).toMatchObject({ kind: 'answered' });
  await identical(await readAll(handle.run, b.store), of);
});

test("the agent's timeout counts while its tools are opened", async () => {
  const of = cadre({ ...worker, timeoutMs: 20 });
  const b = bench(of, () => 'never', { toolsOf: hanging().toolsOf });
  const { outcome, events } = await finish(b, { agent: 'worker', input: { text: 'go' } });
  expect(outcome).toMatchObject({ kind: 'timed-out', fault: { code: 'timeout', stage: 'worker' } });
  await identical(events, of);
});

test('one child that is stopped while it waits does not stop another that waits for the same tools', async () => {
  const of = cadre(
    { name: 'lead', agents: ['hasty', 'patient'] },
    { name: 'hasty', tools: ['mcp:x'], timeoutMs: 20 },
    { name: 'patient', tools: ['mcp:x'] },
  );
  const release = deferred<AgentTools>();
  const b = bench(
    of,
    (request) => {
      if (request.agent === 'patient') return 'patient worked';
      if (request.turn > 1)
        return request.messages.flatMap((one) => (one.role === 'tool' ? one.result.text : [])).join();
      const args = { input: 'go', reason: 'r' };
      return { calls: ['agent__hasty', 'agent__patient'].map((name) => ({ name, args })) };
    },
    { toolsOf: ({ tools }) => (tools.length === 0 ? NONE : release.promise) },
  );
  const handle = await b.engine.start({ agent: 'lead', input: { text: 'go' } });
  handle.watch({
    event(event) {
      if (event.type === 'op-end' && event.kind === 'run') release.resolve(OPEN);
    },
  });
  const outcome = await handle.outcome();
  expect(outcome).toMatchObject({ kind: 'answered' });
  expect('text' in outcome && outcome.text).toMatch(/outcome: timed-out[^]*outcome: answered\n\npatient worked/);
  await identical(await readAll(handle.run, b.store), of);
});

test('a run that was broken off while its tools were opened opens them when it is resumed', async () => {
  const of = cadre(worker);
  const { events, run, outcome } = await finish(
    bench(of, () => 'worked', { toolsOf: async () => OPEN }),
    {
      agent: 'worker',
      input: { text: 'go' },
    },
  );
  for (let count = 1; count < events.length; count++) {
    const store = await brokenOff(events, count, run);
    const b = bench(of, () => 'worked', { store, toolsOf: async () => OPEN });
    expect(await (await b.engine.resume(run)).outcome()).toEqual(outcome);
    await identical(await readAll(run, store), of);
  }
});

test('a file that names a tool which no source offers fails the run before its first model call', async () => {
  const of = cadre(worker);
  const missing = fault('tool/unknown', 'worker.md, tools: There is no tool "mcp:x/typo".');
  const b = bench(of, () => 'never', { toolsOf: async () => ({ ...OPEN, missing }) });
  const { outcome, events } = await finish(b, { agent: 'worker', input: { text: 'go' } });
  expect(outcome).toMatchObject({ kind: 'failed', fault: { ...missing, stage: 'worker' } });
  expect(b.calls).toEqual([]);
  await identical(events, of);
});

test('a fork whose agent cannot open its tools any more is kept, and goes on once it can', async () => {
  const of = cadre({ ...worker, models: ['test/model'] });
  const model: Model = (request) => (request.turn === 1 ? call('note', {}) : 'worked');
  const first = bench(of, model, { toolsOf: async () => OPEN });
  const { events, run } = await finish(first, { agent: 'worker', input: { text: 'go' } });
  const models = events.flatMap((event) =>
    event.type === 'op-start' && event.op.kind === 'model' ? [event.path] : [],
  );
  const made = await forkRun(
    { run, at: models[1] ?? '' },
    { store: first.store, cadre: of, texts: 'other', now: Date.now },
  );
  const shut = bench(of, model, { store: first.store, toolsOf: closed() });
  await expect((await shut.engine.resume(made.run)).outcome()).rejects.toMatchObject({
    fault: { message: expect.stringContaining('The MCP server "x" cannot be used.') as string },
  });
  expect((await readAll(made.run, first.store)).at(-1)?.type).not.toBe('run-end');
  const open = bench(of, model, { store: first.store, toolsOf: async () => OPEN });
  expect(await (await open.engine.resume(made.run)).outcome()).toMatchObject({ kind: 'answered', text: 'worked' });
});
