// Background runs across a restart: broken off at every event, while a child waits, queues, works, or has ended and is
// not announced yet. The same outcome, nothing lost, nothing twice.

import { expect, test } from 'vitest';
import type { CadreDefinition } from '../src/definition/definition.ts';
import { forkRun } from '../src/engine/history/fork.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import { fingerprint } from '../src/journal/fingerprint.ts';
import { services } from '../src/run/services.ts';
import { ledger } from '../src/views/costs/ledger.ts';
import { bench, brokenOff, call, type Finished, finish, type Model } from './support/cadre.ts';
import {
  announced,
  boss,
  calls,
  ends,
  hang,
  instants,
  lastUser,
  parsed,
  report,
  spawn,
  start,
  waiting,
} from './support/spawning.ts';

const modelEnds = (events: readonly RunEvent[]): number =>
  events.filter((event) => event.type === 'op-end' && event.kind === 'model').length;

/** Resumes from every prefix; gives each resumed run to `look`. */
async function fromEveryEvent(
  whole: Finished,
  of: CadreDefinition,
  model: Model,
  look: (resumed: Finished, made: number, count: number) => void,
): Promise<void> {
  for (let count = 1; count < whole.events.length; count++) {
    const b = bench(of, model, { store: await brokenOff(whole.events, count, whole.run) });
    const outcome = await (await b.engine.resume(whole.run)).outcome();
    const events = await readAll(whole.run, b.store);
    look({ outcome, events, run: whole.run }, b.calls.length, count);
    expect(await replay(events, of, services)).toMatchObject({ kind: 'identical', ended: true });
  }
}

const pipeline = calls(
  spawn({ task: ['p', 'q', 'r'], parallel: true, label: 'w' }),
  spawn({ task: 'join', label: 'join', dependsOn: 'w', includeDependencyResult: true }),
  spawn({ task: 'write', label: 'write', chainAfter: 'join', sharedContext: { $join: 'reference', tone: 'dry' } }),
);
const works: Model = (request) => `done: ${lastUser(request).split('\n').at(-1)}`;

test.each([8, 1])(
  'with %i slots a pipeline resumes from every event to the same outcome, and pays for nothing twice',
  async (maxConcurrent) => {
    const of = boss({ maxConcurrent });
    const model = waiting(pipeline, works);
    const whole = await finish(bench(of, model), start);
    expect(whole.outcome).toMatchObject({
      text: 'heard join answered, w-1 answered, w-2 answered, w-3 answered, write answered',
    });
    const all = modelEnds(whole.events);
    await fromEveryEvent(whole, of, model, ({ outcome, events }, made, count) => {
      expect(outcome).toEqual(whole.outcome);
      expect(made).toBe(all - modelEnds(whole.events.slice(0, count)));
      expect([...announced(events)].sort()).toEqual([...announced(whole.events)].sort());
      expect(ledger(events).lines.filter(({ status }) => status === 'ok')).toHaveLength(all);
      const taken = instants(events, 'take').flatMap(
        ({ value }) => (value as { messages: { text: string }[] }).messages,
      );
      expect(ends(taken.map(({ text }) => text).join('\n')).sort()).toEqual([...announced(whole.events)].sort());
    });
  },
);

test('broken off between the end of a child and its announcement, the announcement is made once', async () => {
  const of = boss();
  const model = waiting(calls(spawn({ task: 't', label: 'kid' })), works);
  const whole = await finish(bench(of, model), start);
  const end = whole.events.findIndex((event) => event.type === 'op-end' && event.kind === 'run');
  expect(whole.events[end + 1]).toMatchObject({ type: 'op', kind: 'announce' });
  for (const count of [end + 1, end + 2]) {
    const b = bench(of, model, { store: await brokenOff(whole.events, count, whole.run) });
    expect(await (await b.engine.resume(whole.run)).outcome()).toEqual(whole.outcome);
    expect(announced(await readAll(whole.run, b.store))).toEqual(['kid answered']);
    expect(b.calls).toEqual(['0#3']);
  }
});

test('a failing root, resumed from every event, skips the same runs for the same cause', async () => {
  const of = boss();
  const first = calls(
    spawn({ task: 'break', label: 'a' }),
    spawn({ task: 'b', label: 'b', chainAfter: 'a' }),
    spawn({ task: 'c', label: 'c', chainAfter: 'b' }),
    spawn({ task: 'd', label: 'd', chainAfter: 'c', onDependencyFailure: 'continue', includeDependencyResult: true }),
  );
  const model = waiting(first, (request) => (lastUser(request) === 'break' ? { fault: 'model/bad-request' } : 'ok'));
  const whole = await finish(bench(of, model), start);
  const told = (events: readonly RunEvent[]) =>
    instants(events, 'announce')
      .map(({ detail }) => (detail as { text: string }).text)
      .sort();
  await fromEveryEvent(whole, of, model, ({ outcome, events }) => {
    expect(outcome).toEqual(whole.outcome);
    expect(told(events)).toEqual(told(whole.events));
  });
});

test('a cancellation, resumed from every event, ends the same runs and none of them works again', async () => {
  const of = boss();
  const model: Model = (request, signal) => {
    const task = request.messages[0]?.role === 'user' ? request.messages[0].text : '';
    if (request.agent === 'worker') return hang(signal);
    if (task === 'middle') {
      if (request.turn === 1) return calls(spawn({ task: 'leaf', label: 'leaf' }));
      return call('sessions_wait', {});
    }
    if (request.turn === 1)
      return calls(
        { name: 'sessions_spawn', args: { task: 'middle', label: 'middle' } },
        spawn({ task: 'after', label: 'after', chainAfter: 'middle' }),
      );
    if (request.turn === 2) return call('sessions_wait', { timeoutSeconds: 0.01 });
    return request.turn === 3 ? call('sessions_cancel', { labels: ['middle'] }) : report('ended them');
  };
  const whole = await finish(bench(of, model), start);
  expect([...announced(whole.events)].sort()).toEqual(['after skipped', 'leaf cancelled', 'middle cancelled']);
  const asked = whole.events.findIndex((event) => event.type === 'op-start' && event.op.kind === 'cancel-runs');
  await fromEveryEvent(whole, of, model, ({ outcome, events }, made, count) => {
    expect(outcome).toEqual(whole.outcome);
    expect([...announced(events)].sort()).toEqual([...announced(whole.events)].sort());
    if (count > asked) expect(made).toBeLessThanOrEqual(1);
  });
});

test('a held report and the cancelling second one, resumed from every event', async () => {
  const of = boss({ maxConcurrent: 1 });
  const model: Model = (request, signal) => {
    if (request.agent === 'worker') return hang(signal);
    return request.turn === 1 ? calls(spawn({ task: ['x', 'y'], parallel: true, label: 'w' })) : report('enough');
  };
  const whole = await finish(bench(of, model), start);
  await fromEveryEvent(whole, of, model, ({ outcome, events }) => {
    expect(outcome).toEqual(whole.outcome);
    expect([...announced(events)].sort()).toEqual(['w-1 cancelled', 'w-2 cancelled']);
  });
});

test('a child of a child, resumed from every event', async () => {
  const of = boss({ maxConcurrent: 1 });
  const model: Model = (request) => {
    const task = request.messages[0]?.role === 'user' ? request.messages[0].text : '';
    if (task === 'leaf') return 'leaf done';
    if (request.turn === 1)
      return calls({
        name: 'sessions_spawn',
        args: { task: task === 'go' ? 'middle' : 'leaf', sharedContext: { [task]: 1 } },
      });
    return request.turn === 2 ? call('sessions_wait', {}) : report(`${task} done`);
  };
  const whole = await finish(bench(of, model), start);
  const all = modelEnds(whole.events);
  await fromEveryEvent(whole, of, model, ({ outcome }, made, count) => {
    expect(outcome).toEqual(whole.outcome);
    expect(made).toBe(all - modelEnds(whole.events.slice(0, count)));
  });
});

test('a message to a child is not lost and not given twice', async () => {
  const of = boss();
  const model: Model = async (request) => {
    if (request.agent === 'worker') {
      for (let step = 0; step < 200; step++) await Promise.resolve();
      return request.turn === 1
        ? call('nothing', {})
        : `got ${request.messages.filter((one) => one.role === 'user' && one.text.includes('hurry')).length}`;
    }
    if (request.turn === 1)
      return calls(spawn({ task: 't', label: 'kid' }), {
        name: 'sessions_send',
        args: { label: 'kid', message: 'hurry' },
      });
    return request.turn === 2 ? call('sessions_wait', {}) : report(/got \d/.exec(lastUser(request))?.[0] ?? '');
  };
  const whole = await finish(bench(of, model), start);
  expect(whole.outcome).toMatchObject({ text: 'got 1' });
  await fromEveryEvent(whole, of, model, ({ outcome }) => expect(outcome).toEqual(whole.outcome));
});

test('the deadline for dependencies counts from the recorded spawn, so a restart does not lengthen it', async () => {
  const of = boss();
  let clock = 1_000_000;
  const first = calls(
    spawn({ task: 'hang', label: 'slow', runTimeoutSeconds: 5000 }),
    spawn({ task: 'no', label: 'hasty', chainAfter: 'slow', dependencyTimeoutSeconds: 600 }),
  );
  const model: Model = (request, signal) => {
    if (request.agent === 'worker') return hang(signal);
    if (request.turn === 1) return first;
    return request.turn === 2
      ? call('sessions_wait', { labels: ['hasty'] })
      : report(JSON.stringify(parsed(request, 2)['ended']));
  };
  const b = bench(of, model, { now: () => clock });
  const handle = await b.engine.start(start);
  const events: RunEvent[] = [];
  const waits = new Promise<void>((resolve) =>
    handle.watch({
      event: (event) => (
        events.push(event),
        event.type === 'op-start' && event.op.kind === 'await-runs' && event.op.by === undefined && resolve()
      ),
    }),
  );
  await waits;
  const count = events.length;
  handle.interrupt('cancel', 'for the test');
  await handle.outcome();
  clock += 601_000;
  const again = bench(of, model, { store: await brokenOff(events, count, handle.run), now: () => clock });
  const outcome = await (await again.engine.resume(handle.run)).outcome();
  expect(outcome).toMatchObject({ text: expect.stringContaining('"state":"timed-out"') as string });
});

test('a queue, under random schedules and broken off at random, gives the same outcome', async () => {
  const of = boss({ maxConcurrent: 2 });
  const schedule =
    (seed: number): Model =>
    async (request, signal) => {
      const steps = Number.parseInt(fingerprint(`${seed}/${request.session}/${request.turn}`).slice(0, 2), 16) % 40;
      for (let step = 0; step < steps; step++) await Promise.resolve();
      return waiting(pipeline, works)(request, signal);
    };
  for (let seed = 0; seed < 20; seed++) {
    const whole = await finish(bench(of, schedule(seed)), start);
    const count = 1 + (Number.parseInt(fingerprint(`cut ${seed}`).slice(0, 6), 16) % (whole.events.length - 1));
    const b = bench(of, schedule(seed + 1000), { store: await brokenOff(whole.events, count, whole.run) });
    expect(await (await b.engine.resume(whole.run)).outcome()).toEqual(whole.outcome);
    const events = await readAll(whole.run, b.store);
    expect([...announced(events)].sort()).toEqual([...announced(whole.events)].sort());
    expect(await replay(events, of, services)).toMatchObject({ kind: 'identical', ended: true });
  }
});

test('a record that breaks off anywhere is followed to its end, and no failure of a background drive goes unhandled', async () => {
  const of = boss({ maxConcurrent: 1 });
  const whole = await finish(bench(of, waiting(pipeline, works)), start);
  for (let count = 1; count < whole.events.length; count++) {
    const prefix = whole.events.slice(0, count);
    expect(await replay(prefix, of, services)).toEqual({ kind: 'identical', events: count, ended: false });
  }
});

test('forked at every op, a run with background children ends the same and pays only for what follows', async () => {
  const of = boss();
  const model = waiting(pipeline, works);
  const b = bench(of, model);
  const whole = await finish(b, start);
  const ops = whole.events.flatMap((event) => (event.type === 'op-start' || event.type === 'op' ? [event.path] : []));
  for (const at of ops) {
    const parts = { store: b.store, cadre: of, texts: 'pinned', now: () => Date.now() + 1e9 } as const;
    const { run, events: taken } = await forkRun({ run: whole.run, at }, parts);
    const again = bench(of, model, { store: b.store, now: () => Date.now() + 1e9 });
    expect(await (await again.engine.resume(run)).outcome()).toEqual(whole.outcome);
    const events = await readAll(run, b.store);
    expect(again.calls).toHaveLength(modelEnds(whole.events) - modelEnds(events.slice(0, taken)));
    expect(await replay(events, of, services)).toMatchObject({ kind: 'identical', ended: true });
  }
});
