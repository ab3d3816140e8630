// Sessions that go in circles, wherever a pattern puts them: each is ended alike on the first run, after a crash at every
// event, and in a replay.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { CadreDefinition } from '../src/definition/definition.ts';
import { loadCadre } from '../src/definition/load.ts';
import { newMessage } from '../src/engine/handle.ts';
import { replay } from '../src/engine/history/replay.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { ModelRequest } from '../src/kernel/effect.ts';
import type { Outcome } from '../src/kernel/outcome.ts';
import { subagentPattern } from '../src/patterns/subagent/pattern.ts';
import { services } from '../src/run/services.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { tool } from '../src/tools/functions.ts';
import {
  type AgentSketch,
  bench,
  brokenOff,
  cadre,
  call,
  callableIn,
  finish,
  lastText,
  type Model,
  type Reply,
} from './support/cadre.ts';
import { engineOf } from './support/handled.ts';

const look = tool<object>({
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object' },
  repeat: 'safe',
  run: () => 'nothing has changed',
});

const stuck = { warn: 3, stop: 5, except: [] };

/** Looks again and again, whatever it is told. */
const walker: AgentSketch = { name: 'walker', tools: ['look'], stuck, maxTurns: 20 };

/** A way that leads to the walker, and the agents and the model that it takes. */
interface Place {
  readonly agents: readonly AgentSketch[];
  readonly boss?: (request: ModelRequest) => Reply;
  /** The end of the whole run. */
  readonly ends: Outcome['kind'];
}

const PLACES: Readonly<Record<string, Place>> = {
  plain: { agents: [{ ...walker, name: 'boss' }], ends: 'exhausted' },
  'sub-agent': {
    agents: [{ name: 'boss', agents: ['walker'] }, walker],
    boss: ({ turn }) => (turn === 1 ? call('agent__walker', { input: 'go', reason: 'why' }) : 'done'),
    ends: 'answered',
  },
  'sub-agent asked again': {
    agents: [
      { name: 'boss', agents: ['walker'] },
      { ...walker, chat: true },
    ],
    boss: ({ turn, messages }) => {
      if (turn === 1) return call('agent__walker', { input: 'answer at once', reason: 'why' });
      const [, id = ''] = /id `(walker@[^`]+)`/.exec(JSON.stringify(messages)) ?? [];
      return turn === 2 ? call('agent__ask_clarification', { id, question: 'go' }) : 'done';
    },
    ends: 'answered',
  },
  'member of a team': {
    agents: [{ name: 'boss', team: { members: ['walker'], supervisor: 'boss' } }, walker],
    boss: () => call('final_report', { content: 'done' }),
    ends: 'answered',
  },
  'destination of a router': {
    agents: [{ name: 'boss', router: { destinations: ['walker'] } }, walker],
    boss: () => call('handoff-to', { agent: 'walker' }),
    ends: 'exhausted',
  },
  'router itself': {
    agents: [{ ...walker, name: 'boss', router: { destinations: ['other'] } }, { name: 'other' }],
    ends: 'exhausted',
  },
  'stage of a chain': {
    agents: [
      {
        name: 'boss',
        chain: { trigger: 'next', stages: [{ to: 'walker' }], pass: 'answer' },
      } as AgentSketch,
      walker,
    ],
    boss: () => 'go',
    ends: 'exhausted',
  },
  advisor: {
    agents: [{ name: 'boss', advisors: { agents: ['walker'], policy: { kind: 'isolate' } } } as AgentSketch, walker],
    boss: () => 'done',
    ends: 'answered',
  },
  'spawned run': {
    agents: [
      {
        name: 'boss',
        spawn: { maxDepth: 1, maxChildren: 2, maxTotal: 2, maxConcurrent: 2, agents: ['walker'] },
      },
      walker,
    ],
    boss: ({ turn }) => {
      if (turn === 1) return call('sessions_spawn', { task: 'go', agent: 'walker', label: 'w' });
      return turn === 2 ? call('sessions_wait', {}) : 'done';
    },
    ends: 'answered',
  },
};

const modelFor =
  (place: Place) =>
  (request: ModelRequest): Reply => {
    const { agent, messages } = request;
    const walks = place.boss === undefined ? agent === 'boss' : agent === 'walker';
    if (!walks) return agent === 'boss' ? (place.boss?.(request) ?? 'done') : 'nothing to say';
    if (lastText(request) === 'answer at once') return 'here';
    if (!callableIn(request).includes('look')) return 'turns are over';
    expect(messages.length).toBeLessThan(30);
    return { say: 'I look.', calls: [{ name: 'look', args: { at: 'door' } }] };
  };

/** The calls of the tool that were made. */
const callsOf = (events: readonly RunEvent[]): number =>
  events.filter((event) => event.type === 'op-end' && event.kind === 'tool').length;

const faultCodes = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => {
    const text = JSON.stringify(event);
    return text.includes('turns/no-progress') ? [event.type] : [];
  });

describe.each(Object.entries(PLACES))('%s', (_, place) => {
  const definition: CadreDefinition = cadre(...place.agents);
  const model = modelFor(place);

  test('is warned at the third call and ended at the fifth, and replays', async () => {
    const done = await finish(bench(definition, model, { tools: [look] }), { agent: 'boss', input: { text: 'go' } });
    expect(done.outcome.kind).toBe(place.ends);
    expect(callsOf(done.events)).toBe(5);
    expect(faultCodes(done.events).length).toBeGreaterThan(0);
    expect(JSON.stringify(done.events)).toContain('Same call, same result as in turn');
    expect(await replay(done.events, definition, services)).toMatchObject({ kind: 'identical', ended: true });
  });

  test('is ended alike after a crash at every event', async () => {
    const whole = await finish(bench(definition, model, { tools: [look] }), { agent: 'boss', input: { text: 'go' } });
    for (let count = 1; count < whole.events.length; count++) {
      const store = await brokenOff(whole.events, count, whole.run);
      const b = bench(definition, model, { store, tools: [look] });
      expect(await (await b.engine.resume(whole.run)).outcome()).toEqual(whole.outcome);
    }
  });
});

test('a session whose file says `stuck: off` spends its turns', async () => {
  const free: AgentSketch = { name: 'boss', tools: ['look'], maxTurns: 8 };
  const place: Place = { agents: [free], ends: 'exhausted' };
  const done = await finish(bench(cadre(free), modelFor(place), { tools: [look] }), {
    agent: 'boss',
    input: { text: 'go' },
  });
  expect(done.outcome).toMatchObject({ text: 'turns are over' });
  expect(callsOf(done.events)).toBe(7);
});

const subagent = subagentPattern.keySpec.configOf?.(true, {
  agent: 'boss',
  all: [],
  answerOf: () => undefined,
}) as never;
const listing: Model = ({ agent, turn, callable }) => {
  if (agent === 'boss') return turn === 1 ? call('subagent', { task: 'look' }) : 'done';
  return callable === undefined && turn < 8 ? call('list_files', {}) : 'seen';
};

test.each([
  {
    except: [],
    calls: 5,
    says: 'name the tool under stuck: {except: […]} in the file of boss, as `cadre tools boss` lists it.',
  },
  { except: ['list_files'], calls: 7, says: '"text":"seen"' },
  { except: ['files'], calls: 7, says: '"text":"seen"' },
])('a helper goes by the guard of its owner, with $except left out', async ({ except, calls, says }) => {
  const definition = cadre({ name: 'boss', subagent, stuck: { warn: 3, stop: 5, except } });
  const done = await finish(bench(definition, listing), { agent: 'boss', input: { text: 'go' } });
  const made = done.events.filter(
    (event) => event.type === 'op-start' && event.op.kind === 'tool' && event.op.call.name === 'list_files',
  );
  expect(made).toHaveLength(calls);
  const [told] = done.events.flatMap((event) =>
    event.type === 'op-end' && JSON.stringify(event).includes('duration_ms') ? [JSON.stringify(event)] : [],
  );
  expect(told?.replaceAll('\\"', '"')).toContain(says);
  expect(await replay(done.events, definition, services)).toMatchObject({ kind: 'identical', ended: true });
});

test('an exit beside the call that would end the session holds', async () => {
  const boss: AgentSketch = { ...walker, name: 'boss' };
  const done = await finish(
    bench(
      cadre(boss),
      ({ turn }) => ({
        calls: [
          { name: 'look', args: {} },
          ...(turn === 5 ? [{ name: 'final_report', args: { content: 'nothing' } }] : []),
        ],
      }),
      { tools: [look] },
    ),
    { agent: 'boss', input: { text: 'go' } },
  );
  expect(done.outcome).toMatchObject({ kind: 'answered', text: 'nothing' });
});

test('a message begins the count anew', async () => {
  const boss: AgentSketch = { ...walker, name: 'boss', maxTurns: 9 };
  const b = bench(
    cadre(boss),
    async ({ turn }) => {
      if (turn === 4) await b.engine.control(run, newMessage({ kind: 'send', text: 'Look at the door too.' }));
      return turn === 9 ? 'done' : { calls: [{ name: 'look', args: {} }] };
    },
    { tools: [look] },
  );
  const handle = await b.engine.start({ agent: 'boss', input: { text: 'go' } });
  const { run } = handle;
  expect(await handle.outcome()).toMatchObject({ kind: 'answered' });
});

const REPLAY = fileURLToPath(new URL('./replay/', import.meta.url));

test.each(['0.2.0-circles', '0.3.0-circles'])(
  'a run that an earlier release began goes on by its rules (%s): six same calls do not end it',
  async (release) => {
    const folder = fileURLToPath(new URL('./replay/cadres/circles', import.meta.url));
    const events = readFileSync(join(REPLAY, release, 'broken-off.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line.replaceAll('"/test/replay/cadres/circles"', JSON.stringify(folder))) as RunEvent);
    const [start] = events;
    if (start?.type !== 'run-start') throw new Error('the journal has no beginning');
    expect(start.kernel).toBe(2);
    const definition = await loadCadre(folder);
    const store = memoryStore();
    const lease = await store.claim(start.run, 0);
    await lease.append(events);
    await lease.release();
    const outcome = await (await engineOf(definition, { store }).resume(start.run)).outcome();
    expect(outcome).toMatchObject({
      kind: 'answered',
      text: 'Nothing has changed, and the oracle says that this is good.',
    });
  },
);
