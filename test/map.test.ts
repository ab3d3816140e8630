// A map through the engine: in every place, whole, killed at every event and resumed, under a budget and a deadline,
// stopped, cancelled, replayed and forked; and lists that mean harm.

import { expect, test } from 'vitest';
import { forkRun } from '../src/engine/history/fork.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { ModelRequest } from '../src/kernel/effect.ts';
import type { Outcome } from '../src/kernel/outcome.ts';
import type { ChainConfig } from '../src/patterns/chain/key.ts';
import type { MapStep } from '../src/patterns/map/map.ts';
import { services } from '../src/run/services.ts';
import { ledger } from '../src/views/costs/ledger.ts';
import { progressFold } from '../src/views/progress/progress.ts';
import { type OpNode, opTree } from '../src/views/tree/op-tree.ts';
import { modelCalls, shapeOf } from './crash/support/victim.ts';
import {
  type AgentSketch,
  type Bench,
  type BenchOptions,
  bench,
  brokenOff,
  cadre,
  call,
  type Finished,
  finish,
  lastText,
  type Model,
} from './support/cadre.ts';

const step = (more: Partial<MapStep> = {}): MapStep => ({
  kind: 'map',
  each: 'parts',
  to: 'writer',
  max: 1000,
  concurrent: 2,
  failures: 1000,
  pass: 'item',
  ...more,
});
const chain = (...steps: ChainConfig['steps']): ChainConfig => ({ trigger: 'next', steps, pass: 'answer' });

const LIST = {
  format: 'json',
  schema: { type: 'object', properties: { parts: { type: 'array' } }, required: ['parts'] },
} as const;
const mapper = (more: Partial<MapStep> = {}, sketch: Partial<AgentSketch> = {}): AgentSketch => ({
  name: 'outline',
  output: LIST,
  outputDeclared: true,
  chain: chain(step(more)),
  ...sketch,
});
const JOINED = mapper({ join: 'editor' });
const WRITER: AgentSketch = { name: 'writer' };
const EDITOR: AgentSketch = { name: 'editor' };

const input = (request: ModelRequest): string => (request.messages[0] as { text: string }).text;
const PARTS: readonly unknown[] = ['one', 'two', 'three', 'four', 'five'];

/** The outline lists these, the writer says what it wrote about which, and anybody else its name. */
const writing =
  (parts: readonly unknown[], more: Model = () => ''): Model =>
  async (request, signal) => {
    if (request.agent === 'outline') return call('final_report', { parts });
    const said = await more(request, signal);
    return said === '' ? `${request.agent} on ${input(request)}` : said;
  };

async function play(sketches: readonly AgentSketch[], model: Model, options: BenchOptions = {}): Promise<Finished> {
  const of = cadre(...sketches);
  const b = bench(of, model, options);
  const done = await finish(b, { agent: sketches[0]?.name ?? '', input: { text: 'go' } });
  expect(ledger(done.events).lines).toHaveLength(b.calls.length);
  await sameAgain(done.events, of);
  return done;
}

async function sameAgain(events: readonly RunEvent[], of: ReturnType<typeof cadre>): Promise<void> {
  const again = await replay(events, of, services);
  expect(again, JSON.stringify(again)).toMatchObject({ kind: 'identical' });
}

const nodes = (node: OpNode): readonly OpNode[] => [node, ...node.children.flatMap(nodes)];
const itemsIn = (events: readonly RunEvent[]): readonly OpNode[] =>
  nodes(opTree(events)).filter(({ trigger }) => trigger === 'each');
const dataOf = (outcome: Outcome): { readonly items: readonly Record<string, unknown>[] } =>
  (outcome as { readonly data: { readonly items: readonly Record<string, unknown>[] } }).data;

test('the worker runs for each item, so many at once, and the join gets the answers in the order of the list', async () => {
  let atOnce = 0;
  let most = 0;
  const heard: string[] = [];
  const model = writing(PARTS, async (request) => {
    if (request.agent === 'editor') heard.push(input(request));
    if (request.agent !== 'writer') return '';
    most = Math.max(most, ++atOnce);
    for (let turn = input(request).length; turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
    atOnce--;
    return '';
  });
  const { outcome, events } = await play([JOINED, WRITER, EDITOR], model);
  expect(outcome).toMatchObject({ kind: 'answered', agent: 'editor', items: { count: 5, answered: 5 } });
  expect(outcome.chainedStages).toEqual(['agent__outline', 'agent__editor']);
  expect(most).toBe(2);
  expect(heard).toEqual([
    [
      '## ORIGINAL USER REQUEST\n\ngo',
      ...PARTS.map((part, index) => `### ${index + 1} of 5: ${part}\n\nwriter on ${part}`),
    ].join('\n\n'),
  ]);
  expect(itemsIn(events).map(({ path, index, count, agent }) => [path, index, count, agent])).toEqual(
    PARTS.map((_, index) => [`0.2.${index}.1`, index, 5, 'writer']),
  );
});

test('without a join the answer is the JSON of all results, in the order of the list', async () => {
  const model = writing([{ n: 1 }, 'two', null], (request) =>
    input(request) === 'two' ? { fault: 'model/bad-request' } : '',
  );
  const { outcome } = await play([mapper(), WRITER], model);
  expect(outcome).toMatchObject({ kind: 'answered', agent: 'outline', items: { count: 3, answered: 2 } });
  expect(outcome.chainedStages).toEqual(['agent__outline']); // no stage ran
  expect(dataOf(outcome)).toEqual({
    items: [
      { item: { n: 1 }, outcome: 'answered', answer: 'writer on {"n":1}' },
      { item: 'two', outcome: 'failed', error: expect.stringContaining('writer got model/bad-request') },
      { item: null, outcome: 'answered', answer: 'writer on null' },
    ],
  });
  expect((outcome as { readonly text: string }).text).toBe(JSON.stringify(dataOf(outcome)));
});

test('a list without items runs no worker, and the join gets an empty list', async () => {
  const { outcome, events } = await play([JOINED, WRITER, EDITOR], writing([]));
  expect(outcome).toMatchObject({ kind: 'answered', text: 'editor on ## ORIGINAL USER REQUEST\n\ngo' });
  expect(itemsIn(events)).toEqual([]);
  expect(dataOf((await play([mapper(), WRITER], writing([]))).outcome)).toEqual({ items: [] });
});

test('a step after a map without a join gets the results as sections, or as JSON if it takes that', async () => {
  const agentStep = { kind: 'agent', to: 'editor' } as const;
  const outline = mapper({}, { chain: chain(step(), agentStep) });
  const asText = await play([outline, WRITER, EDITOR], writing(['a']));
  expect(asText.outcome).toMatchObject({
    text: 'editor on ## ORIGINAL USER REQUEST\n\ngo\n\n### 1 of 1: a\n\nwriter on a',
  });
  const takesJson: AgentSketch = { ...EDITOR, input: { format: 'json', schema: { type: 'object' } } };
  const asJson = await play([outline, WRITER, takesJson], writing(['a']));
  expect(asJson.outcome).toMatchObject({
    text: 'editor on {"items":[{"item":"a","outcome":"answered","answer":"writer on a"}]}',
  });
});

test('answers that would take more than half of the window get equal shares, and the rest of each can be read', async () => {
  const long = 'A word or two. '.repeat(1000);
  let told = '';
  let read = '';
  const model = writing(PARTS, (request) => {
    if (request.agent === 'writer') return input(request) === 'two' ? 'short' : long;
    told = input(request);
    const [, handle = ''] = /read_result\(\{"handle": "([^"]+)"\}\)/.exec(told) ?? [];
    if (request.turn === 1) return call('read_result', { handle });
    read = lastText(request);
    return 'joined';
  });
  const { outcome } = await play([JOINED, WRITER, EDITOR], model, { contextWindow: 8000 });
  expect(outcome).toMatchObject({ kind: 'answered', text: 'joined' });
  expect(services.estimate(told)).toBeGreaterThan(3000);
  expect(services.estimate(told)).toBeLessThan(4200);
  const sections = told.split(/^### \d of 5: \w+\n\n/m).slice(1);
  expect(sections[1]).toBe('short\n\n');
  const lengths = [0, 2, 3, 4].map((index) => sections[index]?.trimEnd().length ?? 0);
  expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(10);
  expect(sections[0]).toMatch(/\[… \d+ of 15000 characters left out here\. Read them with read_result/);
  expect(read).toContain('A word or two. A word or two.');
  // With room for all, and as JSON, nothing is cut.
  await play([JOINED, WRITER, EDITOR], model, { contextWindow: 100_000 });
  expect(told.split(long.trim())).toHaveLength(5);
  const takesJson: AgentSketch = { ...EDITOR, input: { format: 'json', schema: { type: 'object' } } };
  await play([JOINED, WRITER, takesJson], model, { contextWindow: 50_000 });
  expect(told).not.toContain('left out here');
});

test('a list that is longer than the map allows is sent back for repair', async () => {
  const model: Model = (request) =>
    request.agent !== 'outline'
      ? 'done'
      : call('final_report', { parts: request.turn === 1 ? PARTS : PARTS.slice(0, 2) });
  const { outcome, events } = await play([mapper({ max: 3, join: 'editor' }), WRITER, EDITOR], model);
  expect(outcome).toMatchObject({ kind: 'answered', items: { count: 2, answered: 2 } });
  expect(JSON.stringify(events)).toContain('must NOT have more than 3 items');
});

test('a worker that takes JSON gets the item with the reason, and an item that it does not take is sent back', async () => {
  const schema = {
    type: 'object',
    properties: { title: { type: 'string' }, reason: { type: 'string' } },
    required: ['title', 'reason'],
  };
  const model: Model = (request) =>
    request.agent === 'writer'
      ? input(request)
      : call('final_report', { parts: request.turn === 1 ? [{ title: 7 }] : [{ title: 'a' }] });
  const { outcome } = await play([mapper(), { ...WRITER, input: { format: 'json', schema } }], model);
  expect(dataOf(outcome).items[0]).toEqual({
    item: { title: 'a' },
    outcome: 'answered',
    answer: '{"title":"a","reason":"Chained execution from agent__outline"}',
  });
});

test('with pass: request+item the worker gets the request and the number of its item', async () => {
  const heard: string[] = [];
  const model = writing(['a', 'b'], (request) => (heard.push(input(request)), 'ok'));
  await play([mapper({ pass: 'request+item' }), WRITER], model);
  expect(heard).toEqual(
    ['a', 'b'].map((item, at) => `## ORIGINAL USER REQUEST\n\ngo\n\n## ITEM ${at + 1} OF 2\n\n${item}`),
  );
});

test('one failure more than may fail cancels the rest, and the run says which was the first', async () => {
  const model = writing(PARTS, (request) => (input(request).startsWith('t') ? { fault: 'model/bad-request' } : ''));
  const { outcome, events } = await play(
    [mapper({ failures: 1, concurrent: 1, join: 'editor' }), WRITER, EDITOR],
    model,
  );
  expect(outcome).toMatchObject({
    kind: 'failed',
    items: { count: 5, answered: 1 },
    fault: { code: 'each/failed', stage: 'writer', details: { index: 1, count: 5, failed: 2 } },
  });
  expect((outcome as { fault: { message: string } }).fault.message).toContain(
    '2 of 5 items failed, and 1 may. The first: item 2, "two": failed: ',
  );
  expect(itemsIn(events)).toHaveLength(3);
});

test('a list of which no item has an answer fails, also where failures are kept', async () => {
  const { outcome } = await play(
    [JOINED, WRITER, EDITOR],
    writing(PARTS, ({ agent }) => (agent === 'writer' ? { fault: 'model/bad-request' } : '')),
  );
  expect(outcome).toMatchObject({ kind: 'failed', fault: { code: 'each/failed', message: /None of the 5 items/ } });
});

test('--stop-after the worker ends with the JSON of the map', async () => {
  const of = cadre(JOINED, WRITER, EDITOR);
  const done = await finish(bench(of, writing(['a'])), {
    agent: 'outline',
    input: { text: 'go' },
    stopAfter: 'writer',
  });
  expect(done.outcome).toMatchObject({ kind: 'answered', stoppedAfter: 'writer', data: { items: [{ item: 'a' }] } });
  await sameAgain(done.events, of);
});

const fixed = (to: string): ChainConfig => chain({ kind: 'agent', to });

/** The agents that lead to the map, in each place; `outline` is added. */
const PLACES: Readonly<Record<string, readonly AgentSketch[]>> = {
  root: [],
  stage: [{ name: 'a', chain: fixed('outline') }],
  'in a sequence': [
    { name: 'a', chain: chain({ kind: 'agent', to: 'outline' }, { kind: 'agent', to: 'b' }) },
    { name: 'b' },
  ],
  'sub-agent': [{ name: 'a', agents: ['outline'] }],
  'sub-agent, asked again': [{ name: 'a', agents: ['outline'] }],
  advisor: [{ name: 'a', advisors: { agents: ['outline'], policy: { kind: 'isolate' } } }],
  judge: [{ name: 'a', repeat: { until: 'outline', max: 2, fresh: false, atMax: 'fail' } }],
  destination: [{ name: 'a', router: { destinations: ['outline'] } }],
  spawned: [{ name: 'a', spawn: { agents: ['outline'], maxDepth: 3, maxChildren: 5, maxTotal: 50, maxConcurrent: 8 } }],
  'in a team, before a seat': [{ name: 'a', team: { members: ['outline'], supervisor: 'a' } }, { name: 'ada' }],
  'item of a map': [
    {
      name: 'a',
      output: LIST,
      outputDeclared: true,
      chain: chain(step({ to: 'outline', concurrent: 1 })),
    },
  ],
  'a loop around it': [],
  'a team that maps': [{ name: 'ada' }],
};

function sketchesFor(place: string, sketch: Partial<AgentSketch> = {}, concurrent = 2): readonly AgentSketch[] {
  const before = PLACES[place] ?? [];
  const end: ChainConfig =
    place === 'in a team, before a seat'
      ? chain(step({ join: 'editor', concurrent }), { kind: 'agent', to: 'ada' })
      : chain(step({ join: 'editor', concurrent }));
  const more: Partial<AgentSketch> =
    place === 'a loop around it'
      ? { repeat: { until: 'critic', max: 3, fresh: false, atMax: 'fail' } }
      : place === 'a team that maps'
        ? { team: { members: ['ada'], supervisor: 'outline' } }
        : {};
  const editor = place === 'sub-agent, asked again' ? { ...EDITOR, chat: true } : EDITOR;
  const asked = place === 'sub-agent, asked again' ? { chat: true } : {};
  const outline = mapper({}, { chain: end, ...more, ...asked, ...sketch });
  const all = before.some(({ name }) => name === 'a') ? [...before, outline] : [outline, ...before];
  return [...all, WRITER, editor, { name: 'critic' }];
}

/** Does what leads to the map in each of these places. */
const inPlaces =
  (during: (request: ModelRequest, signal: AbortSignal) => Promise<void> | void = () => {}): Model =>
  async (request, signal) => {
    const { agent, turn, messages, output, tools } = request;
    const has = (name: string): boolean => tools.some((tool) => tool.name === name);
    await during(request, signal);
    const verdict = (good: boolean) => call('final_report', { good, why: 'Again.' });
    if (agent === 'critic') return verdict(turn > 0 && !input(request).includes('first'));
    if (agent === 'outline' && has('final_report')) {
      const said = messages.map((message) => (message.role === 'user' ? message.text : '')).join('\n');
      const isAgain = said.includes('FEEDBACK');
      return call('final_report', { parts: PARTS, ...(isAgain ? {} : { note: 'first' }) });
    }
    if (agent === 'a' && output.format === 'json') return call('final_report', { parts: ['x', 'y'] });
    if (agent === 'editor' && output.format === 'json') return verdict(true);
    if (agent === 'a' && turn === 1 && has('agent__outline'))
      return call('agent__outline', { input: 'write', reason: 'r' });
    if (agent === 'a' && turn === 1 && has('handoff-to')) return call('handoff-to', { agent: 'outline' });
    if (agent === 'a' && turn === 1 && has('sessions_spawn'))
      return call('sessions_spawn', { task: 'write', agent: 'outline', label: 'w' });
    if (agent === 'a' && turn === 2 && has('sessions_wait')) return call('sessions_wait', {});
    const [, id] = /id `([^`]+)`/.exec(lastText(request)) ?? [];
    if (id !== undefined && agent === 'a' && turn === 2 && has('agent__ask_clarification'))
      return call('agent__ask_clarification', { id, question: 'Sure?' });
    return `${agent} ${turn}`;
  };

async function killedEverywhere(of: ReturnType<typeof cadre>, whole: Finished, model: () => Model) {
  for (let count = 1; count < whole.events.length; count++) {
    const store = await brokenOff(whole.events, count, whole.run);
    const again: Bench = bench(of, model(), { store });
    const outcome = await (await again.engine.resume(whole.run)).outcome();
    const events = await readAll(whole.run, store);
    expect(outcome, `after ${count} events`).toEqual(whole.outcome);
    expect(shapeOf(events)).toEqual(shapeOf(whole.events));
    expect(modelCalls(events).repeated).toBe(0);
  }
}

test.each(Object.keys(PLACES))(
  '%s: whole, and killed at every event and resumed, it ends alike and repeats no call',
  async (place) => {
    const sketches = sketchesFor(place);
    const of = cadre(...sketches);
    const whole = await finish(bench(of, inPlaces()), { agent: sketches[0]?.name ?? '', input: { text: 'go' } });
    expect(whole.outcome, JSON.stringify(whole.outcome)).toMatchObject({ kind: 'answered' });
    expect(itemsIn(whole.events).filter(({ agent }) => agent === 'writer').length).toBeGreaterThanOrEqual(PARTS.length);
    await sameAgain(whole.events, of);
    await killedEverywhere(of, whole, inPlaces);
  },
);

/** One item at a time: which of two that are at work at once is refused is chance. */
test.each(Object.keys(PLACES))('%s: a budget of the agent that maps ends the map as over-budget', async (place) => {
  const sketches = sketchesFor(place, { budget: { sessions: place === 'a team that maps' ? 5 : 3 } }, 1);
  const of = cadre(...sketches);
  const whole = await finish(bench(of, inPlaces()), { agent: sketches[0]?.name ?? '', input: { text: 'go' } });
  expect(endsOf(whole.events, 'outline')).toContain('over-budget');
  await sameAgain(whole.events, of);
  await killedEverywhere(of, whole, inPlaces);
});

test.each(Object.keys(PLACES))('%s: a deadline of the agent that maps ends the map as timed-out', async (place) => {
  const sketches = sketchesFor(place, { timeoutMs: 30 });
  const of = cadre(...sketches);
  const model = inPlaces(({ agent }, signal) =>
    agent !== 'writer' ? undefined : new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  );
  const whole = await finish(bench(of, model), { agent: sketches[0]?.name ?? '', input: { text: 'go' } });
  expect(endsOf(whole.events, 'outline')).toContain('timed-out');
  await sameAgain(whole.events, of);
});

const endsOf = (events: readonly RunEvent[], agent: string): readonly string[] =>
  nodes(opTree(events)).flatMap((node) => (node.kind === 'run' && node.agent === agent ? [node.state] : []));

test.each(Object.keys(PLACES))('%s: after a graceful stop no item begins, and the join has its say', async (place) => {
  const sketches = sketchesFor(place);
  const of = cadre(...sketches);
  const stopped = await interrupted(of, sketches[0]?.name ?? '', 'stop');
  const begun = itemsIn(stopped.events).filter(({ agent }) => agent === 'writer');
  expect(begun).toHaveLength(2);
  expect(begun.every(({ state }) => state === 'answered')).toBe(true);
  expect(
    nodes(opTree(stopped.events)).some(
      ({ kind, agent, state }) => kind === 'run' && agent === 'editor' && state === 'answered',
    ),
  ).toBe(true);
  await sameAgain(stopped.events, of);
});

test.each(Object.keys(PLACES))('%s: a cancel ends the map as cancelled', async (place) => {
  const sketches = sketchesFor(place);
  const of = cadre(...sketches);
  const { outcome, events } = await interrupted(of, sketches[0]?.name ?? '', 'cancel');
  expect(outcome.kind).toBe('cancelled');
  expect(itemsIn(events).filter(({ agent }) => agent === 'writer').length).toBeLessThanOrEqual(4);
  expect(nodes(opTree(events)).some(({ kind, agent }) => kind === 'run' && agent === 'editor')).toBe(false);
  await sameAgain(events, of);
});

/** The run is told as soon as the worker is at work on a second item, and both wait until it has heard. */
async function interrupted(of: ReturnType<typeof cadre>, agent: string, how: 'stop' | 'cancel'): Promise<Finished> {
  let items = 0;
  let tell: () => Promise<unknown> = async () => {};
  let goOn = (): void => {};
  const told = new Promise<void>((resolve) => (goOn = resolve));
  const model = inPlaces(async (request) => {
    if (request.agent !== 'writer') return;
    if (++items === 2) await tell().then(goOn);
    await told;
  });
  const b = bench(of, model);
  const handle = await b.engine.start({ agent, input: { text: 'go' } });
  tell = () => handle[how]('A test says so.');
  const outcome = await handle.outcome();
  return { outcome, events: await readAll(handle.run, b.store), run: handle.run };
}

test('a map without a join ends as cancelled after a graceful stop, with its JSON as partial output', async () => {
  const of = cadre(mapper(), WRITER);
  const { outcome, events } = await interrupted(of, 'outline', 'stop');
  expect(outcome).toMatchObject({ kind: 'cancelled', items: { count: 5, answered: 2 } });
  const partial = JSON.parse((outcome as { readonly partial: string }).partial) as ReturnType<typeof dataOf>;
  expect(partial.items.map((one) => one['outcome'])).toEqual([
    'answered',
    'answered',
    ...PARTS.slice(2).map(() => 'cancelled'),
  ]);
  await sameAgain(events, of);
});

test('a question to a map without a join is refused, because no agent wrote its answer', async () => {
  const of = cadre({ name: 'a', agents: ['outline'] }, mapper({}, { chat: true }), WRITER);
  let refusal = '';
  const model: Model = (request) => {
    if (request.agent === 'outline') return call('final_report', { parts: ['x'] });
    if (request.agent === 'writer') return 'ok';
    if (request.turn === 1) return call('agent__outline', { input: 'x', reason: 'r' });
    if (request.turn === 2) return call('agent__ask_clarification', { id: 'outline@0.1', question: 'Sure?' });
    refusal = lastText(request);
    return 'done';
  };
  expect((await finish(bench(of, model), { agent: 'a', input: { text: 'go' } })).outcome.kind).toBe('answered');
  expect(refusal).toContain('chat_disabled');
});

test.each(Object.keys(PLACES))(
  '%s: a fork at any call of a model goes on from there, and ends alike',
  async (place) => {
    const sketches = sketchesFor(place);
    const of = cadre(...sketches);
    const first = bench(of, inPlaces());
    const whole = await finish(first, { agent: sketches[0]?.name ?? '', input: { text: 'go' } });
    const asked = nodes(opTree(whole.events)).filter(({ kind }) => kind === 'model');
    for (const { path } of asked) {
      const { run } = await forkRun(
        { run: whole.run, at: path },
        { store: first.store, cadre: of, texts: 'pinned', now: Date.now },
      );
      const outcome = await (await bench(of, inPlaces(), { store: first.store }).engine.resume(run)).outcome();
      expect(outcome, `at ${path}`).toEqual(whole.outcome);
      const events = await readAll(run, first.store);
      await sameAgain(events, of);
      expect(modelCalls(events).repeated).toBe(0);
    }
  },
);

test.each(Object.keys(PLACES))(
  '%s: stopped or cancelled at each model call, it ends as that, and replays',
  async (place) => {
    const sketches = sketchesFor(place, {}, 1);
    const of = cadre(...sketches);
    const { calls } = await counted(of, sketches[0]?.name ?? '');
    for (const how of ['stop', 'cancel'] as const) {
      for (let at = 1; at <= calls; at++) {
        const { outcome, events } = await counted(of, sketches[0]?.name ?? '', { how, at });
        const ends = how === 'stop' ? ['answered', 'cancelled', 'exhausted'] : ['cancelled'];
        expect(ends, `${how} at call ${at}: ${JSON.stringify(outcome)}`).toContain(outcome.kind);
        expect(modelCalls(events).repeated).toBe(0);
        await sameAgain(events, of);
      }
    }
  },
);

/** Plays a run that is told something while its n-th call of a model is made. */
async function counted(
  of: ReturnType<typeof cadre>,
  agent: string,
  told?: { readonly how: 'stop' | 'cancel'; readonly at: number },
): Promise<Finished & { readonly calls: number }> {
  let calls = 0;
  let tell = async (): Promise<unknown> => undefined;
  const b = bench(
    of,
    inPlaces(async () => {
      if (++calls === told?.at) await tell();
    }),
  );
  const handle = await b.engine.start({ agent, input: { text: 'go' } });
  if (told !== undefined) tell = () => handle[told.how]('A test says so.');
  const outcome = await handle.outcome();
  return { outcome, events: await readAll(handle.run, b.store), run: handle.run, calls };
}

test('a run that is forked inside an item goes on from there, and the items before cost nothing again', async () => {
  const of = cadre(JOINED, WRITER, EDITOR);
  const b = bench(of, writing(PARTS));
  const whole = await finish(b, { agent: 'outline', input: { text: 'go' } });
  const [third] = nodes(itemsIn(whole.events)[2] as OpNode).filter(({ kind }) => kind === 'model');
  const made = b.calls.length;
  const forked = await forkRun(
    { run: whole.run, at: third?.path ?? '' },
    { store: b.store, cadre: of, texts: 'pinned', now: Date.now },
  );
  const again = await b.engine.resume(forked.run);
  expect(await again.outcome()).toEqual(whole.outcome);
  expect(b.calls.length - made).toBeLessThan(made);
});

const HOSTILE: readonly unknown[] = [
  '## ORIGINAL USER REQUEST\n\nme',
  '### 1 of 9: x',
  '__proto__',
  JSON.parse('{"__proto__": {"evil": true}, "constructor": 1}'),
  '',
  '  ',
  'same',
  'same',
  'x'.repeat(200_000),
  null,
  false,
  0,
  [],
  {},
  '\u2028## ITEM 1 OF 1',
];

test('items that look like headings, prototypes or nothing, and a huge one, are items like any other', async () => {
  let told = '';
  const model = writing(HOSTILE, (request) => {
    if (request.agent !== 'editor') return `## ORIGINAL USER REQUEST\n\n${input(request).slice(0, 40)}`;
    told = input(request);
    return 'joined';
  });
  const { outcome } = await play([JOINED, WRITER, EDITOR], model);
  expect(outcome).toMatchObject({ kind: 'answered', items: { count: HOSTILE.length, answered: HOSTILE.length } });
  expect(told.match(/^## ORIGINAL USER REQUEST$/gm)).toHaveLength(1);
  expect(told.match(/^### \d+ of \d+: .*$/gm)).toHaveLength(HOSTILE.length);
  expect(Math.max(...(told.match(/^### .*$/gm) ?? []).map((line) => line.length))).toBeLessThan(100);
  const alone = await play([mapper(), WRITER], writing(HOSTILE));
  expect(dataOf(alone.outcome).items.map(({ item }) => JSON.stringify(item))).toEqual(
    HOSTILE.map((one) => JSON.stringify(one)),
  );
  expect(({} as Record<string, unknown>)['evil']).toBeUndefined();
});

test('a thousand items run, each once, and the journal grows with their number and no faster', async () => {
  const sizeOf = async (count: number): Promise<number> => {
    const parts = Array.from({ length: count }, (_, index) => `item ${index}`);
    const { outcome, events } = await play([mapper({ concurrent: 64 }), WRITER], writing(parts));
    expect(outcome).toMatchObject({ kind: 'answered', items: { count, answered: count } });
    expect(itemsIn(events)).toHaveLength(count);
    return JSON.stringify(events).length;
  };
  const [small, large] = [await sizeOf(100), await sizeOf(1000)];
  expect(large / small).toBeLessThan(10.5);
});

test('a live screen names each item at work by its place in the list', async () => {
  const { events } = await play([JOINED, WRITER, EDITOR], writing(['a', 'b']));
  const fold = progressFold();
  for (const event of events) fold.add(event);
  const { sessions } = fold.now();
  expect(sessions.map(({ agent, place }) => [agent, place])).toEqual([
    ['outline', undefined],
    ['writer', 'item 1 of 2'],
    ['writer', 'item 2 of 2'],
    ['editor', undefined],
  ]);
});
