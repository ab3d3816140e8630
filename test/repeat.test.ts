// `repeat` through the engine: in and around every pattern, under limits, stopped, killed at every event, forked.

import { expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { ModelRequest } from '../src/kernel/effect.ts';
import { services } from '../src/run/services.ts';
import { ledger } from '../src/views/costs/ledger.ts';
import { roundWords } from '../src/views/graph-loops.ts';
import { GraphFold } from '../src/views/run-graph.ts';
import { type OpNode, opTree } from '../src/views/tree/op-tree.ts';
import { modelCalls, shapeOf } from './crash/support/victim.ts';
import {
  type AgentSketch,
  type BenchOptions,
  bench,
  brokenOff,
  cadre,
  type Finished,
  finish,
  type Model,
} from './support/cadre.ts';
import { CRITIC, countOf, inPlaces, LOOP_PLACES, until, verdict, WRITER } from './support/loops.ts';

const input = (request: ModelRequest): string => (request.messages[0] as { text: string }).text;

/** The critic takes the answer that holds this text. Any other agent says `<name> <n>`, with the number of its turn. */
const pickyAbout =
  (text: string, more: Model = () => ''): Model =>
  (request, signal) => {
    if (request.agent === 'critic') return verdict(input(request).includes(text));
    const said = more(request, signal);
    return said === '' ? `${request.agent} ${countOf(request)}` : said;
  };

async function play(sketches: readonly AgentSketch[], model: Model, options: BenchOptions = {}): Promise<Finished> {
  const of = cadre(...sketches);
  const b = bench(of, model, options);
  const done = await finish(b, { agent: sketches[0]?.name ?? '', input: { text: 'go' } });
  expect(ledger(done.events).lines).toHaveLength(b.calls.length);
  const again = await replay(done.events, of, services);
  expect(again, JSON.stringify(again)).toMatchObject({ kind: 'identical' });
  return done;
}

const nodes = (node: OpNode): readonly OpNode[] => [node, ...node.children.flatMap(nodes)];
const rowsOf = (events: readonly RunEvent[]): readonly OpNode[] => nodes(opTree(events));

test('the session that answered goes on with the reason, and a turn that was sent back says so', async () => {
  const { outcome, events } = await play([WRITER, CRITIC], pickyAbout('writer 3'));
  expect(outcome).toMatchObject({ kind: 'answered', text: 'writer 3', agent: 'writer', rounds: 3 });
  const rows = rowsOf(events);
  expect(rows[0]).toMatchObject({ rounds: 3, state: 'answered' });
  const turns = rows.filter(({ kind, agent }) => kind === 'turn' && agent === 'writer');
  expect(turns.map(({ state, why }) => [state, why])).toEqual([
    ['sent-back', 'Say more.'],
    ['sent-back', 'Say more.'],
    ['done', undefined],
  ]);
  const judges = rows.filter(({ trigger }) => trigger === 'judge');
  expect(judges.map(({ pattern, round, of }) => ({ pattern, round, of }))).toEqual(
    [0, 1, 2].map((round) => ({ pattern: 'repeat', round, of: 4 })),
  );
});

test('the graph of a run shows the latest loop of an agent as it was after any event', async () => {
  const { events } = await play([WRITER, CRITIC], pickyAbout('writer 3'));
  const graph = new GraphFold();
  for (const event of events) graph.add(event);
  const seen = events.map((_, index) => graph.at(index + 1).loops.get('writer'));
  expect(seen[0]).toBeUndefined();
  const verdicts = seen.map((loop) => loop?.rounds.map(({ good }) => good ?? 'judges').join(' '));
  expect([...new Set(verdicts)]).toEqual([
    undefined,
    'judges',
    'false',
    'false judges',
    'false false',
    'false false judges',
    'false false true',
  ]);
  expect(seen.at(-1)).toMatchObject({ judge: 'critic', of: 4, rounds: [{ why: 'Say more.' }, {}, {}] });
  expect(roundWords(seen[verdicts.indexOf('false')]!, true)).toBe('round 2 of 4');
});

test('each judge is a new run, and the turns of the loop are those of one session', async () => {
  const { outcome, events } = await play([{ ...WRITER, maxTurns: 2 }, CRITIC], pickyAbout('never'));
  expect(outcome).toMatchObject({
    kind: 'exhausted',
    fault: { code: 'turns/exhausted' },
    partial: 'writer 2',
    rounds: 2,
  });
  const sessions = events.flatMap((event) =>
    event.type === 'op-start' && event.op.kind === 'model' && event.op.agent === 'critic' ? [event.op.session] : [],
  );
  expect(new Set(sessions).size).toBe(2);
});

test('answers that are spent fail the run, or with atMax: last are given as unmet, also to what follows', async () => {
  const lazy = await play([{ ...WRITER, repeat: until(2) }, CRITIC], pickyAbout('never'));
  expect(lazy.outcome).toMatchObject({
    kind: 'exhausted',
    fault: { code: 'repeat/not-ok', details: { why: 'Say more.' } },
  });
  const chain = { trigger: 'next', stages: [{ to: 'editor' }], pass: 'answer' } as const;
  const loop = { ...WRITER, repeat: until(2, { atMax: 'last' }), chain };
  const { outcome, events } = await play([loop, { name: 'editor' }, CRITIC], pickyAbout('never'));
  expect(outcome).toMatchObject({ kind: 'answered', text: 'editor 1' });
  expect(outcome).not.toHaveProperty('rounds');
  expect(outcome).not.toHaveProperty('unmet');
  expect(rowsOf(events)[0]).toMatchObject({ agent: 'writer', rounds: 2, unmet: true });
  const last = await play([{ ...loop, chain: undefined } as never, CRITIC], pickyAbout('never'));
  expect(last.outcome).toMatchObject({ kind: 'answered', text: 'writer 2', rounds: 2, unmet: true });
  expect(rowsOf(last.events)[0]).toMatchObject({ rounds: 2, unmet: true });
});

test('fresh: every round is a session of its own, which knows its last answer, and advisors are asked once', async () => {
  const heard: string[] = [];
  const model = pickyAbout('writer 3', (request) => {
    if (request.agent === 'writer') heard.push(input(request));
    return '';
  });
  const loop: AgentSketch = {
    name: 'writer',
    advisors: { agents: ['scout'], policy: { kind: 'isolate' } },
    repeat: until(4, { fresh: true }),
    maxTurns: 1,
  };
  const { outcome, events } = await play([loop, { name: 'scout' }, CRITIC], model);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'writer 3', rounds: 3 });
  expect(heard[2]).toBe(
    [
      '## ORIGINAL USER REQUEST\n\ngo',
      '## ANALYSIS GATHERED\n\n### From scout\n\nscout 1',
      '## YOUR LAST ANSWER\n\nwriter 2',
      '## FEEDBACK, ROUND 3 OF 4\n\nSay more.',
    ].join('\n\n'),
  );
  const rows = rowsOf(events);
  expect(rows.filter(({ agent, kind }) => agent === 'scout' && kind === 'run')).toHaveLength(1);
  const rounds = rows.filter(({ trigger }) => trigger === 'repeat');
  expect(rounds.map(({ round }) => round)).toEqual([0, 1, 2]);
  const turns = rows.filter(({ kind, agent }) => kind === 'turn' && agent === 'writer');
  expect(turns.map(({ state }) => state)).toEqual(['sent-back', 'sent-back', 'done']);
});

test('a team is repeated as a new team, on a channel of its own each time', async () => {
  const team: AgentSketch = {
    name: 'lead',
    team: { members: ['ada', 'bea'], supervisor: 'lead' },
    repeat: until(3),
  };
  const { outcome, events } = await play([team, { name: 'ada' }, { name: 'bea' }, CRITIC], pickyAbout('lead 2'));
  expect(outcome).toMatchObject({ kind: 'answered', text: 'lead 2', rounds: 2 });
  const channels = events.flatMap((event) =>
    event.type === 'op' && event.kind === 'post' ? [(event.detail as { readonly channel: string }).channel] : [],
  );
  expect(new Set(channels).size).toBe(2);
});

test.each(Object.keys(LOOP_PLACES))(
  '%s: broken off at every event, the run ends as it would have, and no call is made twice',
  async (name) => {
    const of = cadre(...(LOOP_PLACES[name] ?? []));
    const first = bench(of, inPlaces);
    const whole = await finish(first, { agent: LOOP_PLACES[name]?.[0]?.name ?? '', input: { text: 'go' } });
    expect(whole.outcome, JSON.stringify(whole.outcome)).toMatchObject({ kind: 'answered' });
    expect(rowsOf(whole.events).some(({ rounds = 0 }) => rounds > 1)).toBe(true);
    expect(await replay(whole.events, of, services)).toMatchObject({ kind: 'identical' });
    for (let count = 1; count < whole.events.length; count++) {
      const store = await brokenOff(whole.events, count, whole.run);
      const again = bench(of, inPlaces, { store });
      const outcome = await (await again.engine.resume(whole.run)).outcome();
      const events = await readAll(whole.run, store);
      expect(outcome, `after ${count} events`).toEqual(whole.outcome);
      expect(shapeOf(events)).toEqual(shapeOf(whole.events));
      expect(modelCalls(events).repeated).toBe(0);
    }
  },
);
