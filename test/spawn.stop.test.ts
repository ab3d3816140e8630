// A graceful stop and background runs: what works may finish, nothing new begins, and the record says so.

import { expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import { services } from '../src/run/services.ts';
import { bench, call, callableIn, type Model, type Reply } from './support/cadre.ts';
import { announced, boss, calls, instants, lastUser, report, spawn, start } from './support/spawning.ts';

const byHand = () => {
  let resolve: (reply: Reply) => void = () => {};
  const promise = new Promise<Reply>((given) => {
    resolve = given;
  });
  return { promise, resolve };
};

/** Stops the run while its first worker is at it, and lets that one answer afterwards. */
async function stoppedWhileOneWorks(first: Reply, of = boss()) {
  const atWork = byHand();
  const answer = byHand();
  const began: string[] = [];
  const model: Model = (request, signal) => {
    if (request.agent === 'boss') return request.turn === 1 ? first : waitOrReport(request, signal);
    began.push(lastUser(request));
    atWork.resolve('');
    return answer.promise;
  };
  const waitOrReport: Model = (request) =>
    callableIn(request).includes('sessions_wait') ? call('sessions_wait', {}) : report('stopped');
  const { engine, store } = bench(of, model);
  const handle = await engine.start(start);
  await atWork.promise;
  handle.interrupt('stop', 'A person pressed Ctrl+C.');
  answer.resolve('finished');
  const outcome = await handle.outcome();
  const events: readonly RunEvent[] = await readAll(handle.run, store);
  const replayed = await replay(events, of, services);
  expect(replayed).toEqual({ kind: 'identical', events: events.length, ended: true });
  return { outcome, events, began };
}

test('after a graceful stop a spawned run that waits for another one never begins', async () => {
  const { outcome, events, began } = await stoppedWhileOneWorks(
    calls(
      spawn({ task: 'do A', label: 'a' }),
      spawn({ task: 'do B', label: 'b', chainAfter: 'a' }),
      spawn({ task: 'do C', label: 'c', chainAfter: 'b', onDependencyFailure: 'continue' }),
    ),
  );
  expect(began).toEqual(['do A']);
  expect([...announced(events)].sort()).toEqual(['a answered', 'b cancelled', 'c cancelled']);
  expect(instants(events, 'begin')).toHaveLength(1);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'stopped' });
});

test('after a graceful stop a spawned run that waits for a place never begins, and says why', async () => {
  const { events, began } = await stoppedWhileOneWorks(
    calls(spawn({ task: 'do A', label: 'a' }), spawn({ task: 'do B', label: 'b' })),
    boss({ maxConcurrent: 1 }),
  );
  expect(began).toEqual(['do A']);
  expect(announced(events)).toEqual(expect.arrayContaining(['a answered', 'b cancelled']));
  expect(instants(events, 'begin').map(({ value }) => value)).toContainEqual({
    began: false,
    fault: expect.objectContaining({ code: 'cancelled', message: 'A person pressed Ctrl+C.' }),
  });
});

test('a spawn in a reply that was under way when the stop came is accepted and does not begin', async () => {
  const of = boss();
  const asked = byHand();
  const reply = byHand();
  const over = byHand();
  const workers: string[] = [];
  const model: Model = (request) => {
    if (request.agent !== 'boss') {
      workers.push(request.session);
      return 'worked';
    }
    if (request.turn > 1) return over.promise;
    asked.resolve('');
    return reply.promise;
  };
  const { engine, store } = bench(of, model);
  const handle = await engine.start(start);
  handle.watch({
    event: (event) => event.type === 'op' && event.kind === 'announce' && over.resolve(report('stopped')),
  });
  await asked.promise;
  handle.interrupt('stop', 'A person pressed Ctrl+C.');
  reply.resolve(calls(spawn({ task: 'do A', label: 'a' })));
  expect(await handle.outcome()).toMatchObject({ kind: 'answered', text: 'stopped' });
  expect(workers).toEqual([]);
  const events = await readAll(handle.run, store);
  expect(announced(events)).toEqual(['a cancelled']);
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
});
