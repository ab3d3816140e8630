// A team at work, through the engine: cycles, exits, bounds, composition, crash and replay.

import { expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import type { RunEvent } from '../src/journal/event.ts';
import { fingerprint } from '../src/journal/fingerprint.ts';
import type { Broadcast, ModelRequest } from '../src/kernel/effect.ts';
import { services } from '../src/run/services.ts';
import {
  type AgentSketch,
  bench,
  brokenOff,
  cadre,
  call,
  callableIn,
  finish,
  type Model,
  type Reply,
} from './support/cadre.ts';

const say = (message: string, then?: string): Reply =>
  call('team_broadcast', then === undefined ? { message } : { message, then });
const report = (content: string): Reply => call('final_report', { content });
const heard = (request: ModelRequest): string =>
  request.messages
    .filter(({ role }) => role === 'user')
    .map((message) => ('text' in message ? message.text : ''))
    .join('\n');
const transcript = (events: readonly RunEvent[]): readonly Broadcast[] =>
  events
    .filter((event): event is Extract<RunEvent, { type: 'op' }> => event.type === 'op' && event.kind === 'post')
    .map(({ value }) => value as Broadcast)
    .sort((left, right) => left.number - right.number);
const told = (events: readonly RunEvent[]) =>
  transcript(events).map(({ memberId, message }) => `${memberId}: ${message}`);

const panel = (members: readonly string[], extra: Partial<AgentSketch> = {}) =>
  cadre(
    { name: 'lead', system: 'Decide together.', team: { members, supervisor: 'lead' }, ...extra },
    ...members.map((name) => ({ name })),
  );

const start = { agent: 'lead', input: { text: 'shall we ship?' } };

/** Two cycles: everyone speaks, the lead asks once more, everyone speaks again, the lead reports. */
const twoCycles: Model = (request) => {
  if (request.agent !== 'lead') return say(`${request.agent} says ${request.turn}`);
  return request.turn === 1
    ? say('once more please')
    : report(`decided after ${(heard(request).match(/### Broadcast/g) ?? []).length} broadcasts`);
};

test('members speak, the supervisor hears all of it, asks again, and its report is the answer', async () => {
  const b = bench(panel(['ann', 'bob']), twoCycles);
  const { outcome, events } = await finish(b, start);
  expect(outcome).toMatchObject({ kind: 'answered', agent: 'lead', text: 'decided after 4 broadcasts' });
  expect(told(events)).toHaveLength(5);
  expect(b.calls).toHaveLength(6);
});

test('every participant is told the charter, who is in the team, and each broadcast exactly once', async () => {
  const seen = new Map<string, string>();
  const b = bench(panel(['ann', 'bob']), (request, signal) => {
    seen.set(`${request.agent}#${request.turn}`, `${request.system}\n${heard(request)}`);
    return twoCycles(request, signal);
  });
  await finish(b, start);
  const second = seen.get('ann#2') ?? '';
  expect(second).toContain('## CHARTER\n\nDecide together.');
  expect(second).toContain('- bob (member): The bob.');
  expect(second.match(/from lead \(update, turn 1\)/g)).toHaveLength(1);
  expect(second.match(/from bob \(update, turn 1\)/g)).toHaveLength(1);
  expect(second).not.toContain('from ann (');
});

test('plain text of a member counts as a broadcast that waits', async () => {
  const { outcome, events } = await finish(
    bench(panel(['ann']), (request) => (request.agent === 'ann' ? 'just text' : report('ok'))),
    start,
  );
  expect(outcome.kind).toBe('answered');
  expect(told(events)).toEqual(['ann: just text']);
});

test('a member that leaves is announced as no longer reachable, and is not woken again', async () => {
  const b = bench(panel(['ann', 'bob']), (request) => {
    if (request.agent === 'ann') return say('my work is done', 'leave-success');
    if (request.agent === 'bob') return say(`bob ${request.turn}`);
    return request.turn === 1 ? say('go on') : report('fine');
  });
  const { events } = await finish(b, start);
  expect(told(events)).toContain('ann: member ann has left the team and is no longer reachable.');
  expect(b.calls).toHaveLength(5);
});

test('a member whose model fails is announced as failed, with the reason, as type failure', async () => {
  const b = bench(panel(['ann', 'bob']), (request) => {
    if (request.agent === 'ann') return { fault: 'model/server' };
    return request.agent === 'bob' ? say('here') : report('without ann');
  });
  const { outcome, events } = await finish(b, start);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'without ann' });
  expect(transcript(events)).toContainEqual(
    expect.objectContaining({
      type: 'failure',
      memberId: 'ann',
      message: 'member ann failed and is no longer in the team. Reason: ann got model/server',
    }),
  );
});

test('a member that spends its turns is announced as failed', async () => {
  const team = { members: ['ann'], supervisor: 'lead', memberMaxTurns: 2 };
  const b = bench(panel(['ann'], { team }), (request) =>
    request.agent === 'ann' ? say('thinking', 'continue') : report('enough'),
  );
  const { events } = await finish(b, start);
  expect(told(events).at(-1)).toBe(
    'ann: member ann failed and is no longer in the team. Reason: ann spent its 2 turns without a final answer.',
  );
});

test('when nobody is left, a further broadcast of the supervisor gets an error result that says so', async () => {
  let refused = '';
  const b = bench(panel(['ann']), (request) => {
    if (request.agent === 'ann') return say('bye', 'leave-failure');
    const last = request.messages.at(-1);
    if (last?.role === 'tool') refused = last.result.text;
    return request.turn === 1 ? say('anyone?') : report('alone');
  });
  const { outcome } = await finish(b, start);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'alone' });
  expect(refused).toMatch(/^Nobody is left in the team/);
});

test('on its last turn the supervisor is offered only its report', async () => {
  const offered: string[][] = [];
  const team = { members: ['ann'], supervisor: 'lead', supervisorMaxTurns: 2 };
  const b = bench(panel(['ann'], { team }), (request) => {
    if (request.agent === 'ann') return say('hm');
    offered.push([...callableIn(request)]);
    return request.turn === 1 ? say('more') : report('must');
  });
  await finish(b, start);
  expect(offered).toEqual([['final_report', 'team_broadcast'], ['final_report']]);
});

test('a message that does not fit the window is replaced by a note, and the supervisor takes its final turn', async () => {
  let last = '';
  const b = bench(
    panel(['ann']),
    (request) => {
      if (request.agent === 'ann') return say('x '.repeat(30_000));
      last = heard(request);
      return report('cut short');
    },
    { contextWindow: 4000 },
  );
  const { outcome } = await finish(b, start);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'cut short' });
  expect(last).toMatch(/### Broadcast 1 from ann .*\n\n\[Dropped here: \d+ characters/);
  expect(last).toContain('this is your last turn');
});

test('another agent may be the supervisor', async () => {
  const of = cadre({ name: 'desk', team: { members: ['ann'], supervisor: 'boss' } }, { name: 'ann' }, { name: 'boss' });
  const b = bench(of, (request) =>
    request.agent === 'ann' ? say('a') : request.turn === 1 ? say('more') : report('boss says'),
  );
  const { outcome, events } = await finish(b, { agent: 'desk', input: { text: 'go' } });
  expect(outcome).toMatchObject({ kind: 'answered', agent: 'boss', text: 'boss says' });
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
});

test('a member that is a chain runs its first stages once, and its last agent sits in the team', async () => {
  const of = cadre(
    { name: 'lead', team: { members: ['reader'], supervisor: 'lead' } },
    { name: 'reader', chain: { trigger: 'next', stages: [{ to: 'critic' }], pass: 'answer' } },
    { name: 'critic' },
  );
  const b = bench(of, (request) => {
    if (request.agent === 'reader') return 'I read it';
    if (request.agent === 'critic') return say(`critic ${request.turn}`);
    return request.turn === 1 ? say('again') : report('ok');
  });
  const { events } = await finish(b, start);
  expect(told(events)).toEqual(['reader: critic 1', 'lead: again', 'reader: critic 2']);
  expect(b.calls).toHaveLength(5);
});

test('a team may sit in a team, be an advisor, and stand in a chain', async () => {
  const of = cadre(
    {
      name: 'lead',
      advisors: { agents: ['board'], policy: { kind: 'isolate' } },
      team: { members: ['board', 'ann'], supervisor: 'lead' },
      chain: { trigger: 'next', stages: [{ to: 'editor' }], pass: 'answer' },
    },
    { name: 'board', team: { members: ['carl'], supervisor: 'board' } },
    { name: 'ann' },
    { name: 'carl' },
    { name: 'editor' },
  );
  const b = bench(of, (request) => {
    if (request.agent === 'carl') return say('carl');
    if (request.agent === 'ann') return say('ann');
    if (request.agent === 'board')
      return callableIn(request).includes('final_report') ? report('board agrees') : say('board still agrees');
    if (request.agent === 'editor') return 'edited';
    return request.turn === 1 ? say('sure?') : report('lead reports');
  });
  const { outcome, events } = await finish(b, start);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'edited', chainedStages: ['agent__lead', 'agent__editor'] });
  expect(told(events)).toContain('board: board agrees');
  expect(told(events)).toContain('board: board still agrees');
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
});

test('with twelve members and every schedule of a hundred, a run replays to the same events', async () => {
  const members = Array.from({ length: 12 }, (_, index) => `m${index}`);
  const of = panel(members);
  for (let schedule = 0; schedule < 100; schedule++) {
    const b = bench(of, async (request, signal) => {
      const steps = Number.parseInt(fingerprint(`${schedule}/${request.session}/${request.turn}`).slice(0, 2), 16) % 50;
      for (let step = 0; step < steps; step++) await Promise.resolve();
      if (request.agent !== 'lead' && request.turn === 1) return say('first thought', 'continue');
      return twoCycles(request, signal);
    });
    const { events } = await finish(b, start);
    expect(await replay(events, of, services)).toMatchObject({ kind: 'identical', ended: true });
    expect(transcript(events).map(({ number }) => number)).toEqual(transcript(events).map((_, index) => index + 1));
  }
});

test('broken off at every event, a team resumes to the same transcript and pays for nothing twice', async () => {
  const of = panel(['ann', 'bob', 'eve']);
  const whole = await finish(bench(of, twoCycles), start);
  for (let count = 1; count < whole.events.length; count++) {
    const b = bench(of, twoCycles, { store: await brokenOff(whole.events, count, whole.run) });
    const handle = await b.engine.resume(whole.run);
    expect(await handle.outcome()).toEqual(whole.outcome);
    const finished = whole.events
      .slice(0, count)
      .filter((event) => event.type === 'op-end' && event.kind === 'model').length;
    expect(b.calls).toHaveLength(8 - finished);
    const events: RunEvent[] = [];
    for await (const event of b.store.read(whole.run)) events.push(event);
    expect([...told(events)].sort()).toEqual([...told(whole.events)].sort());
  }
});

test('with twenty members and two slots nobody starves', async () => {
  const members = Array.from({ length: 20 }, (_, index) => `m${index}`);
  const of = panel(members);
  const narrow = { ...of, config: { ...of.config, limits: { ...of.config.limits, concurrency: 2 } } };
  const order: string[] = [];
  let atOnce = 0;
  let most = 0;
  const b = bench(narrow, async (request, signal) => {
    most = Math.max(most, ++atOnce);
    await Promise.resolve();
    atOnce -= 1;
    order.push(request.agent);
    return twoCycles(request, signal);
  });
  await finish(b, start);
  expect(most).toBe(2);
  expect(new Set(order.slice(0, 20)).size).toBe(20);
});
