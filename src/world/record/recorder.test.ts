import { expect, test } from 'vitest';
import type { RunEvent } from '../../journal/event.ts';
import { type Journal, openJournal } from '../../journal/journal.ts';
import {
  type Effect,
  type EffectOf,
  type Mail,
  type ModelReply,
  parallelUntil,
  perform,
  type SettledResult,
} from '../../kernel/effect.ts';
import { FaultError, fault } from '../../kernel/fault.ts';
import type { ToolMessage, ToolResult } from '../../kernel/message.ts';
import { Stop } from '../abort.ts';
import { drive, openOp } from '../drive.ts';
import type { Op, World, WorldRequest } from '../world.ts';
import { recorder } from './recorder.ts';

const clock: Effect = { kind: 'clock' };
const take: Effect = { kind: 'take', inbox: { session: '0' } };
const tool = (name: string): EffectOf<'tool'> => ({
  kind: 'tool',
  agent: 'lead',
  call: { id: 'c1', name, arguments: {} },
});
const ok = (value: unknown): SettledResult => ({ ok: true, value });

/** A store that writes when it is told to, and all that happens, in order. */
function slowly(recorded: readonly RunEvent[] = []) {
  const log: string[] = [];
  const writes: (() => void)[] = [];
  const lease = {
    append: (events: readonly RunEvent[]) =>
      new Promise<void>((resolve) => {
        writes.push(() => {
          for (const event of events) log.push(`wrote ${nameOf(event)}`);
          resolve();
        });
      }),
    async release() {},
  };
  const journal = openJournal(lease, { recorded, now: () => 5, observe: (event) => log.push(`told ${nameOf(event)}`) });
  return { log, journal, write: () => writes.splice(0).forEach((one) => one()) };
}

const nameOf = (event: RunEvent): string => ('kind' in event ? `${event.type} ${event.kind}` : event.type);

const atOnce = (recorded: readonly RunEvent[] = []): { readonly events: RunEvent[]; readonly journal: Journal } => {
  const events: RunEvent[] = [];
  const lease = { append: (fresh: readonly RunEvent[]) => void events.push(...fresh), async release() {} };
  return { events, journal: openJournal(lease, { recorded, now: () => 5 }) };
};

const leaves = (answer: (effect: WorldRequest, op: Op) => SettledResult | Promise<SettledResult>): World => ({
  perform: answer,
});

const place = { path: '0', scope: { agent: 'lead', depth: 0 }, signal: new Stop() };
const at = (path: string, world: World): Op => openOp(path, place, world);
const rested = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a leaf is performed when its beginning is written, and the state is given both of its events', async () => {
  const { log, journal, write } = slowly();
  const state = { add: (event: RunEvent) => void log.push(`added ${event.seq} ${event.type}`) };
  const inner = leaves(() => {
    log.push('performed');
    return ok({ status: 'ok', text: 'hi' });
  });
  const world = recorder(inner, { journal, run: 'r1', state });
  const answer = world.perform(tool('look'), at('0.0', world));
  await rested();
  expect(log).toEqual(['added 0 op-start']);
  write();
  expect(await answer).toEqual(ok({ status: 'ok', text: 'hi' }));
  expect(log).toEqual(['added 0 op-start', 'wrote op-start', 'told op-start', 'performed', 'added 1 op-end']);
});

test('a recorded op is answered from the record: nothing is performed, written or given to the state', async () => {
  const first = atOnce();
  const made = recorder(
    leaves(() => ok(42)),
    { journal: first.journal, run: 'r1' },
  );
  await made.perform(tool('look'), at('0.0', made));
  await made.perform(clock, at('0.1', made));
  await first.journal.flush();
  const again = atOnce(first.events);
  const never = leaves(() => {
    throw new Error('it was performed');
  });
  const state = { add: (): never => expect.unreachable('it was added') };
  const world = recorder(never, { journal: again.journal, run: 'r1', state });
  expect(await world.perform(tool('look'), at('0.0', world))).toEqual(ok(42));
  expect(await world.perform(clock, at('0.1', world))).toEqual(ok(42));
  await again.journal.flush();
  expect(again.events).toEqual([]);
});

test('a take that brought nothing leaves no trace', async () => {
  const { events, journal } = atOnce();
  let mail: Mail = { messages: [] };
  const world = recorder(
    leaves(() => ok(mail)),
    { journal, run: 'r1', state: { add: ({ type }) => void added.push(type) } },
  );
  const added: string[] = [];
  expect(await world.perform(take, at('0.0', world))).toEqual(ok({ messages: [] }));
  expect(added).toEqual([]);
  mail = { messages: [{ role: 'user', text: 'hello' }] };
  expect(await world.perform(take, at('0.1', world))).toEqual(ok(mail));
  await journal.flush();
  expect(events).toEqual([
    { seq: 0, at: 5, type: 'op', path: '0.1', kind: 'take', detail: { inbox: { session: '0' } }, value: mail },
  ]);
  expect(added).toEqual(['op']);
});

test('an answer that is there at once is in the state before anyone else is asked', () => {
  const { journal } = atOnce();
  let count = 0;
  const state = { add: () => void (count += 1) };
  const world = recorder(
    leaves(() => ok(count)),
    { journal, run: 'r1', state },
  );
  expect(world.perform(clock, at('0.0', world))).toEqual(ok(0));
  expect(world.perform(clock, at('0.1', world))).toEqual(ok(1));
});

test('an attempt that failed is written before the call goes on, and stands before its reply', async () => {
  const { log, journal, write } = slowly();
  const reply: ModelReply = { message: { role: 'assistant', text: 'hi', calls: [] }, spent: { model: 'a/b' } };
  const inner = leaves(async (_effect, op) => {
    const made = { number: 1, spent: { model: 'a/b', usd: 1 }, fault: fault('model/server', '503'), ms: 3 };
    await op.record?.attempt({ ...made, then: { kind: 'retry', delayMs: 0 } });
    log.push('next attempt');
    return ok(reply);
  });
  const world = recorder(inner, { journal, run: 'r1' });
  const answer = world.perform(tool('look'), at('0.0', world));
  write();
  await rested();
  expect(log).toEqual(['wrote op-start', 'told op-start']);
  write();
  await answer;
  expect(log.slice(2)).toEqual(['wrote attempt', 'told attempt', 'next attempt']);
});

test('the parallel branches that counted are written before one that did not count is cancelled', async () => {
  const { log, journal, write } = slowly();
  const inner = leaves((effect, { signal }) => {
    if (effect.kind === 'clock') return ok(1);
    return new Promise((resolve) => {
      const cancelled = (): void => {
        log.push('the other was cancelled');
        resolve({ ok: false, fault: (signal.reason as FaultError).fault });
      };
      if (signal.aborted) cancelled();
      else signal.addEventListener('abort', cancelled);
    });
  });
  const world = recorder(inner, { journal, run: 'r1' });
  const both = drive(
    parallelUntil<SettledResult>(
      [() => perform(clock as never), () => perform(tool('wait'))],
      ([first]) => first !== undefined,
    ),
    place,
    world,
  );
  write(); // the beginning of the tool call, which then waits
  await rested();
  expect(log).toEqual(['wrote op clock', 'wrote op-start', 'told op clock', 'told op-start']);
  write();
  const [first, second] = await both;
  expect([first, second]).toEqual([ok(1), undefined]);
  expect(log.slice(4)).toEqual(['wrote op parallel', 'told op parallel', 'the other was cancelled']);
});

test('a record of parallel branches that cannot be written fails the run that asked for it', async () => {
  const lease = {
    async append(events: readonly RunEvent[]) {
      if (events.some(({ type }) => type === 'op')) throw new FaultError(fault('journal/write', 'the disk is full'));
    },
    async release() {},
  };
  const stop = new Stop();
  const failed = (thrown: unknown): void => stop.abort(thrown as FaultError);
  const journal = openJournal(lease, { now: () => 5, failed });
  const inner = leaves((_effect, { signal }) => {
    return new Promise((resolve) => {
      const stopped = (): void => resolve({ ok: false, fault: fault('cancelled', 'stopped') });
      if (signal.aborted) stopped();
      else signal.addEventListener('abort', stopped);
    });
  });
  const world = recorder(inner, { journal, run: 'r1' });
  const none = function* (): Generator<never, number> {
    return 1;
  };
  const both = drive(
    parallelUntil<unknown>([none, () => perform(tool('wait'))], ([first]) => first !== undefined),
    { ...place, signal: stop },
    world,
  );
  await expect(both).rejects.toThrow('the disk is full');
});

test('results that no request will tell are one fact, without those that an op holds, and are not recorded again', async () => {
  const { events, journal } = atOnce();
  const given = { status: 'error', text: 'failed' } as const;
  const world = recorder(
    leaves(() => ok(given)),
    { journal, run: 'r1' },
  );
  const made = await world.perform(tool('look'), at('0.1', world));
  const messages: ToolMessage[] = [
    { role: 'tool', call: 'c1', name: 'look', result: (made as { value: ToolResult }).value },
    { role: 'tool', call: 'c2', name: 'nosuch', result: { status: 'error', text: 'no' } },
    { role: 'tool', call: 'c3', name: 'final_report', result: { status: 'ok', text: 'Taken.' } },
  ];
  await world.perform({ kind: 'last-results', messages }, at('0.0', world));
  await journal.flush();
  expect(events.at(-1)).toMatchObject({ type: 'fact', key: 'results:0.0', value: [{ call: 'c2' }] });
  const again = atOnce(events);
  const resumed = recorder(
    leaves(() => ok(null)),
    { journal: again.journal, run: 'r1' },
  );
  await resumed.perform({ kind: 'last-results', messages }, at('0.0', resumed));
  await again.journal.flush();
  expect(again.events).toEqual([]);
});

test('results that an op holds, or that did not fail, make no fact', async () => {
  const { events, journal } = atOnce();
  const world = recorder(
    leaves(() => ok({ status: 'error', text: 'failed' })),
    { journal, run: 'r1' },
  );
  const made = (await world.perform(tool('look'), at('0.1', world))) as { value: ToolResult };
  const messages: ToolMessage[] = [
    { role: 'tool', call: 'c1', name: 'look', result: made.value },
    { role: 'tool', call: 'c3', name: 'final_report', result: { status: 'ok', text: 'Taken.' } },
  ];
  await world.perform({ kind: 'last-results', messages }, at('0.0', world));
  await journal.flush();
  expect(events.map(({ type }) => type)).toEqual(['op-start', 'op-end']);
});

test('an op whose record breaks off is in doubt and goes on from its first moment; another one is new', async () => {
  const first = atOnce();
  const made = recorder(
    leaves(() => ok('yes')),
    { journal: first.journal, run: 'r1' },
  );
  await made.perform(tool('look'), at('0.0', made));
  await first.journal.flush();
  const again = atOnce(first.events.filter(({ type }) => type === 'op-start'));
  const seen: unknown[] = [];
  const world = recorder(
    leaves((_effect, op) => {
      seen.push([op.path, op.inDoubt, op.since]);
      return ok('yes');
    }),
    { journal: again.journal, run: 'r1' },
  );
  await world.perform(tool('look'), at('0.0', world));
  await world.perform(tool('look'), at('0.1', world));
  expect(seen).toEqual([
    ['0.0', true, 5],
    ['0.1', false, undefined],
  ]);
});

test('an op that is asked for in other words than recorded, or as another kind, diverges', async () => {
  const first = atOnce();
  const made = recorder(
    leaves(() => ok('yes')),
    { journal: first.journal, run: 'r1' },
  );
  await made.perform(tool('look'), at('0.0', made));
  await made.perform(clock, at('0.1', made));
  await first.journal.flush();
  const again = atOnce(first.events);
  const world = recorder(
    leaves(() => ok('yes')),
    { journal: again.journal, run: 'r1' },
  );
  const codeOf = async (effect: Effect, path: string): Promise<unknown> => {
    try {
      return await world.perform(effect as WorldRequest, at(path, world));
    } catch (thrown) {
      return thrown instanceof FaultError ? thrown.fault.code : thrown;
    }
  };
  expect(await codeOf(tool('listen'), '0.0')).toBe('journal/divergence');
  expect(await codeOf(take, '0.1')).toBe('journal/divergence');
  expect(await codeOf(tool('look'), '0.0')).toEqual(ok('yes'));
});

test('an instant without details has none in the record', async () => {
  const { events, journal } = atOnce();
  const world = recorder(
    leaves(() => ok(42)),
    { journal, run: 'r1' },
  );
  await world.perform(clock, at('0.0', world));
  await journal.flush();
  expect(events).toEqual([{ seq: 0, at: 5, type: 'op', path: '0.0', kind: 'clock', value: 42 }]);
});
