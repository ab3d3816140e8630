// Counts the calls of a run from outside of the process that makes them, lets each take a while, and kills that process
// at a given call. A call had finished before the kill if it was answered and a later call had begun: then its answer had
// been used. How long before the kill it was answered says nothing, because the process may not have had a processor.

import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';

export const CALL_MS = 15;

export async function openCounter() {
  let calls = [];
  let plan;
  let killedAt;
  const kill = () => {
    if (plan.child.exitCode !== null) return;
    killedAt = performance.now();
    plan.child.kill('SIGKILL');
  };
  const server = createServer((request, response) => {
    let name = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => (name += chunk));
    request.on('end', () => {
      const call = { name, begunAt: performance.now(), answeredAt: Number.POSITIVE_INFINITY };
      calls.push(call);
      if (plan !== undefined && killedAt === undefined && calls.length === plan.call) setTimeout(kill, plan.delayMs);
      setTimeout(() => {
        if (response.destroyed) return;
        response.end(() => (call.answeredAt = performance.now()));
      }, CALL_MS);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => server.close(),
    /** `plan` is `{ child, call, delayMs }`: the process is killed this long after its n-th call began. */
    begin(next) {
      calls = [];
      plan = next;
      killedAt = undefined;
    },
    /** Undefined if the process had ended before it could be killed. */
    counted(expected) {
      if (killedAt === undefined) return undefined;
      const before = calls.filter(({ begunAt }) => begunAt <= killedAt);
      const again = new Set(calls.filter(({ begunAt }) => begunAt > killedAt).map(({ name }) => name));
      const last = before.at(-1).begunAt;
      const isFinished = ({ answeredAt }) => answeredAt <= last;
      const finished = before.filter(isFinished).map(({ name }) => name);
      const cutOff = before.filter((call) => !isFinished(call)).map(({ name }) => name);
      const all = new Set(calls.map(({ name }) => name));
      return {
        finished: finished.length,
        repeated: finished.filter((name) => again.has(name)),
        cutOff: cutOff.length,
        missing: expected.filter((name) => !all.has(name)),
      };
    },
  };
}
