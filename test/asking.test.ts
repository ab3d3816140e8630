// Tools that ask a person by default: what the person is shown, what `trust` lets through, and how far a yes reaches.

import { expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import { messageText } from '../src/journal/control-message.ts';
import type { OpEnd, RunEvent, RunStart } from '../src/journal/event.ts';
import { type AskedCall, previewOf } from '../src/kernel/approval.ts';
import type { Verdict } from '../src/kernel/effect.ts';
import { fail } from '../src/kernel/fault.ts';
import type { Approver } from '../src/run/approver.ts';
import { ruledTools } from '../src/run/resources/ruled-tools.ts';
import { services } from '../src/run/services.ts';
import { memoryStore } from '../src/stores/memory.ts';
import type { Tool } from '../src/tools/tool.ts';
import { type AgentSketch, bench, brokenOff, cadre, finish, lastText, type Model } from './support/cadre.ts';

/** Writes a word on a wall. A word that is there already cannot be written. */
function wall() {
  const written: string[] = [];
  const bases: (string | undefined)[] = [];
  const tool: Tool = {
    spec: {
      name: 'write',
      description: 'Writes.',
      parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    },
    repeat: 'never',
    asks: 'unless-trusted',
    preview(input) {
      const { word } = input as { readonly word: string };
      if (written.includes(word)) fail('tool/failed', `"${word}" stands there already.`);
      const rest = word.startsWith('=') ? { rest: { key: word, words: 'with this word' } } : {};
      return { kind: 'diff', paths: ['wall'], text: `+${word}\n`, basis: `after ${written.length}`, ...rest };
    },
    async execute(input, { basis }) {
      written.push((input as { readonly word: string }).word);
      bases.push(basis);
      return 'written';
    },
  };
  return { tool, written, bases };
}

/** Writes these words, one turn after the other, and answers with the last result. */
const writing =
  (...words: readonly (string | readonly string[])[]): Model =>
  (request) => {
    const word = words[request.turn - 1];
    if (word === undefined) return lastText(request);
    return { calls: [word].flat().map((one) => ({ name: 'write', args: { word: one } })) };
  };

interface Asked {
  readonly prompt: string;
  readonly about: AskedCall;
  readonly signal: AbortSignal;
}

function answering(...verdicts: readonly (Verdict | undefined)[]) {
  const asked: Asked[] = [];
  const approve: Approver = async (prompt, about, signal) => {
    asked.push({ prompt, about: about as AskedCall, signal });
    const verdict = verdicts[asked.length - 1];
    if (asked.length > verdicts.length) return { approved: false, note: 'Enough.' };
    return verdict;
  };
  return { approve, asked };
}

const YES: Verdict = { approved: true, by: 'ann' };
const REST: Verdict = { approved: true, by: 'ann', scope: 'run' };

const painter: AgentSketch = { name: 'painter', tools: ['write'] };

function story(model: Model, approve: Approver, sketches: readonly AgentSketch[] = [painter], store = memoryStore()) {
  const of = cadre(...sketches);
  const { tool, written, bases } = wall();
  const made = bench(of, model, {
    store,
    approve,
    toolsOf: async (agent) => ({
      ...ruledTools(agent, [{ tool, address: 'wall/write' }]),
      addresses: new Map([['write', 'wall/write']]),
    }),
  });
  return { ...made, of, written, bases };
}

const verdictsIn = (events: readonly RunEvent[]): readonly Verdict[] =>
  events
    .filter((event): event is OpEnd => event.type === 'op-end' && event.kind === 'approval')
    .map(({ result }) => (result as { readonly value: Verdict }).value);

const go = { agent: 'painter', input: { text: 'go' } };
const identical = { kind: 'identical', ended: true };

test('a tool that asks by default shows what the call would do, and gets back what the person saw', async () => {
  const { approve, asked } = answering(YES);
  const made = story(writing('red'), approve);
  const { outcome, events } = await finish(made, go);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'written' });
  expect(asked).toMatchObject([
    {
      prompt: 'painter wants to call write (wall/write)',
      about: { name: 'write', arguments: { word: 'red' }, preview: { kind: 'diff', paths: ['wall'], text: '+red\n' } },
    },
  ]);
  expect(made.bases).toEqual(['after 0']);
  const start = events.find((event) => event.type === 'op-start' && event.op.kind === 'approval');
  expect(start).toMatchObject({ op: { about: { preview: { text: '+red\n' } } } });
  expect(await replay(events, made.of, services)).toMatchObject(identical);
});

test('without a person the model is told so, and nothing is done', async () => {
  const made = story(writing('red'), async () => ({ approved: false, note: 'Nobody is there to approve it.' }));
  const { outcome } = await finish(made, go);
  expect(outcome).toMatchObject({ text: 'The call of write was not approved: Nobody is there to approve it.' });
  expect(made.written).toEqual([]);
});

test('a call that cannot work is told to the model, and nobody is asked', async () => {
  const { approve, asked } = answering(YES);
  const made = story(writing('red', 'red'), approve);
  const { outcome, events } = await finish(made, go);
  expect(outcome).toMatchObject({ text: '"red" stands there already.' });
  expect(asked).toHaveLength(1);
  expect(await replay(events, made.of, services)).toMatchObject(identical);
});

test.each([
  [['write'], 0],
  [['wall/write'], 0],
  [['wall'], 0],
  [['write(word=red)'], 1],
  [['write(word=blue)', 'wall(word=red)'], 0],
  [[], 2],
])('trust %j asks %i times', async (trust, times) => {
  const { approve, asked } = answering(YES, YES);
  const made = story(writing('red', 'blue'), approve, [{ ...painter, trust }]);
  const { events } = await finish(made, go);
  expect(made.written).toEqual(['red', 'blue']);
  expect(asked).toHaveLength(times);
  expect(await replay(events, made.of, services)).toMatchObject(identical);
});

test('a tool that `approve` names asks, whatever `trust` says of the whole tool', async () => {
  const { approve, asked } = answering(YES);
  await finish(
    story(writing('red'), approve, [{ ...painter, approve: ['write'], trust: ['write', 'write(word=blue)'] }]),
    go,
  );
  expect(asked).toHaveLength(1);
});

test('a yes for the rest of the run answers the same agent and tool, and is recorded with its op', async () => {
  const { approve, asked } = answering(REST);
  const made = story(writing('red', 'blue', ['grey', 'pink']), approve);
  const { events } = await finish(made, go);
  expect(asked).toHaveLength(1);
  expect(made.written.toSorted()).toEqual(['blue', 'grey', 'pink', 'red']);
  const [first, ...others] = verdictsIn(events);
  expect(first).toEqual(REST);
  expect(others).toHaveLength(3);
  for (const one of others) expect(one).toMatchObject({ approved: true, by: 'ann', under: '0.3' });
  expect(await replay(events, made.of, services)).toMatchObject(identical);
});

test('it answers the questions that wait already, and takes them back from the person', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const signals: AbortSignal[] = [];
  const approve: Approver = async (_prompt, _about, signal) => {
    signals.push(signal);
    if (signals.length === 3) release();
    await held;
    return signals[0] === signal ? REST : new Promise(() => {});
  };
  const made = story(writing(['red', 'blue', 'grey']), approve);
  await finish(made, go);
  expect(made.written.toSorted()).toEqual(['blue', 'grey', 'red']);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, true]);
});

test('it does not answer for another agent, nor for another action where the tool tells them apart', async () => {
  const { approve, asked } = answering(REST, REST, YES, YES);
  const model: Model = (request) => {
    if (request.agent === 'lead' && request.turn === 1)
      return {
        calls: [
          { name: 'write', args: { word: '=a' } },
          { name: 'agent__painter', args: { input: 'x', reason: 'y' } },
        ],
      };
    if (request.agent === 'lead' && request.turn === 2) return { calls: [{ name: 'write', args: { word: '=b' } }] };
    if (request.agent === 'lead') return 'done';
    return writing('=a')(request, new AbortController().signal);
  };
  const made = story(model, approve, [{ name: 'lead', tools: ['write'], agents: ['painter'] }, painter]);
  await finish(made, { agent: 'lead', input: { text: 'go' } });
  expect(asked.map(({ prompt, about }) => `${prompt} ${previewOf(about)?.rest?.key}`).toSorted()).toEqual([
    'lead wants to call write (wall/write) =a',
    'lead wants to call write (wall/write) =b',
    'painter wants to call write (wall/write) =a',
  ]);
});

test('it comes from another process as well, and a no for the rest of the run is not a message', async () => {
  const made = story(writing('red', 'blue'), async () => undefined);
  const handle = await made.engine.start(go);
  const asked = async (): Promise<string> => {
    for await (const event of handle.events())
      if (event.type === 'op-start' && event.op.kind === 'approval') return event.path;
    return expect.unreachable('nothing was asked');
  };
  const op = await asked();
  const no = { kind: 'verdict', id: 'v', op, approved: false, scope: 'run' } as const;
  expect(() => messageText(handle.run, no)).toThrow('"scope" is for a yes');
  await handle.control({ kind: 'verdict', op, approved: true, scope: 'run', by: 'bo' });
  expect(await handle.outcome()).toMatchObject({ kind: 'answered' });
  const verdicts = verdictsIn(await readAll(handle.run, made.store));
  expect(verdicts).toMatchObject([
    { approved: true, scope: 'run', by: 'bo' },
    { approved: true, under: op, by: 'bo' },
  ]);
});

test('after a crash at any point it holds from the moment that it was recorded', async () => {
  const words = ['red', 'blue', 'grey'];
  const first = story(writing(...words), answering(REST).approve);
  const { events, run } = await finish(first, go);
  for (let count = 1; count < events.length; count++) {
    const stands = verdictsIn(events.slice(0, count)).length > 0;
    const { approve, asked } = answering(REST);
    const again = story(writing(...words), approve, [painter], await brokenOff(events, count, run));
    expect(await (await again.engine.resume(run)).outcome()).toMatchObject({ kind: 'answered' });
    expect([count, asked.length]).toEqual([count, stands ? 0 : 1]);
  }
});

test('a fork is another run: it asks again', async () => {
  const first = story(writing('red', 'blue'), answering(REST).approve);
  const { events, run } = await finish(first, go);
  const cut = events.findIndex((event) => event.type === 'op-end' && event.kind === 'tool') + 1;
  expect(verdictsIn(events.slice(0, cut))).toHaveLength(1);
  const [start, ...rest] = events as readonly [RunStart, ...RunEvent[]];
  const forked = [{ ...start, forkedFrom: { run: 'other', at: '0.5', events: cut } }, ...rest];
  const { approve, asked } = answering(YES);
  const again = story(writing('red', 'blue'), approve, [painter], await brokenOff(forked, cut, run));
  expect(await (await again.engine.resume(run)).outcome()).toMatchObject({ kind: 'answered' });
  expect(asked).toHaveLength(1);
});
