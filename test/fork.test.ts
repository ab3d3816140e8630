// Forks: a run that begins with a part of another one and goes on live.

import { expect, test } from 'vitest';
import type { CadreDefinition } from '../src/definition/definition.ts';
import { forkRun } from '../src/engine/history/fork.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { ModelRequest } from '../src/kernel/effect.ts';
import { okResult } from '../src/kernel/message.ts';
import { services } from '../src/run/services.ts';
import type { Tool } from '../src/tools/tool.ts';
import { transcript } from '../src/views/talk/transcript.ts';
import {
  type AgentSketch,
  type Bench,
  bench,
  brokenOff,
  cadre,
  call,
  finish,
  type Model,
  type Reply,
} from './support/cadre.ts';

const note: Tool = {
  spec: { name: 'note', description: 'Notes.', parameters: { type: 'object' } },
  repeat: 'never',
  execute: async (input) => okResult(`noted ${JSON.stringify(input)}`),
};

const solo = (system = 'You are solo.'): CadreDefinition => cadre({ name: 'solo', system, tools: ['note'] });

/** Two notes, then an answer that tells which model and which prompt gave it. */
const twoNotes: Model = (request): Reply =>
  request.turn < 3 ? call('note', { n: request.turn }) : `${request.models.join()} ${request.system} ${request.turn}`;

const ask = { agent: 'solo', input: { text: 'go' } };

interface WhatIf {
  readonly at: string;
  readonly models?: readonly string[];
  readonly other?: CadreDefinition;
}

/** The fork, followed to its end on a bench of its own, so that only its calls are counted. */
async function forked(
  from: Bench,
  run: string,
  { at, models, other }: WhatIf,
  definition: CadreDefinition,
  model: Model,
) {
  const cadreOf = other ?? definition;
  const made = await forkRun(
    { run, at, ...(models && { models }) },
    { store: from.store, cadre: cadreOf, texts: other === undefined ? 'pinned' : 'other', now: Date.now },
  );
  const b = bench(cadreOf, model, { store: from.store, tools: [note] });
  const outcome = await (await b.engine.resume(made.run)).outcome();
  return { ...made, outcome, calls: b.calls, events: await readAll(made.run, from.store), cadre: cadreOf };
}

const paths = (events: readonly RunEvent[], kind: string): readonly string[] =>
  events.flatMap((event) => (event.type === 'op-start' && event.op.kind === kind ? [event.path] : []));

test('a fork takes over what was recorded before the op, and calls the model only from there on', async () => {
  const b = bench(solo(), twoNotes, { tools: [note] });
  const { events, run, outcome } = await finish(b, ask);
  const [, second = ''] = paths(events, 'model');
  const what = await forked(b, run, { at: second }, solo(), twoNotes);
  expect(what.calls).toEqual(['0#2', '0#3']);
  expect(what.outcome).toEqual(outcome);
  expect(what.run).not.toBe(run);
  expect(what.events[0]).toMatchObject({ type: 'run-start', run: what.run, forkedFrom: { run, at: second } });
  expect(what.events.map(({ seq }) => seq)).toEqual(what.events.map((_, index) => index));
  expect(await readAll(run, b.store)).toEqual(events);
});

test('a fork at every op of a run ends as the run did', async () => {
  const b = bench(solo(), twoNotes, { tools: [note] });
  const { events, run, outcome } = await finish(b, ask);
  const ops = ['0', ...events.flatMap((event) => (event.type === 'op-start' ? [event.path] : []))];
  for (const at of ops) expect((await forked(b, run, { at }, solo(), twoNotes)).outcome).toEqual(outcome);
});

test('a fork with another model uses it from there on, replays, and can be resumed', async () => {
  const b = bench(solo(), twoNotes, { tools: [note] });
  const { events, run } = await finish(b, ask);
  const [, , third = ''] = paths(events, 'model');
  const what = await forked(b, run, { at: third, models: ['openai/other'] }, solo(), twoNotes);
  expect(what.outcome).toMatchObject({ kind: 'answered', text: 'openai/other You are solo. 3' });
  expect(await replay(what.events, what.cadre, services)).toMatchObject({ kind: 'identical', ended: true });

  const cut = what.events.findIndex((event) => event.type === 'op-start' && event.path === third) + 1;
  const again = bench(solo(), twoNotes, { tools: [note] });
  const lease = await again.store.claim(what.run, 0);
  await lease.append(what.events.slice(0, cut));
  await lease.release();
  expect(await (await again.engine.resume(what.run)).outcome()).toEqual(what.outcome);
  expect(again.calls).toEqual(['0#3']);
});

test('a fork with other texts goes on from the recorded answers, and its transcript has the new prompt', async () => {
  const b = bench(solo(), twoNotes, { tools: [note] });
  const { events, run } = await finish(b, ask);
  const [, second = ''] = paths(events, 'model');
  const other = solo('You are a pirate.');
  const what = await forked(b, run, { at: second, other }, solo(), twoNotes);
  expect(what.calls).toEqual(['0#2', '0#3']);
  expect(what.outcome).toMatchObject({ text: 'test/model You are a pirate. 3' });
  expect(transcript(what.events)[0]?.system).toBe('You are a pirate.');
  expect(await replay(what.events, other, services)).toMatchObject({ kind: 'identical', ended: true });
});

const pair = (lead: Partial<AgentSketch> = {}): CadreDefinition =>
  cadre({ name: 'lead', agents: ['a', 'b'], ...lead }, { name: 'a' }, { name: 'b' });

/** Both children are asked before either has answered. */
const twoBranches: Model = async ({ agent, turn }: ModelRequest): Promise<Reply> => {
  if (agent !== 'lead' || turn > 1) return `answer of ${agent}`;
  const args = { input: 'x', reason: 'r' };
  return {
    calls: [
      { name: 'agent__a', args },
      { name: 'agent__b', args },
    ],
  };
};

test('a call under way in another branch is made anew, and is not in doubt', async () => {
  const b = bench(pair(), twoBranches);
  const { events, run } = await finish(b, { agent: 'lead', input: { text: 'go' } });
  const ofA = events.findLast(
    (event) => event.type === 'op-start' && event.op.kind === 'model' && event.op.agent === 'a',
  );
  const ofB = events.findLast(
    (event) => event.type === 'op-start' && event.op.kind === 'model' && event.op.agent === 'b',
  );
  const late = ofA !== undefined && ofB !== undefined && ofA.seq > ofB.seq ? ofA : ofB;
  if (late?.type !== 'op-start') throw new Error('no branches');
  const what = await forked(b, run, { at: late.path }, pair(), twoBranches);
  expect(what.outcome).toMatchObject({ kind: 'answered' });
  expect([...what.calls].sort()).toEqual(['0#2', ...paths(events, 'run').map((path) => `${path}#1`)].sort());
  const starts = paths(what.events, 'model');
  expect(new Set(starts).size).toBe(starts.length);
});

test('texts that lead elsewhere on the recorded answers are refused before anything is called', async () => {
  const b = bench(pair(), twoBranches);
  const { events, run } = await finish(b, { agent: 'lead', input: { text: 'go' } });
  const last = paths(events, 'model').at(-1) ?? '';
  const other = pair({ agents: ['a'] });
  const failing = forked(b, run, { at: last, other }, pair(), () => 'never asked');
  await expect(failing).rejects.toMatchObject({ fault: { code: 'journal/divergence' } });
  await expect(failing).rejects.toThrow('Fork at');
});

test('times of a fork end now, so that deadlines go on where they were', async () => {
  let time = 1_000_000;
  const timed = cadre({ name: 'solo', tools: ['note'], timeoutMs: 60_000 });
  const b = bench(timed, twoNotes, { tools: [note], now: () => (time += 10) });
  const { events, run } = await finish(b, ask);
  const [, second = ''] = paths(events, 'model');
  const what = await forked(b, run, { at: second }, timed, twoNotes);
  expect(what.outcome).toMatchObject({ kind: 'answered' });
  const [start, end] = [what.events[0], what.events[what.events.length - 1]];
  expect((end?.at ?? 0) - (start?.at ?? 0)).toBeLessThan(60_000);
});

test('an unknown op is an error that lists the ops near it', async () => {
  const b = bench(solo(), twoNotes, { tools: [note] });
  const { run } = await finish(b, ask);
  const parts = { store: b.store, cadre: solo(), texts: 'pinned', now: Date.now } as const;
  await expect(forkRun({ run, at: '0.99' }, parts)).rejects.toThrow(/has no op 0\.99[^]*model call of solo, turn 3/);
  await expect(forkRun({ run, at: 'solo' }, parts)).rejects.toThrow('named by their path');
  await expect(forkRun({ run, at: '0', models: ['nowhere/x'] }, parts)).rejects.toThrow('needs a provider "nowhere"');
  await expect(forkRun({ run, at: '0' }, { ...parts, cadre: cadre({ name: 'x' }), texts: 'other' })).rejects.toThrow(
    'There is no agent "solo"',
  );
  expect(await b.store.list()).toHaveLength(1);
});

test('a fork goes on as the kernel that began the run, because it stands on that record', async () => {
  const b = bench(solo(), twoNotes, { tools: [note] });
  const { events, run } = await finish(b, ask);
  const earlier = events.map((event) => (event.type === 'run-start' ? { ...event, kernel: 1 } : event));
  const store = await brokenOff(earlier, earlier.length, run);
  const [, second = ''] = paths(events, 'model');
  const made = await forkRun({ run, at: second }, { store, cadre: solo(), texts: 'pinned', now: Date.now });
  expect((await readAll(made.run, store))[0]).toMatchObject({ type: 'run-start', kernel: 1 });
});
