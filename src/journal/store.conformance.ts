// The contract of every RunStore. Each implementation's test file calls this once.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ControlMessage } from '../kernel/control.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { EVENT_VERSION, type OpEnd, type OpStart, type RunEnd, type RunEvent, type RunStart } from './event.ts';
import type { RunLease } from './log.ts';
import { MOST_FILTERS, MOST_TESTS, type RunStore } from './store.ts';

export const faultCode = (code: string) => expect.objectContaining({ fault: expect.objectContaining({ code }) });

export const runStart = (run: string, text = 'hello', agent = 'greeter'): RunStart => ({
  type: 'run-start',
  seq: 0,
  at: 1000,
  version: EVENT_VERSION,
  kernel: 1,
  run,
  agent,
  input: { text },
  folder: '/agents',
  texts: {},
});

export const modelStart = (seq: number, path: string, text: string): OpStart => ({
  type: 'op-start',
  seq,
  at: 1000 + seq,
  path,
  op: {
    kind: 'model',
    session: '0',
    agent: 'greeter',
    turn: 1,
    models: ['scripted/a'],
    added: [{ role: 'user', text }],
  },
  fingerprint: 'p',
});

export const modelEnd = (seq: number, path: string, text: string, usd?: number): OpEnd => ({
  type: 'op-end',
  seq,
  at: 1000 + seq,
  path,
  kind: 'model',
  result: {
    ok: true,
    value: {
      message: { role: 'assistant', text, calls: [] },
      spent: { model: 'scripted/a', usage: { input: 10, output: 5 }, ...(usd !== undefined && { usd }) },
    },
  },
});

export const runEnd = (seq: number, outcome: Outcome = { kind: 'answered', text: 'hi' }): RunEnd => ({
  type: 'run-end',
  seq,
  at: 1000 + seq,
  outcome,
});

export const wholeRun = (run: string, text = 'hello', agent = 'greeter'): RunEvent[] => [
  runStart(run, text, agent),
  modelStart(1, '0.0', text),
  modelEnd(2, '0.0', 'hi', 0.25),
  runEnd(3),
];

export async function write(store: RunStore, run: string, events: readonly RunEvent[]): Promise<void> {
  const lease = await store.claim(run, events[0]?.seq ?? 0);
  await lease.append(events);
  await lease.release();
}

/** A store that writes at once throws at once; any other rejects. */
const appended = async (lease: RunLease, events: readonly RunEvent[]): Promise<void> => lease.append(events);

export async function allOf(store: RunStore, run: string, fromSeq?: number): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(run, fromSeq)) events.push(event);
  return events;
}

async function firstOf(events: AsyncIterable<RunEvent>): Promise<RunEvent | undefined> {
  for await (const event of events) return event;
  return undefined;
}

export const sendMessage = (id: string, text = id): ControlMessage => ({ kind: 'send', id, by: 'a test', text });

/** All that is followed up to an end, by itself: nothing is left waiting. */
async function followed(store: RunStore, run: string, fromSeq = 0, signal = new AbortController().signal) {
  const events: RunEvent[] = [];
  for await (const event of store.follow(run, fromSeq, signal)) events.push(event);
  return events;
}

interface OpenedStore {
  readonly store: RunStore;
  /** It keeps events as they are. Absent: as texts. */
  readonly isInMemory?: true;
  close(): void | Promise<void>;
}

export function storeConformance(name: string, open: () => OpenedStore | Promise<OpenedStore>): void {
  describe(name, () => {
    let store: RunStore;
    let close: OpenedStore['close'];
    let isInMemory: OpenedStore['isInMemory'];
    beforeEach(async () => {
      ({ store, close, isInMemory } = await open());
    });
    afterEach(() => close());

    test('appended events are read back, in order', async () => {
      const events = wholeRun('r1');
      const lease = await store.claim('r1', 0);
      await lease.append(events.slice(0, 1));
      await lease.append(events.slice(1, 3));
      await lease.append([]);
      await lease.append(events.slice(3));
      await lease.release();
      expect(await allOf(store, 'r1')).toEqual(events);
    });

    test('reading can begin at any sequence number', async () => {
      await write(store, 'r1', wholeRun('r1'));
      expect((await allOf(store, 'r1', 2)).map(({ seq }) => seq)).toEqual([2, 3]);
      expect(await allOf(store, 'r1', 4)).toEqual([]);
    });

    test('a run can be read while it is being written', async () => {
      const lease = await store.claim('r1', 0);
      expect(await allOf(store, 'r1')).toEqual([]);
      await lease.append(wholeRun('r1').slice(0, 2));
      expect(await allOf(store, 'r1')).toHaveLength(2);
      await lease.release();
    });

    test('texts of every kind survive: long, repeated, with line separators, lone surrogates, nothing at all', async () => {
      const odd = '\u2028\u2029\n\r\0 \ud800 é 漢 🎭 {"$see":"0/input/text"}';
      const long = odd.repeat(200);
      const events: RunEvent[] = [
        runStart('r1', long),
        modelStart(1, '0.0', long),
        modelEnd(2, '0.0', ''),
        modelStart(3, '0.1', `${long}.`),
        modelEnd(4, '0.1', long),
        runEnd(5, { kind: 'answered', text: long }),
      ];
      await write(store, 'r1', events);
      expect(await allOf(store, 'r1')).toEqual(events);
    });

    test('a text that is repeated is stored once, and read and followed whole from any event on', async () => {
      const long = 'A text of some length, with a line break.\n'.repeat(200);
      const before = [runStart('r1'), modelStart(1, '0.0', long), modelEnd(2, '0.0', long)];
      await write(store, 'r1', before);
      const resumed: RunEvent = { type: 'run-resume', seq: 3, at: 1003, version: EVENT_VERSION };
      const after = [resumed, modelStart(4, '0.1', `First.\n${long}`), modelEnd(5, '0.1', long), runEnd(6)];
      await write(store, 'r1', after);
      const all = [...before, ...after];
      const once = 3 * long.length; // with its line breaks escaped, and by two processes
      if (isInMemory === undefined) expect((await store.summary('r1')).bytes).toBeLessThan(once);
      for (let from = 0; from <= all.length; from++) {
        expect(await allOf(store, 'r1', from)).toEqual(all.slice(from));
        if (from < all.length) expect(await followed(store, 'r1', from)).toEqual(all.slice(from));
      }
    });

    test('a released run is taken up where it ended', async () => {
      const long = 'x'.repeat(2000);
      const events = wholeRun('r1', long);
      await write(store, 'r1', events.slice(0, 2));
      await write(store, 'r1', events.slice(2));
      expect(await allOf(store, 'r1')).toEqual(events);
    });

    test('a run has one writer at a time', async () => {
      const lease = await store.claim('r1', 0);
      await lease.append([runStart('r1')]);
      await expect(store.claim('r1', 1)).rejects.toEqual(faultCode('run/locked'));
      await expect(store.claim('r1', 0)).rejects.toThrow('written by this process');
      await expect(store.remove('r1')).rejects.toEqual(faultCode('run/locked'));
      await lease.release();
      await (await store.claim('r1', 1)).release();
    });

    test('one of many claims at the same time is granted', async () => {
      const claims = await Promise.allSettled(Array.from({ length: 20 }, () => store.claim('r1', 0)));
      expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    test('a claim that expects another number of events is refused and holds nothing', async () => {
      await write(store, 'r1', wholeRun('r1').slice(0, 2));
      await expect(store.claim('r1', 1)).rejects.toEqual(faultCode('run/locked'));
      await expect(store.claim('r1', 0)).rejects.toEqual(faultCode('run/locked'));
      await (await store.claim('r1', 2)).release();
    });

    test('an event out of its place is a defect, and nothing of that append is kept', async () => {
      const lease = await store.claim('r1', 0);
      await expect(appended(lease, [runStart('r1'), runEnd(2)])).rejects.toThrow('expects event 1');
      await lease.append([runStart('r1')]);
      await lease.release();
      expect(await allOf(store, 'r1')).toHaveLength(1);
    });

    test('a released lease writes nothing, and is released once', async () => {
      const lease = await store.claim('r1', 0);
      await lease.append([runStart('r1')]);
      await lease.release();
      await lease.release();
      await expect(appended(lease, [runEnd(1)])).rejects.toEqual(faultCode('run/locked'));
    });

    test('a run that is taken over is refused to its holder, and free for the next', async () => {
      const events = wholeRun('r1');
      const first = await store.claim('r1', 0);
      await first.append(events.slice(0, 2));
      await store.takeOver('r1');
      await expect(appended(first, events.slice(2))).rejects.toEqual(faultCode('run/taken-over'));
      expect((await store.list())[0]).toMatchObject({ state: 'broken-off', events: 2 });
      const second = await store.claim('r1', 2);
      await expect(appended(first, events.slice(2))).rejects.toEqual(faultCode('run/taken-over'));
      await second.append(events.slice(2, 3));
      await first.release();
      await expect(store.claim('r1', 3)).rejects.toEqual(faultCode('run/locked'));
      await second.append(events.slice(3));
      await second.release();
      expect(await allOf(store, 'r1')).toEqual(events);
    });

    test('a run that no process holds can be taken over, and one that is not there cannot', async () => {
      await write(store, 'r1', wholeRun('r1').slice(0, 2));
      await store.takeOver('r1');
      await write(store, 'r1', wholeRun('r1').slice(2));
      await expect(store.takeOver('r2')).rejects.toEqual(faultCode('run/unknown'));
    });

    test('a run that was claimed and never written is not there', async () => {
      await (await store.claim('r1', 0)).release();
      expect(await store.list()).toEqual([]);
      await expect(allOf(store, 'r1')).rejects.toEqual(faultCode('run/unknown'));
      await expect(store.find('last')).rejects.toEqual(faultCode('run/unknown'));
    });

    test('an unknown run is an error that names the nearest', async () => {
      await write(store, 'r-100', wholeRun('r-100'));
      await write(store, 'z-999', wholeRun('z-999'));
      await expect(allOf(store, 'r-101')).rejects.toEqual(faultCode('run/unknown'));
      await expect(allOf(store, 'r-1')).rejects.toEqual(faultCode('run/unknown'));
      await expect(store.find('r-10l')).rejects.toThrow('Did you mean r-100?');
      await expect(store.claim('r-101', 3)).rejects.toEqual(faultCode('run/unknown'));
      await expect(store.remove('r-101')).rejects.toEqual(faultCode('run/unknown'));
    });

    test('a run is found by its id, by a unique prefix, and as the last', async () => {
      await expect(store.find('last')).rejects.toThrow('nothing has been run here yet');
      for (const run of ['a-1', 'a-12', 'b-1']) await write(store, run, wholeRun(run));
      expect(await store.find('a-1')).toBe('a-1');
      expect(await store.find('b')).toBe('b-1');
      expect(await store.find('last')).toBe('b-1');
      await expect(store.find('a')).rejects.toThrow('a-12, a-1');
      await expect(store.find('')).rejects.toEqual(faultCode('run/unknown'));
    });

    test('a list is newest first and tells how each run stands', async () => {
      await write(store, 'r1', wholeRun('r1', 'hello', 'one'));
      await write(store, 'r2', wholeRun('r2', 'hello', 'two').slice(0, 3));
      const lease = await store.claim('r3', 0);
      await lease.append([runStart('r3', 'q'.repeat(5000), 'one')]);
      const list = await store.list();
      expect(list.map(({ run, state }) => [run, state])).toEqual([
        ['r3', 'running'],
        ['r2', 'broken-off'],
        ['r1', 'ended'],
      ]);
      expect(list[2]).toEqual({
        run: 'r1',
        agent: 'one',
        input: { text: 'hello' },
        folder: list[2]?.folder,
        startedAt: 1000,
        agents: ['one', 'greeter'],
        resumes: 0,
        failedBelow: 0,
        refused: 0,
        calls: 1,
        tokens: { input: 10, output: 5 },
        spent: [{ agent: 'greeter', model: 'scripted/a', calls: 1, input: 10, output: 5, usd: 0.25, unpriced: 0 }],
        waiting: 0,
        endedAt: 1003,
        state: 'ended',
        outcome: 'answered',
        events: 4,
        bytes: list[2]?.bytes,
        usd: 0.25,
        unpriced: 0,
        inDoubt: 0,
        atLeast: false,
      });
      expect(list[2]?.bytes).toBeGreaterThan(400);
      expect(list[0]).not.toHaveProperty('usd');
      expect(list[0]?.input.text).toMatch(/^q{279}…$/);
      await lease.append([runEnd(1, { kind: 'cancelled', fault: { code: 'cancelled', message: 'no' } })]);
      await lease.release();
      expect((await store.list({ limit: 1 }))[0]).toMatchObject({ state: 'ended', outcome: 'cancelled', events: 2 });
    });

    test('totals are those of the list, while runs begin, end and go', async () => {
      const agrees = async (total: number): Promise<void> => {
        const { sum, states, ...rest } = await store.totals();
        const shares = (await store.list()).flatMap(({ spent }) => spent);
        expect(rest).toEqual({ total });
        expect(Object.values(states).reduce((all, count) => all + count, 0)).toBe(total);
        expect(sum.runs).toBe(total);
        expect(sum.calls).toBe(shares.reduce((all, { calls }) => all + calls, 0));
        expect(sum.usd ?? 0).toBeCloseTo(shares.reduce((all, { usd = 0 }) => all + usd, 0));
      };
      await agrees(0);
      for (const run of ['r1', 'r2', 'r3']) await write(store, run, wholeRun(run));
      await agrees(3);
      const lease = await store.claim('r4', 0);
      await lease.append([runStart('r4'), modelStart(1, '0.0', 'q')]);
      await agrees(4);
      await lease.append([modelEnd(2, '0.0', 'a', 0.25), runEnd(3)]);
      await agrees(4);
      await lease.release();
      await agrees(4);
      await store.remove('r2');
      await agrees(3);
    });

    test('a list can be cut to a number, a state, an agent', async () => {
      for (const run of ['r1', 'r2', 'r3', 'r4']) {
        await write(store, run, wholeRun(run, 'hello', run > 'r2' ? 'late' : 'early').slice(0, run === 'r4' ? 2 : 4));
      }
      const ids = async (query: Parameters<RunStore['list']>[0]) => (await store.list(query)).map(({ run }) => run);
      expect(await ids({ limit: 2 })).toEqual(['r4', 'r3']);
      expect(await ids({ state: 'ended', limit: 2 })).toEqual(['r3', 'r2']);
      expect(await ids({ agent: 'early' })).toEqual(['r2', 'r1']);
      expect(await ids({ agent: 'early', state: 'broken-off' })).toEqual([]);
    });

    test('a removed run is gone', async () => {
      await write(store, 'r1', wholeRun('r1'));
      expect(await store.list()).toHaveLength(1);
      await store.remove('r1');
      expect(await store.list()).toEqual([]);
      await expect(store.find('r1')).rejects.toEqual(faultCode('run/unknown'));
      await write(store, 'r1', wholeRun('r1', 'again'));
      expect((await store.list())[0]?.input).toEqual({ text: 'again' });
    });

    test.each(['', '.', '..', 'a..b', '../up', 'a/b', 'a\\b', '.hidden', 'a\0', 'x'.repeat(129), '-r', '~r'])(
      'a run is never named %j',
      async (name) => {
        await expect(store.claim(name, 0)).rejects.toEqual(faultCode('usage'));
        await expect(store.find(name)).rejects.toEqual(faultCode('run/unknown'));
        await expect(allOf(store, name)).rejects.toThrow();
        await expect(store.remove(name)).rejects.toThrow();
      },
    );

    test('a run may be named __proto__-like words and the longest allowed id', async () => {
      for (const run of ['constructor', 'x'.repeat(128), '0~1.a_B-c']) await write(store, run, wholeRun(run));
      expect(await store.list()).toHaveLength(3);
    });

    test('a blob is kept by its content, once', async () => {
      const bytes = new TextEncoder().encode('an agent text');
      const digests = await Promise.all([store.blobs.put(bytes), store.blobs.put(bytes), store.blobs.put(bytes)]);
      expect(new Set(digests).size).toBe(1);
      expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
      expect(Buffer.from((await store.blobs.get(digests[0] as string)) ?? [])).toEqual(Buffer.from(bytes));
      const empty = await store.blobs.put(new Uint8Array());
      expect(await store.blobs.get(empty)).toHaveLength(0);
    });

    test('blobs that no run names are collected, and what was put again counts as new', async () => {
      const put = (text: string) => store.blobs.put(new TextEncoder().encode(text));
      const [pinned, result, orphan] = [await put('a text'), await put('a long result'), await put('nobody')];
      const [start, ask, reply, end] = wholeRun('r1') as [RunStart, OpStart, OpEnd, RunEnd];
      const value = { status: 'ok', text: 'head', handle: result };
      const tool: OpEnd = { ...reply, kind: 'tool', result: { ok: true, value } };
      await write(store, 'r1', [{ ...start, texts: { 'greeter.md': pinned } }, ask, tool, end]);
      const later = Date.now() + 60_000;

      const fresh = await store.collect({ before: 0 });
      expect(fresh).toMatchObject({ kept: { count: 3 }, removed: { count: 0 } });
      const dry = await store.collect({ before: later, dryRun: true });
      expect(dry).toEqual({ kept: { count: 2, bytes: 19 }, removed: { count: 1, bytes: 6 } });
      expect(await store.blobs.get(orphan)).toBeDefined();
      expect(await store.collect({ before: later })).toEqual(dry);
      expect(await store.blobs.get(orphan)).toBeUndefined();
      expect(await store.blobs.get(pinned)).toBeDefined();
      expect(await store.blobs.get(result)).toBeDefined();

      await store.remove('r1');
      const between = Date.now();
      while (Date.now() <= between + 20); // files are stamped by a coarser clock than ours
      await put('a text');
      expect(await store.collect({ before: between + 1 })).toMatchObject({ kept: { count: 1 }, removed: { count: 1 } });
      expect(await store.blobs.get(pinned)).toBeDefined();
    });

    test('the blobs of a run that is being written stay', async () => {
      const digest = await store.blobs.put(new TextEncoder().encode('its text'));
      const lease = await store.claim('r1', 0);
      await lease.append([{ ...runStart('r1'), texts: { 'greeter.md': digest } }]);
      await store.collect({ before: Date.now() + 60_000 });
      expect(await store.blobs.get(digest)).toBeDefined();
      await lease.release();
    });

    test('a summary tells what a run is, who took part, and where it broke', async () => {
      const signal = { kind: 'approval', prompt: 'May I?', about: null } as const;
      const child = { kind: 'run', agent: 'desk', input: { text: 'x' }, trigger: { kind: 'handoff' } } as never;
      const events: RunEvent[] = [
        { ...runStart('r2'), label: 'mill', thread: 't1', continues: 'r1' },
        modelStart(1, '0.0', 'q'),
        modelEnd(2, '0.0', 'a', 0.5),
        { type: 'op-start', seq: 3, at: 1003, path: '0.1', op: child },
        { type: 'op-start', seq: 4, at: 1004, path: '0.1.0', op: signal },
        { type: 'op-start', seq: 5, at: 1005, path: '0.1.1', op: signal },
        { type: 'op-end', seq: 6, at: 1006, path: '0.1.0', kind: 'approval', result: { ok: true, value: {} } },
        modelStart(7, '0.1.2', 'q'),
        { type: 'run-resume', seq: 8, at: 1008 },
        { type: 'op-start', seq: 9, at: 1009, path: '0.1.1', op: signal },
      ];
      await write(store, 'r2', events);
      const begun = { run: 'r2', agent: 'greeter', label: 'mill', thread: 't1', continues: 'r1' };
      const cost = { usd: 0.5, unpriced: 1, inDoubt: 1, atLeast: true };
      expect(await store.summary('r2')).toMatchObject({
        ...begun,
        ...cost,
        agents: ['greeter', 'desk'],
        state: 'broken-off',
        waiting: 1,
      });
      const fault = { code: 'model/server', message: `it broke\n  here ${'x'.repeat(500)}` } as const;
      await write(store, 'r2', [runEnd(10, { kind: 'failed', fault, agent: 'desk' })]);
      const ended = await store.summary('r2');
      expect(ended).toMatchObject({ ...begun, ...cost, state: 'ended', outcome: 'failed', waiting: 0, stage: 'desk' });
      expect(ended.fault?.code).toBe('model/server');
      expect(ended.fault?.message).toMatch(/^it broke here x+…$/);
      expect(ended.fault?.message).toHaveLength(200);
      expect(await store.list()).toEqual([ended]);
      await expect(store.summary('r3')).rejects.toEqual(faultCode('run/unknown'));
    });

    test('a summary counts the calls that nobody made', async () => {
      const call = { id: 'c1', name: 'nowhere', arguments: {} };
      const asking = modelEnd(2, '0.0', 'let me see', 0.25);
      const reply = {
        ...(asking.result as { value: object }).value,
        message: { role: 'assistant', text: '', calls: [call] },
      };
      const told = { role: 'tool', call: 'c1', name: 'nowhere', result: { status: 'error', text: 'There is none.' } };
      const next = modelStart(3, '0.1', 'x');
      await write(store, 'refused', [
        runStart('refused'),
        modelStart(1, '0.0', 'x'),
        { ...asking, result: { ok: true, value: reply } } as RunEvent,
      ]);
      await write(store, 'refused', [
        { ...next, op: { ...next.op, added: [told] } } as RunEvent,
        modelEnd(4, '0.1', 'hi', 0.25),
        runEnd(5),
      ]);
      expect(await store.summary('refused')).toMatchObject({ refused: 1, calls: 2, usd: 0.5 });
      expect(await store.list()).toMatchObject([{ refused: 1 }]);
    });

    test('a fork counts what was paid in it, and apart from that what it was copied with', async () => {
      const forkedFrom = { run: 'origin', at: '0.1', events: 3 };
      await write(store, 'fork', [{ ...runStart('fork'), forkedFrom }, ...wholeRun('fork').slice(1, 3)]);
      await write(store, 'fork', [modelStart(3, '0.1', 'x'), modelEnd(4, '0.1', 'hi', 0.5), runEnd(5)]);
      const counted = { calls: 1, tokens: { input: 10, output: 5 }, unpriced: 0 };
      const taken = { ...counted, usd: 0.25 };
      expect(await store.summary('fork')).toMatchObject({ ...counted, usd: 0.5, takenOver: taken });
      expect((await store.list())[0]).toMatchObject({ usd: 0.5, takenOver: taken });
    });

    test('a call under way makes what was spent the least, and in doubt only when its process is gone', async () => {
      const lease = await store.claim('r1', 0);
      await lease.append([...wholeRun('r1').slice(0, 3), modelStart(3, '0.1', 'q')]);
      expect(await store.summary('r1')).toMatchObject({ usd: 0.25, unpriced: 0, inDoubt: 0, atLeast: true });
      await lease.release();
      expect(await store.summary('r1')).toMatchObject({ usd: 0.25, unpriced: 1, inDoubt: 1, atLeast: true });
      await write(store, 'r1', [modelEnd(4, '0.1', 'a', 0.25), runEnd(5)]);
      expect(await store.summary('r1')).toMatchObject({ usd: 0.5, unpriced: 0, inDoubt: 0, atLeast: false });
    });

    test('a list can be cut to an outcome, a label, a thread, a text, a time, and what waits for a person', async () => {
      const failed: Outcome = { kind: 'failed', fault: { code: 'model/server', message: 'no' } };
      const signal = { kind: 'approval', prompt: '?', about: null } as const;
      const asked = `${'x'.repeat(1000)} the Mill`;
      await write(store, 'r1', [{ ...runStart('r1', 'A mill?'), label: 'mill' }, runEnd(1)]);
      await write(store, 'r2', [{ ...runStart('r2', 'else'), thread: 't1', at: 2000 }, runEnd(1, failed)]);
      await write(store, 'r3', [{ ...runStart('r3', asked), thread: 't1', at: 3000 }, runEnd(1)]);
      await write(store, 'r4', [
        { ...runStart('r4', 'else'), at: 4000 },
        { type: 'op-start', seq: 1, at: 4001, path: '0.0', op: signal },
      ]);
      const ids = async (query: Parameters<RunStore['list']>[0]) => (await store.list(query)).map(({ run }) => run);
      expect(await ids({ outcome: 'answered' })).toEqual(['r3', 'r1']);
      expect(await ids({ outcome: 'failed' })).toEqual(['r2']);
      expect(await ids({ label: 'mill' })).toEqual(['r1']);
      expect(await ids({ thread: 't1' })).toEqual(['r3', 'r2']);
      expect(await ids({ text: 'MILL' })).toEqual(['r3', 'r1']);
      expect(await ids({ since: 2000, until: 4000 })).toEqual(['r3', 'r2']);
      expect(await ids({ waiting: true })).toEqual(['r4']);
      expect(await ids({ thread: 't1', outcome: 'failed', text: 'else', since: 2000 })).toEqual(['r2']);
      expect(await ids({ thread: 't2' })).toEqual([]);
    });

    test('a list is read page by page, also where the last run of a page is gone', async () => {
      for (const run of ['r1', 'r2', 'r3', 'r4', 'r5']) await write(store, run, wholeRun(run));
      const page = async (before?: string) =>
        (await store.list({ limit: 2, ...(before !== undefined && { before }) })).map(({ run }) => run);
      expect(await page()).toEqual(['r5', 'r4']);
      await store.remove('r4');
      await write(store, 'r6', wholeRun('r6'));
      expect(await page('r4')).toEqual(['r3', 'r2']);
      expect(await page('r2')).toEqual(['r1']);
      expect(await page('r1')).toEqual([]);
    });

    test('one event is read alone, as soon as it is written, after others that are long', async () => {
      const long = 'é'.repeat(200_000);
      const lease = await store.claim('r1', 0);
      await lease.append([runStart('r1', long), modelStart(1, '0.0', long), modelStart(2, '0.0.1', 'q')]);
      const ends = [modelEnd(3, '0.0.1', long), modelEnd(4, '0.0', 'short', 0.5), modelEnd(5, '0.1', long)];
      for (const end of ends) {
        await lease.append([end]);
        expect(await firstOf(store.read('r1', end.seq))).toEqual(end);
      }
      await lease.release();
      for (const end of ends) expect(await firstOf(store.read('r1', end.seq))).toEqual(end);
      expect(await firstOf(store.read('r1', 6))).toBeUndefined();
    });

    test('messages to a run wait in the order in which they were posted, until they are removed', async () => {
      await write(store, 'r1', [runStart('r1')]);
      await write(store, 'r2', [runStart('r2')]);
      const messages: ControlMessage[] = [
        { kind: 'stop', id: 'z', reason: 'enough' },
        { kind: 'cancel', id: 'a', to: 'r1~0.3', reason: 'no' },
        { kind: 'send', id: 'm', by: 'ann', text: 'é 🎭\u2028'.repeat(3000) },
        { kind: 'verdict', id: 'B', op: '0.2.10', approved: false, note: 'not today' },
        { kind: 'share-context', id: '-_9', context: { key: [1, { two: null }] } },
      ];
      for (const message of messages) await store.control.post('r1', message);
      await store.control.post('r2', sendMessage('other'));
      expect(await store.control.pending('r1')).toEqual(messages);
      expect(await store.control.pending('r1')).toEqual(messages);
      await store.control.remove('r1', ['a', 'B', 'never', 'other']);
      expect((await store.control.pending('r1')).map(({ id }) => id)).toEqual(['z', 'm', '-_9']);
      expect(await store.control.pending('r2')).toEqual([sendMessage('other')]);
      await store.control.remove('r1', ['z', 'm', '-_9']);
      expect(await store.control.pending('r1')).toEqual([]);
    });

    test('a message can be withdrawn until the run has taken it', async () => {
      await write(store, 'r1', [runStart('r1')]);
      await store.control.post('r1', sendMessage('one'));
      expect(await store.control.withdraw('r1', 'one')).toBe(true);
      expect(await store.control.withdraw('r1', 'one')).toBe(false);
      expect(await store.control.pending('r1')).toEqual([]);
      await store.control.post('r1', sendMessage('looked-at'));
      expect(await store.control.posted('r1')).toEqual([sendMessage('looked-at')]);
      expect(await store.control.withdraw('r1', 'looked-at')).toBe(true);
      await store.control.post('r1', sendMessage('two'));
      expect(await store.control.pending('r1')).toEqual([sendMessage('two')]);
      expect(await store.control.posted('r1')).toEqual([sendMessage('two')]);
      expect(await store.control.withdraw('r1', 'two')).toBe(false);
      expect(await store.control.pending('r1')).toEqual([sendMessage('two')]);
    });

    test('a message that is posted twice is there once', async () => {
      await write(store, 'r1', [runStart('r1')]);
      await store.control.post('r1', sendMessage('one'));
      await store.control.post('r1', sendMessage('one'));
      expect(await store.control.pending('r1')).toEqual([sendMessage('one')]);
      await store.control.remove('r1', ['one']);
      expect(await store.control.pending('r1')).toEqual([]);
    });

    test('a message to no run is refused, and so is what is no message', async () => {
      await expect(store.control.post('r1', sendMessage('one'))).rejects.toEqual(faultCode('run/unknown'));
      await expect(store.control.post('../r1', sendMessage('one'))).rejects.toEqual(faultCode('usage'));
      await write(store, 'r1', [runStart('r1')]);
      const refused: unknown[] = [
        { kind: 'send', id: 'one' },
        { kind: 'send', id: '../one', text: 'x' },
        { kind: 'send', id: 'one', text: 'x', more: 1 },
        { kind: 'send', id: 'one', text: 'x', to: 'r2~0.1' },
        { kind: 'shout', id: 'one', text: 'x' },
        { kind: 'toString', id: 'one' },
        { kind: 'verdict', id: 'one', op: '0.1', approved: 'yes' },
        { kind: 'verdict', id: 'one', op: '../0', approved: true },
        { kind: 'share-context', id: 'one', context: [1] },
        { kind: 'send', id: 'one', text: 'x'.repeat(5 * 1_048_576) },
      ];
      for (const message of refused)
        await expect(store.control.post('r1', message as ControlMessage)).rejects.toEqual(faultCode('usage'));
      expect(await store.control.pending('r1')).toEqual([]);
    });

    test('a watcher of the messages to a run is told of each, and of no other run', async () => {
      for (const run of ['r1', 'r1.2']) await write(store, run, [runStart(run)]);
      const told: string[] = [];
      const next = (run: string) =>
        new Promise<void>((resolve) => {
          const stop = store.control.watch(run, () => {
            told.push(run);
            stop();
            resolve();
          });
        });
      const first = next('r1');
      void next('r1.2');
      await store.control.post('r1', sendMessage('one'));
      await first;
      const second = next('r1');
      await store.control.post('r1', sendMessage('two'));
      await second;
      expect(told).toEqual(['r1', 'r1']);
      expect(await store.control.pending('r1')).toHaveLength(2);
    });

    test('messages to a run go with it', async () => {
      await write(store, 'r1', [runStart('r1')]);
      await store.control.post('r1', sendMessage('one'));
      await store.remove('r1');
      await write(store, 'r1', [runStart('r1')]);
      expect(await store.control.pending('r1')).toEqual([]);
    });

    test('a run that has ended is followed to its end, from any event on', async () => {
      const events = wholeRun('r1', 'x'.repeat(2000));
      await write(store, 'r1', events);
      expect(await followed(store, 'r1')).toEqual(events);
      expect(await followed(store, 'r1', 2)).toEqual(events.slice(2));
      expect(await followed(store, 'r1', 99)).toEqual([]);
    });

    test('an undo is recorded after the end of a run, which stays ended and is followed to its end', async () => {
      const events = wholeRun('r1');
      await write(store, 'r1', events);
      const undo = (seq: number, state: 'begun' | 'done'): RunEvent => ({
        type: 'undo',
        seq,
        at: 2000 + seq,
        state,
        ops: ['0.1'],
      });
      await write(store, 'r1', [undo(4, 'begun'), undo(5, 'done')]);
      expect(await store.summary('r1')).toMatchObject({
        state: 'ended',
        outcome: 'answered',
        events: 6,
        endedAt: 1003,
      });
      expect((await store.list())[0]).toMatchObject({ state: 'ended', outcome: 'answered' });
      expect((await allOf(store, 'r1')).map(({ type }) => type).slice(-3)).toEqual(['run-end', 'undo', 'undo']);
      expect(await followed(store, 'r1')).toEqual(events);
      expect(await store.list({ state: 'broken-off' })).toEqual([]);
    });

    test('later events are followed: those of the same holder, of the next one, and of one that took the run over', async () => {
      const long = 'x'.repeat(2000);
      const events: RunEvent[] = [
        runStart('r1', long),
        modelStart(1, '0.0', long),
        modelEnd(2, '0.0', long),
        modelStart(3, '0.1', 'more'),
        modelEnd(4, '0.1', long),
        runEnd(5, { kind: 'answered', text: long }),
      ];
      const first = await store.claim('r1', 0);
      const seen = store.follow('r1', 0, new AbortController().signal)[Symbol.asyncIterator]();
      const late = followed(store, 'r1', 3);
      const next = async () => (await seen.next()).value as RunEvent;
      const waiting = next();
      await first.append(events.slice(0, 1));
      expect(await waiting).toEqual(events[0]);
      await first.append(events.slice(1, 2));
      expect(await next()).toEqual(events[1]);
      await first.release();
      const afterRelease = next();
      const second = await store.claim('r1', 2);
      await second.append(events.slice(2, 4));
      expect(await afterRelease).toEqual(events[2]);
      await store.takeOver('r1');
      expect(await next()).toEqual(events[3]);
      const afterTakeOver = next();
      await write(store, 'r1', events.slice(4));
      expect(await afterTakeOver).toEqual(events[4]);
      expect(await next()).toEqual(events[5]);
      expect(await seen.next()).toEqual({ done: true, value: undefined });
      expect(await late).toEqual(events.slice(3));
      await second.release();
    });

    test('following ends when it is told to, while it waits and before it began', async () => {
      await write(store, 'r1', wholeRun('r1').slice(0, 2));
      const stop = new AbortController();
      const seen = store.follow('r1', 0, stop.signal)[Symbol.asyncIterator]();
      expect((await seen.next()).value).toMatchObject({ seq: 0 });
      expect((await seen.next()).value).toMatchObject({ seq: 1 });
      const waiting = seen.next();
      stop.abort();
      expect(await waiting).toEqual({ done: true, value: undefined });
      expect(await followed(store, 'r1', 0, stop.signal)).toEqual([]);
    });

    test('a follower that is told to end hears nothing more, also of what is there already', async () => {
      await write(store, 'r1', wholeRun('r1'));
      const stop = new AbortController();
      const seen = store.follow('r1', 0, stop.signal)[Symbol.asyncIterator]();
      expect((await seen.next()).value).toMatchObject({ seq: 0 });
      stop.abort();
      expect(await seen.next()).toEqual({ done: true, value: undefined });
    });

    test('a run that is not there cannot be followed, and neither can one that is removed meanwhile', async () => {
      await expect(followed(store, 'r1')).rejects.toEqual(faultCode('run/unknown'));
      await write(store, 'r1', wholeRun('r1').slice(0, 2));
      const seen = store.follow('r1', 2, new AbortController().signal)[Symbol.asyncIterator]();
      const refused = expect(seen.next()).rejects.toEqual(faultCode('run/unknown')); // it may come before the removal returns
      await store.remove('r1');
      await refused;
    });

    test('a key is tied once: everyone gets the first value, until it is collected', async () => {
      const given = await Promise.all(['one', 'two', 'three'].map((value) => store.putIfAbsent('key', value)));
      expect(new Set(given).size).toBe(1);
      expect(await store.putIfAbsent('key', 'four')).toBe(given[0]);
      expect(await store.putIfAbsent('../key', 'another')).toBe('another');
      await store.collect({ before: 0 });
      expect(await store.putIfAbsent('key', 'five')).toBe(given[0]);
      await store.collect({ before: Date.now() + 60_000, dryRun: true });
      expect(await store.putIfAbsent('key', 'six')).toBe(given[0]);
      await store.collect({ before: Date.now() + 60_000 });
      expect(await store.putIfAbsent('key', 'seven')).toBe('seven');
    });

    test('a result of tests is replaced whole and listed newest first, and the oldest beyond fifty go', async () => {
      expect(await store.tests.list()).toEqual([]);
      expect(await store.tests.get('t1')).toBeUndefined();
      const text = JSON.stringify({ said: 'line one\nline two \u0000 é' });
      await store.tests.put('t1', { head: '{"n":1}', body: '' });
      await store.tests.put('t2', { head: '{"n":2}', body: `${text}\n` });
      await store.tests.put('t1', { head: '{"n":3}', body: `${text}\n${text}\n` });
      expect(await store.tests.list()).toEqual([
        { id: 't2', head: '{"n":2}', putAt: expect.any(Number) },
        { id: 't1', head: '{"n":3}', putAt: expect.any(Number) },
      ]);
      expect(await store.tests.get('t1')).toMatchObject({ id: 't1', head: '{"n":3}', body: `${text}\n${text}\n` });
      await store.tests.remove('t2');
      await store.tests.remove('t2');
      for (let n = 10; n < 62; n++) await store.tests.put(`u${n}`, { head: '{}', body: '' });
      const kept = (await store.tests.list()).map(({ id }) => id);
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([MOST_TESTS, 'u61', 'u12']);
      await expect(store.tests.get('../runs')).rejects.toEqual(faultCode('usage'));
    });

    test('a filter is saved under a name of any letters, replaced, and removed; owners do not see each other’s', async () => {
      expect(await store.filters.list('')).toEqual([]);
      await store.filters.put('', { name: '../dear', query: 'q=cost%3A%3E1' });
      await store.filters.put('', { name: 'chats', query: 'q=thread%3A' });
      await store.filters.put('', { name: '../dear', query: 'q=cost%3A%3E2' });
      await store.filters.put('guest', { name: 'own', query: 'state=running' });
      expect(await store.filters.list('')).toEqual([
        { name: '../dear', query: 'q=cost%3A%3E2' },
        { name: 'chats', query: 'q=thread%3A' },
      ]);
      expect(await store.filters.list('guest')).toEqual([{ name: 'own', query: 'state=running' }]);
      expect(await store.filters.remove('guest', 'chats')).toBe(false);
      expect(await store.filters.remove('', 'chats')).toBe(true);
      for (let n = 1; n < MOST_FILTERS; n++) await store.filters.put('', { name: `f${n}`, query: '' });
      await expect(store.filters.put('', { name: 'one more', query: '' })).rejects.toEqual(faultCode('usage'));
      await store.filters.put('', { name: '../dear', query: 'q=cost%3A%3E3' });
      expect(await store.filters.list('')).toHaveLength(MOST_FILTERS);
    });

    test('a person has one mark on a run, which a later one replaces, and which goes with the run', async () => {
      const [one, other] = ['r1', 'r2'] as const;
      for (const run of [one, other]) await write(store, run, wholeRun(run));
      expect(await store.notes.list()).toEqual([]);
      await store.notes.put(one, { by: 'ann', mark: 'bad', text: 'the sum is wrong\nby 3' });
      const kept = await store.notes.put(one, { by: 'ann', mark: 'good' });
      await store.notes.put(one, { by: '../bob', mark: 'bad', text: '"no"' });
      await store.notes.put(other, { by: 'ann', mark: 'good', text: 'short' });
      expect(kept).toEqual({ run: one, by: 'ann', at: expect.any(Number), mark: 'good' });
      const marks = async (run?: string) =>
        (await store.notes.list(run)).map(({ by, mark, text }) => `${by} ${mark} ${text ?? '-'}`).sort();
      expect(await marks(one)).toEqual(['../bob bad "no"', 'ann good -']);
      expect(await marks()).toHaveLength(3);
      expect(await store.notes.remove(one, 'ann')).toBe(true);
      expect(await store.notes.remove(one, 'ann')).toBe(false);
      expect(await marks(one)).toEqual(['../bob bad "no"']);
      await store.remove(one);
      expect(await marks()).toEqual(['ann good short']);
      await expect(store.notes.put(one, { by: 'ann', mark: 'good' })).rejects.toEqual(faultCode('run/unknown'));
      const long = { by: 'ann', mark: 'bad', text: 'x'.repeat(2001) } as const;
      await expect(store.notes.put(other, long)).rejects.toEqual(faultCode('usage'));
    });

    test('a blob that was never put is not there, whatever it is called', async () => {
      expect(await store.blobs.get('0'.repeat(64))).toBeUndefined();
      expect(await store.blobs.get('../runs')).toBeUndefined();
    });
  });
}
