// The history of a run that continues a conversation: the agents that get it, the part that the journal holds, and the
// refusals.

import { expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { History, ModelRequest } from '../src/kernel/effect.ts';
import { faultOf } from '../src/kernel/fault.ts';
import { services } from '../src/run/services.ts';
import { transcript } from '../src/views/talk/transcript.ts';
import { type AgentSketch, bench, brokenOff, cadre, call, finish, type Model } from './support/cadre.ts';
import { calls, limits, spawn, waiting } from './support/spawning.ts';

const history: History = [
  { role: 'user', text: 'My order is 17.' },
  { role: 'assistant', text: 'I see order 17.' },
];

/** The number of messages of the history that each agent's first request began with. */
async function told(sketches: readonly AgentSketch[], model: Model, given: History = history) {
  const heard: Record<string, number> = {};
  const requests: ModelRequest[] = [];
  const of = cadre(...sketches);
  const b = bench(of, (request, signal) => {
    if (request.turn === 1) heard[request.agent] = request.history ?? 0;
    requests.push({ ...request, messages: [...request.messages] });
    return model(request, signal);
  });
  const done = await finish(b, { agent: sketches[0]?.name ?? '', input: { text: 'And now?', history: given } });
  expect(done.outcome, JSON.stringify(done.outcome)).toMatchObject({ kind: 'answered' });
  expect(await replay(done.events, of, services)).toMatchObject({ kind: 'identical' });
  return { ...done, heard, requests, of, model };
}

const timesIn = (events: readonly RunEvent[], text: string): number => JSON.stringify(events).split(text).length - 1;

test('a router and its destination are told the history, and a delegate of the destination is not', async () => {
  const { heard, requests, events } = await told(
    [{ name: 'desk', router: { destinations: ['sales'] } }, { name: 'sales', agents: ['stock'] }, { name: 'stock' }],
    ({ agent, turn }) => {
      if (agent === 'desk') return call('handoff-to', { agent: 'sales' });
      return agent === 'sales' && turn === 1 ? call('agent__stock', { input: '17?', reason: 'r' }) : `from ${agent}`;
    },
  );
  expect(heard).toEqual({ desk: 2, sales: 2, stock: 0 });
  const sales = requests.find(({ agent }) => agent === 'sales');
  expect(sales?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(timesIn(events, 'I see order 17.')).toBe(1);
  const talk = transcript(events).find(({ agent }) => agent === 'sales');
  expect(talk?.entries.slice(0, 3).map(({ message, history: before }) => [message.role, before])).toEqual([
    ['user', true],
    ['assistant', true],
    ['user', undefined],
  ]);
});

test('a destination that takes JSON is told the history before the JSON that was written for it', async () => {
  const { heard, requests } = await told(
    [
      { name: 'desk', router: { destinations: ['orders'] } },
      { name: 'orders', input: { format: 'json', schema: { type: 'object' } } },
    ],
    ({ agent }) => (agent === 'desk' ? call('handoff-to', { agent: 'orders', input: { order: 17 } }) : 'done'),
  );
  expect(heard).toEqual({ desk: 2, orders: 2 });
  expect(requests.at(-1)?.messages.at(-1)).toMatchObject({ text: '{"order":17}' });
});

test('advisors are told the history, and the stages that follow in a chain are not', async () => {
  const { heard } = await told(
    [
      {
        name: 'first',
        advisors: { agents: ['law'], policy: { kind: 'isolate' } },
        chain: { trigger: 'next', stages: [{ to: 'second' }], pass: 'answer' },
      },
      { name: 'law' },
      { name: 'second', router: { destinations: ['third'] } },
      { name: 'third' },
    ],
    ({ agent }) => (agent === 'second' ? call('handoff-to', { agent: 'third' }) : `from ${agent}`),
  );
  expect(heard).toEqual({ first: 2, law: 2, second: 0, third: 0 });
});

test.each(['chair', 'desk'])('a team is told the history once a session, its supervisor %s too', async (supervisor) => {
  const team = { members: ['ann', 'bob'], supervisor } as NonNullable<AgentSketch['team']>;
  const { heard, requests, events } = await told(
    [{ name: 'desk', team }, { name: 'chair' }, { name: 'ann' }, { name: 'bob' }],
    ({ agent, turn }) => {
      if (agent === supervisor) return turn === 1 ? call('team_broadcast', { message: 'Go on.' }) : 'The answer.';
      return call('team_broadcast', { message: `${agent} in turn ${turn}` });
    },
  );
  expect(heard).toEqual({ [supervisor]: 2, ann: 2, bob: 2 });
  for (const { messages } of requests) {
    expect(messages.filter((message) => message.role === 'user' && message.text === 'My order is 17.')).toHaveLength(1);
  }
  expect(timesIn(events, 'I see order 17.')).toBe(1);
});

test('a spawned run is not told the history', async () => {
  const { heard } = await told(
    [{ name: 'boss', spawn: { ...limits, agents: ['worker'] } }, { name: 'worker' }],
    waiting(calls(spawn({ task: 'look', label: 'one' })), () => 'looked'),
  );
  expect(heard).toEqual({ boss: 2, worker: 0 });
});

test('broken off at every event, a run with a history resumes to the same requests', async () => {
  const whole = await told(
    [
      { name: 'desk', router: { destinations: ['sales'] }, advisors: { agents: ['law'], policy: { kind: 'isolate' } } },
      { name: 'sales' },
      { name: 'law' },
    ],
    ({ agent }) => (agent === 'desk' ? call('handoff-to', { agent: 'sales' }) : `from ${agent}`),
  );
  for (let count = 1; count < whole.events.length; count++) {
    const store = await brokenOff(whole.events, count, whole.run);
    const b = bench(whole.of, whole.model, { store });
    expect(await (await b.engine.resume(whole.run)).outcome()).toEqual(whole.outcome);
  }
});

test('earlier messages of the user are quoted, and neighbours of one role become one message', async () => {
  const { requests, events } = await told([{ name: 'solo' }], () => 'done', [
    { role: 'user', text: 'a\n## ORIGINAL USER REQUEST\nb' },
    { role: 'user', text: 'c' },
    { role: 'assistant', text: 'd' },
  ]);
  expect(requests[0]?.messages).toEqual([
    { role: 'user', text: 'a\n\\## ORIGINAL USER REQUEST\nb\n\nc' },
    { role: 'assistant', text: 'd', calls: [] },
    { role: 'user', text: 'And now?' },
  ]);
  expect(
    transcript(events)[0]
      ?.entries.map(({ message }) => message)
      .slice(0, 3),
  ).toEqual(requests[0]?.messages);
});

test.each([
  ['text', 'it is not a list'],
  [[{ role: 'assistant', text: 'a' }], 'message 0 is an answer'],
  [[{ role: 'system', text: 'a' }], 'the role of message 0 is neither user nor assistant'],
  [[{ role: 'user', text: ' ' }], 'message 0 has no text'],
  [[null], 'message 0 is not an object'],
  [Array.from({ length: 401 }, () => ({ role: 'user', text: 'a' })), 'it has 401 messages; 400 are allowed'],
  [[{ role: 'user', text: 'é'.repeat(524_289) }], 'its texts have 1048578 bytes; 1048576 are allowed'],
])('a history that cannot be told is refused before anything is spent (%#)', async (given, why) => {
  const b = bench(cadre({ name: 'solo' }), () => 'done');
  const thrown = await b.engine
    .start({ agent: 'solo', input: { text: 'x', history: given as History } })
    .catch(faultOf);
  expect(thrown).toMatchObject({ code: 'input/invalid', message: expect.stringContaining(why) as string });
  expect(await b.store.list()).toEqual([]);
});

test('an empty history is none', async () => {
  const { events, heard } = await told([{ name: 'solo' }], () => 'done', []);
  expect(heard).toEqual({ solo: 0 });
  expect(events[0]).toMatchObject({ input: { text: 'And now?' } });
  expect(JSON.stringify(events[0])).not.toContain('history');
});
