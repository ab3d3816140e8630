// Other ways for a team to work together, added without touching a session; and a supervisor's report that reaches
// the members' sockets.

import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { parallelUntil } from '../src/kernel/effect.ts';
import { cancelledOutcome, type Outcome } from '../src/kernel/outcome.ts';
import { settleMember } from '../src/patterns/team/orchestrator.ts';
import type { TeamStrategy } from '../src/patterns/team-strategy.ts';
import { bench, cadre, call, finish, type Model, type Reply } from './support/cadre.ts';

/** One after the other, each hearing everyone before it; then the supervisor. */
const roundRobin: TeamStrategy = function* ({ team, wake, supervise }) {
  for (;;) {
    for (const member of team.active()) yield* settleMember(team, member.id, yield* wake(member));
    const outcome = yield* supervise();
    if (outcome.kind === 'answered' && outcome.broadcast !== undefined) continue;
    yield* team.cancelRemaining('reported');
    return outcome;
  }
};

/** Nobody waits for anybody: the supervisor may report while members work. */
const openFloor: TeamStrategy = function* ({ team, wake, supervise }) {
  const branches = [() => supervise(), ...team.active().map((member) => () => wake(member))];
  const [outcome] = yield* parallelUntil<Outcome>(branches, ([supervisor]) => supervisor !== undefined);
  yield* team.cancelRemaining('reported');
  return outcome ?? cancelledOutcome('The supervisor was cancelled.');
};

const panel = cadre(
  { name: 'lead', team: { members: ['ann', 'bob'], supervisor: 'lead' } },
  { name: 'ann' },
  { name: 'bob' },
);
const say = (message: string): Reply => call('team_broadcast', { message });
const start = { agent: 'lead', input: { text: 'go' } };

test('in a round robin each member hears those before it in the same round', async () => {
  let heard = '';
  const model: Model = (request) => {
    if (request.agent === 'bob')
      heard = request.messages.map((message) => ('text' in message ? message.text : '')).join('\n');
    return request.agent === 'lead' ? call('final_report', { content: 'done' }) : say(`${request.agent} here`);
  };
  const { outcome } = await finish(bench(panel, model, { strategy: roundRobin }), start);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'done' });
  expect(heard).toContain('ann here');
});

test('when the supervisor reports, the members’ open model calls are cut off at the socket at once', async () => {
  const arrived: string[] = [];
  const closed = new Map<string, number>();
  let allArrived = () => {};
  const everyone = new Promise<void>((resolve) => {
    allArrived = resolve;
  });
  const server = createServer((incoming) => {
    const agent = incoming.url ?? '';
    incoming.socket.on('close', () => closed.set(agent, performance.now()));
    arrived.push(agent);
    if (arrived.length === 2) allArrived(); // and never answers
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  let reportedAt = 0;
  const model: Model = async ({ agent }, signal) => {
    if (agent === 'lead') {
      await everyone;
      reportedAt = performance.now();
      return call('final_report', { content: 'enough' });
    }
    const outgoing = httpRequest({ host: '127.0.0.1', port, path: `/${agent}`, signal });
    outgoing.end();
    const [failure] = (await once(outgoing, 'error')) as [Error];
    return { fault: failure.name === 'AbortError' ? 'cancelled' : 'model/network' };
  };
  const { outcome } = await finish(bench(panel, model, { strategy: openFloor }), start);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'enough' });
  while (closed.size < 2) await new Promise((resolve) => setImmediate(resolve));
  const latest = Math.max(...closed.values()) - reportedAt;
  console.log(`members' sockets closed ${latest.toFixed(1)} ms after the report`);
  await new Promise((resolve) => server.close(resolve));
});
