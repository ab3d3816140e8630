// A session that is continued is the session that was begun: in a team's later cycles and in clarifications. Its
// contract, turns, deadline and background runs hold for its whole life, and messages to it are taken in order.

import { expect, test } from 'vitest';
import type { CadreDefinition } from '../src/definition/definition.ts';
import type { RunRequest } from '../src/engine/contract.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { Broadcast, ModelRequest } from '../src/kernel/effect.ts';
import { services } from '../src/run/services.ts';
import {
  type AgentSketch,
  bench,
  brokenOff,
  cadre,
  call,
  callableIn,
  type Finished,
  finish,
  lastText,
  type Model,
  type Reply,
} from './support/cadre.ts';
import { announced, hang, instants, limits, results } from './support/spawning.ts';

const say = (message: string): Reply => call('team_broadcast', { message });
const report = (content: string): Reply => call('final_report', { content });
const start = { agent: 'lead', input: { text: 'shall we ship?' } };
const ends = (events: readonly RunEvent[]): number =>
  events.filter((event) => event.type === 'op-end' && event.kind === 'model').length;

/** Runs it, replays it, and resumes it from every event: the same outcome, and no finished call is made again. */
async function whole(of: CadreDefinition, model: Model, request: RunRequest = start): Promise<Finished> {
  const finished = await finish(bench(of, model), request);
  expect(await replay(finished.events, of, services)).toMatchObject({ kind: 'identical', ended: true });
  for (let count = 1; count < finished.events.length; count++) {
    const b = bench(of, model, { store: await brokenOff(finished.events, count, finished.run) });
    expect(await (await b.engine.resume(finished.run)).outcome()).toEqual(finished.outcome);
    expect(b.answers.length).toBeLessThanOrEqual(ends(finished.events) - ends(finished.events.slice(0, count)));
    const events = await readAll(finished.run, b.store);
    expect(await replay(events, of, services)).toMatchObject({ kind: 'identical', ended: true });
  }
  return finished;
}

const team = (extra: Partial<AgentSketch['team']> = {}, ...more: readonly AgentSketch[]): CadreDefinition =>
  cadre(
    { name: 'lead', team: { members: ['ann'], supervisor: 'lead', ...extra } },
    ...[{ name: 'ann' }, { name: 'chair' }].filter(({ name }) => more.every((one) => one.name !== name)),
    ...more,
  );

/** The supervisor never does anything but broadcast. */
const restless: Model = (request) => say(`${request.agent} ${request.turn}`);

test.each(['lead', 'chair'])('a supervisor (%s) that keeps broadcasting ends after its turns', async (supervisor) => {
  const { outcome, events } = await whole(team({ supervisor, supervisorMaxTurns: 3 }), restless);
  expect(outcome).toMatchObject({ kind: 'exhausted', fault: { code: 'turns/exhausted' } });
  const turns = events.filter(
    (event) => event.type === 'op-start' && event.op.kind === 'model' && event.op.agent === supervisor,
  );
  expect(turns).toHaveLength(3);
});

test.each(['lead', 'chair'])('a stop ends a team whose supervisor (%s) keeps broadcasting', async (supervisor) => {
  let stop = (): void => {};
  const b = bench(team({ supervisor }), (request) => {
    if (request.agent === supervisor && request.turn === 2) stop();
    return say(`${request.agent} ${request.turn}`);
  });
  const handle = await b.engine.start(start);
  stop = () => handle.interrupt('stop', 'enough');
  expect(await handle.outcome()).toMatchObject({ kind: 'cancelled' });
  expect(b.calls.filter((one) => one.endsWith('#4'))).toEqual([]);
});

test('a full context ends a team whose supervisor keeps broadcasting', async () => {
  let last = 0;
  const words = 'word '.repeat(3000);
  const model: Model = (request) => {
    if (request.agent === 'lead' && lastText(request).includes('filled the context window')) last += 1;
    return say(request.agent === 'lead' ? 'more' : `${request.turn} ${words}`);
  };
  const { outcome } = await finish(bench(team(), model, { contextWindow: 2000 }), start);
  expect(last).toBe(1);
  expect(outcome).toMatchObject({ kind: 'failed', fault: { code: 'context/overflow' } });
});

test('an exit that is not offered on the last turn is refused by name, with what is offered', async () => {
  let told = '';
  const { outcome } = await finish(
    bench(team({ supervisorMaxTurns: 2 }), (request) => {
      if (request.agent !== 'lead') return say('here');
      if (request.turn === 1) return say('more');
      told = callableIn(request).join(' ');
      return { calls: [say('more'), report('done')].flatMap((reply) => (reply as { calls: [] }).calls) };
    }),
    start,
  );
  expect(told).toBe('final_report');
  expect(outcome).toMatchObject({ kind: 'answered', text: 'done' });
});

const contract = {
  format: 'json',
  schema: { type: 'object', properties: { ship: { type: 'boolean' } }, required: ['ship'] },
} as const;

/** The supervisor broadcasts in the first cycle; in the second it tries plain words before it reports. */
const wordy: Model = (request) => {
  if (request.agent === 'ann') return say(`ann ${request.turn}`);
  if (request.agent !== 'lead' && request.agent !== 'chair') return `took ${lastText(request)}`;
  if (request.turn === 1) return say('more');
  return request.turn === 2 ? 'We ship.' : call('final_report', { ship: true });
};

test.each(['lead', 'chair'])('the caller’s contract binds a supervisor (%s) in every cycle', async (supervisor) => {
  const { outcome } = await whole(team({ supervisor }), wordy, { ...start, contract });
  expect(outcome).toMatchObject({ kind: 'answered', data: { ship: true } });
});

test('a team that leads into a stage that takes JSON gives it JSON, from any cycle', async () => {
  const of = cadre(
    {
      name: 'lead',
      team: { members: ['ann'], supervisor: 'chair' },
      chain: { stages: [{ to: 'packer' }], trigger: 'next', pass: 'answer' },
    },
    { name: 'ann' },
    { name: 'chair' },
    { name: 'packer', input: contract },
  );
  const { outcome } = await whole(of, wordy);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'took {"ship":true}' });
});

const family = (kid: Partial<AgentSketch>, ...more: readonly AgentSketch[]): CadreDefinition =>
  cadre({ name: 'lead', agents: ['kid'] }, { name: 'kid', chat: true, ...kid }, ...more);
const idIn = (request: ModelRequest): string => /id `([^`]+)`/.exec(results(request).join('\n'))?.[1] ?? '';
const ask = (request: ModelRequest, ...questions: readonly string[]): Reply => ({
  calls: questions.map((question) => ({ name: 'agent__ask_clarification', args: { id: idIn(request), question } })),
});
const callKid = call('agent__kid', { input: 'go', reason: 'why' });
interface Clarified {
  readonly status: string;
  readonly content: string;
  readonly turnsRemaining: number;
}
const clarified = (request: ModelRequest): readonly Clarified[] =>
  results(request)
    .slice(1)
    .map((text) => JSON.parse(text.split('\n\n---\n')[0] ?? '') as Clarified);

test('two questions in one reply are answered one after the other, each with its own answer', async () => {
  let heard: readonly Clarified[] = [];
  await whole(family({}), (request) => {
    if (request.agent === 'kid') return `kid on: ${lastText(request).split('\n').at(-1)}`;
    if (request.turn === 1) return callKid;
    if (request.turn === 2) return ask(request, 'one?', 'two?', 'three?');
    heard = clarified(request);
    return 'done';
  });
  expect(heard.map(({ content }) => content)).toEqual(['kid on: one?', 'kid on: two?', 'kid on: three?']);
  expect(heard.map(({ turnsRemaining }) => turnsRemaining)).toEqual([8, 7, 6]);
});

test('a question after the one that spent the last turn is told that no turns are left', async () => {
  let heard: readonly Clarified[] = [];
  await whole(family({ maxTurns: 2 }), (request) => {
    if (request.agent === 'kid') return 'kid';
    if (request.turn === 1) return callKid;
    if (request.turn === 2) return ask(request, 'one?', 'two?');
    heard = clarified(request);
    return 'done';
  });
  expect(heard.map(({ status }) => status)).toEqual(['answered', 'clarification_no_turns']);
});

test('a child that is dismissed in the same reply answers what was asked before, and nothing after', async () => {
  let heard: readonly string[] = [];
  await whole(family({}), (request) => {
    if (request.agent === 'kid') return 'kid';
    if (request.turn === 1) return callKid;
    const question = { name: 'agent__ask_clarification', args: { id: idIn(request), question: 'so?' } };
    const dismissal = { name: 'agent__dismiss', args: { id: idIn(request) } };
    if (request.turn === 2) return { calls: [question, dismissal, question] };
    heard = results(request).slice(1);
    return 'done';
  });
  expect(heard[0]).toContain('"status":"answered"');
  expect(heard[1]).toContain('has ended');
  expect(heard[2]).toContain('clarification_unknown');
});

const inTeam: Model = (request) => {
  if (request.agent === 'ann') return say(`ann ${request.turn}`);
  if (request.agent === 'kid' || request.agent === 'chair')
    return request.turn === 1 ? say('more') : report(`team ${request.turn}`);
  return request.turn === 1 ? callKid : 'done';
};

test.each([
  ['a team', { team: { members: ['ann'], supervisor: 'kid' } }],
  ['a team with another supervisor', { team: { members: ['ann'], supervisor: 'chair' } }],
  ['a chain into a team', { chain: { stages: [{ to: 'crew' }], trigger: 'next', pass: 'answer' } }],
] as const)('%s without chat cannot be asked again', async (_, extra) => {
  let tools: readonly string[] = [];
  const of = family(
    { chat: false, ...extra },
    { name: 'ann' },
    { name: 'chair' },
    { name: 'crew', team: { members: ['ann'], supervisor: 'chair' } },
  );
  const { events } = await whole(of, (request, signal) => {
    if (request.agent === 'kid' && 'chain' in extra) return 'pass it on';
    if (request.agent === 'lead') tools = request.tools.map(({ name }) => name);
    return inTeam(request, signal);
  });
  expect(tools).not.toContain('agent__ask_clarification');
  const end = events.find((event) => event.type === 'op-end' && event.path === '0.2');
  expect(end).toMatchObject({ kind: 'run', result: { value: { kind: 'answered' } } });
  expect(JSON.stringify(end)).not.toContain('turnsLeft');
});

test.each(['lead', 'chair'])(
  'a run that ends as a team (%s) names no session and no turns left',
  async (supervisor) => {
    const { outcome } = await whole(team({ supervisor }), (request) =>
      request.agent === 'ann' ? say('ann') : request.turn === 1 ? say('more') : report('done'),
    );
    expect(outcome).toEqual({ kind: 'answered', agent: supervisor, text: 'done' });
  },
);

test.each(['kid', 'chair'])('the turns left of a chat child that is a team (%s) only shrink', async (supervisor) => {
  let heard: readonly Clarified[] = [];
  let first = '';
  const of = family(
    { maxTurns: 8, team: { members: ['ann'], supervisor, supervisorMaxTurns: 4 } },
    { name: 'ann' },
    { name: 'chair', maxTurns: 8 },
  );
  const systems = new Set<string>();
  await whole(of, (request, signal) => {
    if (request.agent === supervisor) systems.add(request.system);
    if (request.agent !== 'lead') return inTeam(request, signal);
    if (request.turn === 1) return callKid;
    first = results(request)[0] ?? '';
    if (request.turn === 2) return ask(request, 'so?');
    heard = clarified(request);
    return 'done';
  });
  expect(first).toContain('2 turns left');
  expect(heard).toEqual([expect.objectContaining({ status: 'answered', turnsRemaining: 1 })]);
  expect(systems.size).toBe(1);
});

/** Time passes only where the model says so, so that what counts is exact. */
function clockwork(): { readonly now: () => number; pass(ms: number): void; set(to: number): void } {
  let at = 1_000_000;
  return {
    now: () => at,
    set(to) {
      at = to;
    },
    pass(ms) {
      at += ms;
    },
  };
}

test('a child’s time counts while it works, over all its questions, and not while it waits', async () => {
  const clock = clockwork();
  const of = family({ timeoutMs: 1000 });
  let heard: readonly Clarified[] = [];
  const model: Model = (request, signal) => {
    if (request.agent === 'kid') {
      if (request.turn === 4) return hang(signal);
      clock.pass(300);
      return `kid ${request.turn}`;
    }
    clock.pass(5000);
    if (request.turn === 1) return callKid;
    if (request.turn < 5) return ask(request, 'so?');
    heard = clarified(request);
    return 'done';
  };
  const finished = await finish(bench(of, model, { now: clock.now }), start);
  expect(heard.map(({ status }) => status)).toEqual(['answered', 'answered', 'timed-out']);
  expect(await replay(finished.events, of, services)).toMatchObject({ kind: 'identical', ended: true });
});

test('after a restart a child has no more time than it had before', async () => {
  const clock = clockwork();
  const of = family({ timeoutMs: 500 });
  const model: Model = (request, signal) => {
    if (request.agent === 'kid') {
      if (request.turn === 3) return hang(signal);
      clock.pass(300);
      return `kid ${request.turn}`;
    }
    if (request.turn === 1) return callKid;
    if (request.turn < 4) return ask(request, 'so?');
    return JSON.stringify(clarified(request).map(({ status }) => status));
  };
  const finished = await finish(bench(of, model, { now: clock.now }), start);
  expect(finished.outcome).toMatchObject({ text: '["answered","timed-out"]' });
  for (let count = 1; count < finished.events.length; count++) {
    clock.set(finished.events[count - 1]?.at ?? 0);
    const b = bench(of, model, { now: clock.now, store: await brokenOff(finished.events, count, finished.run) });
    expect(await (await b.engine.resume(finished.run)).outcome()).toEqual(finished.outcome);
  }
});

test('a member that hangs in a later cycle is ended by its own time-out, and the team goes on', async () => {
  const of = team({}, { name: 'ann', timeoutMs: 50 });
  const { outcome } = await finish(
    bench(of, (request, signal) => {
      if (request.agent === 'ann') return request.turn === 1 ? say('here') : hang(signal);
      return request.turn === 1 ? say('more') : report(lastText(request));
    }),
    start,
  );
  expect(outcome).toMatchObject({ kind: 'answered' });
  expect((outcome as { text: string }).text).toContain(
    'member ann failed and is no longer in the team. Reason: ann did',
  );
});

const spawner = { ...limits, agents: ['worker'] };
const spawnOne = call('sessions_spawn', { task: 'dig', label: 'dig', agent: 'worker' });

/** `spawner` spawns in its first turn and waits; the worker answers once the second cycle has begun. */
function outlasting(who: string): { readonly model: Model; readonly heard: string[] } {
  const heard: string[] = [];
  let secondCycle = (): void => {};
  const begun = new Promise<void>((resolve) => {
    secondCycle = resolve;
  });
  const model: Model = async (request) => {
    if (request.agent === 'worker') {
      await begun;
      return 'gold';
    }
    if (request.agent === who && request.turn === 1) return spawnOne;
    if (request.agent === 'ann') {
      if (who !== 'ann') {
        if (request.turn === 2) secondCycle();
        return say(`ann ${request.turn}`);
      }
      if (request.turn === 2) return say('I started a dig');
      if (request.turn === 3) {
        secondCycle();
        return call('sessions_wait', {});
      }
      heard.push(lastText(request));
      return say('found it');
    }
    if (who === 'ann') return request.turn === 1 ? say('more') : report('done');
    if (request.turn === 2) return say('a dig is on');
    if (request.turn === 3) return call('sessions_wait', {});
    heard.push(lastText(request));
    return report('done');
  };
  return { model, heard };
}

test.each([
  ['a member', 'ann', 'lead'],
  ['a supervisor', 'lead', 'lead'],
  ['another supervisor', 'chair', 'chair'],
])('a run that %s spawned goes on while it waits for the next cycle', async (_, who, supervisor) => {
  const of = cadre(
    { name: 'lead', team: { members: ['ann'], supervisor }, ...(who === 'lead' && { spawn: spawner }) },
    { name: 'ann', ...(who === 'ann' && { spawn: spawner }) },
    { name: 'chair', ...(who === 'chair' && { spawn: spawner }) },
    { name: 'worker' },
  );
  const { model, heard } = outlasting(who);
  const { outcome, events } = await whole(of, model);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'done' });
  expect(announced(events)).toEqual(['dig answered']);
  expect(heard.join()).toContain('dig');
  const turns = instants(events, 'post').map(({ value }) => value as Broadcast);
  expect(turns.find(({ message }) => message.includes('a dig'))).toMatchObject({ turnCount: 2 });
});

test('a run that a member spawned ends with the team', async () => {
  const of = cadre(
    { name: 'lead', team: { members: ['ann'], supervisor: 'lead' } },
    { name: 'ann', spawn: spawner },
    { name: 'worker' },
  );
  const { outcome, events } = await finish(
    bench(of, (request, signal) => {
      if (request.agent === 'worker') return hang(signal);
      if (request.agent === 'ann') return request.turn === 1 ? spawnOne : say('waiting');
      return report('done');
    }),
    start,
  );
  expect(outcome).toMatchObject({ kind: 'answered', text: 'done' });
  expect(announced(events)).toEqual(['dig cancelled']);
  expect(instants(events, 'close')).toHaveLength(1);
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical', ended: true });
});

test('a run that a member spawned ends when the run is cancelled while the member waits', async () => {
  const of = cadre(
    { name: 'lead', team: { members: ['ann'], supervisor: 'lead' } },
    { name: 'ann', spawn: spawner, timeoutMs: 60_000 },
    { name: 'worker' },
  );
  let cancel = (): void => {};
  const b = bench(of, (request, signal) => {
    if (request.agent === 'worker') return hang(signal);
    if (request.agent === 'ann') return request.turn === 1 ? spawnOne : say('waiting');
    cancel();
    return hang(signal);
  });
  const handle = await b.engine.start(start);
  cancel = () => handle.interrupt('cancel', 'enough');
  expect(await handle.outcome()).toMatchObject({ kind: 'cancelled' });
  const events = await readAll(handle.run, b.store);
  expect(announced(events)).toEqual(['dig cancelled']);
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical', ended: true });
});
