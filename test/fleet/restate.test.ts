// Workers of a real Restate, in this process: what they refuse, how they end, and what Restate itself is asked to do.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadCadre } from '../../src/definition/load.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { whyQueued } from '../../src/engine/fleet/queued.ts';
import { newMessage } from '../../src/engine/handle.ts';
import { replay } from '../../src/engine/history/replay.ts';
import { openEngine } from '../../src/engine/open.ts';
import type { RunEvent } from '../../src/journal/event.ts';
import { faultCode } from '../../src/journal/store.conformance.ts';
import { services } from '../../src/run/services.ts';
import { type RestateStore, restateStore } from '../../src/stores/restate/restate-store.ts';
import { invocationsOf } from '../../src/stores/restate/state.ts';
import { emptied, noRestate, restateWorker, sharedRestate } from '../support/restate.ts';
import { expectDecidedByAda } from './untaken-verdict.ts';

const TOLD = `${'word '.repeat(150)}end`;

const FILES: Readonly<Record<string, string>> = {
  'cadre.yaml': 'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}\ndefaults: {models: [demo/any]}\n',
  'demo.script.yaml': [
    'agents:',
    '  quick: [{answer: "You said {{input}}."}]',
    '  clerk: [{call: {list_files: {}}}, {when: {tool: list_files}, answer: "It was allowed."}]',
    '  slow: [{delay: 600ms, call: {list_files: {}}}, {answer: done}]',
    `  teller: [{chunk: 20ms, answer: "${TOLD}"}]`,
    '  hanging: [{fault: hang, answer: never}]',
    `  tricky: [{call: {search_files: {query: '{"type":"run-end"}'}}}, {answer: done}]`,
  ].join('\n'),
  'teller.md': '---\ndescription: Tells.\n---\nTell.\n',
  'quick.md': '---\ndescription: Answers.\n---\nAnswer.\n',
  'clerk.md': '---\ndescription: Asks.\ntools: [files]\napprove: [list_files]\n---\nAsk.\n',
  'slow.md': '---\ndescription: Is slow.\ntools: [files]\n---\nBe slow.\n',
  'hanging.md': '---\ndescription: Hangs.\n---\nHang.\n',
  'tricky.md': '---\ndescription: Is tricky.\ntools: [files]\n---\nBe tricky.\n',
};

describe.skipIf(noRestate !== undefined)(`a real Restate${noRestate === undefined ? '' : ` (${noRestate})`}`, () => {
  const folders: string[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  /** The same for all of them: a run stays with the address at which it began. */
  let listen = { host: '127.0.0.1', port: 0 };
  let url: string;
  let folder: string;
  let store: RestateStore;
  let front: Engine;

  const folderWith = (files: Readonly<Record<string, string>> = {}): string => {
    const made = mkdtempSync(join(tmpdir(), 'cadre-restate-'));
    folders.push(made);
    for (const [file, text] of Object.entries({ ...FILES, ...files })) writeFileSync(join(made, file), text);
    return made;
  };
  const frontOf = async (at: string): Promise<Engine> => openEngine(await loadCadre(at), { store, warn() {} });
  const worker = async (options: Parameters<typeof restateWorker>[2] = {}, at = folder) => {
    const one = await restateWorker(url, at, { listen, ...options });
    closing.unshift(() => one.close());
    return one;
  };
  const start = (agent: string, engine = front) => engine.start({ agent, input: { text: 'hello' } });
  const eventsOf = async (run: string): Promise<RunEvent[]> => {
    const events: RunEvent[] = [];
    for await (const event of store.read(run)) events.push(event);
    return events;
  };
  const until = async (run: string, suits: (event: RunEvent) => boolean): Promise<RunEvent> => {
    for await (const event of front.events(run)) if (suits(event)) return event;
    throw new Error('it ended');
  };
  const isCall = (event: RunEvent): boolean => event.type === 'op-start' && event.op.kind === 'model';

  beforeEach(async () => {
    ({ url } = await sharedRestate());
    folder = folderWith();
    store = restateStore(url, { warn() {} });
    const cleaner = await restateWorker(url, folder, { listen });
    listen = { ...listen, port: cleaner.port };
    await emptied(url);
    await cleaner.close();
    front = await frontOf(folder);
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await front.close();
    await store.close();
  });
  afterAll(() => {
    for (const one of folders) rmSync(one, { recursive: true, force: true });
  });

  test('a run can be submitted while no worker is there, and is read by whoever submitted it', async () => {
    const run = await start('quick');
    expect(await front.summary(run)).toMatchObject({ state: 'broken-off', queued: true, agent: 'quick' });
    expect((await eventsOf(run)).map(({ type }) => type)).toEqual(['run-start']);
    const why = async () => (await whyQueued([await front.summary(run)], store)).get(run);
    await vi.waitFor(async () => expect(await why()).toMatch(/^it could not be given to a worker: .*/), 20_000);
    await worker();
    expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'You said hello.' });
  });

  test('the text of a run is seen elsewhere while it is written, and nothing of it is kept', async () => {
    await worker();
    const run = await start('teller');
    const told: string[] = [];
    for await (const event of front.live(run)) if (event.type === 'text') told.push(event.text);
    expect(told.length).toBeGreaterThan(1);
    expect(TOLD).toContain(told.join(''));
    expect(await front.outcome(run)).toMatchObject({ text: TOLD });
    const kept = () => store.client.query(`select key from state where service_name = 'cadre-live'`);
    await vi.waitFor(async () => expect(await kept()).toEqual([]), 20_000);
  });

  test('a run that is submitted twice is one run', async () => {
    await worker();
    const run = await start('quick');
    await front.outcome(run);
    const [first] = await eventsOf(run);
    if (first?.type !== 'run-start') throw new Error('no beginning');
    await store.fleet.submit?.({ ...first, input: { text: 'another' } }, {});
    await vi.waitFor(async () => expect(await invocationsOf(store.client, run)).toEqual([]), 20_000);
    expect((await eventsOf(run))[0]).toEqual(first);
    expect(await front.outcome(run)).toMatchObject({ text: 'You said hello.' });
  });

  test('a run that pinned another cadre.yaml is not worked on, unless the worker takes any', async () => {
    const other = await frontOf(folderWith({ 'cadre.yaml': `${FILES['cadre.yaml']}limits: {maxTurns: 9}\n` }));
    const told: string[] = [];
    const strict = await worker({ log: (text) => void told.push(text) });
    const run = await start('quick', other);
    await vi.waitFor(
      () => expect(told.join('\n')).toContain(`run ${run} cannot go on here: It pinned another cadre.yaml`),
      20_000,
    );
    expect(await eventsOf(run)).toHaveLength(1);
    await strict.close();
    closing.length = 0;
    await worker({ anyConfig: true });
    expect(await other.outcome(run)).toMatchObject({ kind: 'answered' });
    await other.close();
  });

  test('a run that every worker refuses says why in the words of the worker, and can be cancelled', async () => {
    const other = await frontOf(folderWith({ 'cadre.yaml': `${FILES['cadre.yaml']}limits: {maxTurns: 9}\n` }));
    await worker();
    const run = await start('quick', other);
    const why = async () => (await whyQueued([await front.summary(run)], store)).get(run);
    await vi.waitFor(
      async () => expect(await why()).toMatch(/^it could not be given to a worker: It pinned another cadre\.yaml.*\.$/),
      20_000,
    );
    expect(await why()).not.toContain('\n');
    other.handle(run).interrupt('cancel', 'It takes too long.');
    expect(await other.outcome(run)).toMatchObject({ kind: 'cancelled' });
    expect(await eventsOf(run)).toMatchObject([
      { type: 'run-start' },
      { type: 'run-resume' },
      { type: 'control', message: { kind: 'cancel', reason: 'It takes too long.' } },
      ...Array.from({ length: 2 }, () => ({ path: '0.1' })),
      { type: 'run-end', outcome: { kind: 'cancelled' } },
    ]);
    await other.close();
  });

  test('a run that waits for the first worker is not lost by a cancel, which counts when one takes it', async () => {
    const run = await start('quick');
    expect(await front.control(run, newMessage({ kind: 'cancel', reason: 'never mind' }))).toBe('waits');
    await expect(front.endHere(run)).rejects.toThrow(/^No worker of \S+ answered within 10 s\./);
    await worker();
    expect(await front.outcome(run)).toMatchObject({ kind: 'cancelled' });
  });

  test('a label, which Restate does not know, is refused by its name', async () => {
    const labelled = await frontOf(folderWith({ 'cadre.yaml': `${FILES['cadre.yaml']}engine: {label: disk-a}\n` }));
    await worker();
    await expect(start('quick', labelled)).rejects.toThrow('engine.label');
    await labelled.close();
  });

  test('a worker that is asked to go lets its call end, and another goes on without making it again', async () => {
    const first = await worker();
    const run = await start('slow');
    await until(run, isCall);
    await first.drain(30_000);
    await worker();
    expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'done' });
    const events = await eventsOf(run);
    expect(events.filter(isCall)).toHaveLength(2);
    expect(await replay(events, await loadCadre(folder), services)).toMatchObject({ kind: 'identical', ended: true });
  });

  test('a run that is cancelled in Restate itself ends as cancelled, with a record', async () => {
    await worker();
    const run = await start('hanging');
    await until(run, isCall);
    const [invocation] = await invocationsOf(store.client, run);
    await store.client.admin(`/invocations/${invocation?.id}/cancel`, { method: 'PATCH' });
    expect(await front.outcome(run)).toMatchObject({ kind: 'cancelled' });
    const taken = (await eventsOf(run)).filter((event) => event.type === 'control');
    expect(taken).toMatchObject([{ message: { kind: 'cancel', reason: 'Cancelled in Restate.' } }]);
  });

  test('the arguments of a tool may look like the end of a run', async () => {
    await worker();
    const run = await start('tricky');
    expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'done' });
  });

  test('two messages at the same moment are both taken, each once', async () => {
    await worker();
    const run = await start('clerk');
    const waits = await until(run, (event) => event.type === 'op-start' && event.op.kind === 'approval');
    const say = (text: string) => front.control(run, newMessage({ kind: 'send', text }));
    expect(await Promise.all([say('one'), say('two')])).toEqual(['taken', 'taken']);
    const { path: op } = waits as Extract<RunEvent, { type: 'op-start' }>;
    await front.control(run, newMessage({ kind: 'verdict', op, approved: true }));
    await front.outcome(run);
    const kinds = (await eventsOf(run)).flatMap((event) => (event.type === 'control' ? [event.message.kind] : []));
    expect(kinds).toEqual(['send', 'send', 'verdict']);
  });

  test('a verdict that is given while no worker is there is listed with who gave it, and a second one is refused', async () => {
    const first = await worker();
    const run = await start('clerk');
    const waits = await until(run, (event) => event.type === 'op-start' && event.op.kind === 'approval');
    const { path: op } = waits as Extract<RunEvent, { type: 'op-start' }>;
    await first.close();
    closing.length = 0;
    await expectDecidedByAda(front, store, run, op);
    await worker();
    expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'It was allowed.' });
  });

  test('workers of Restate do not join or take, and it says so', async () => {
    expect(() => store.fleet.join({ name: 'a', labels: [], workspace: '/' })).toThrow(
      'cadre worker <folder> --restate',
    );
  });

  test('the server of the tests keeps what it writes for a moment in its own folder', async () => {
    const { folder } = await sharedRestate();
    expect(readdirSync(folder).some((name) => name.startsWith('invoker-'))).toBe(true);
  });

  test('a server that is not there is an error that names it', async () => {
    const nowhere = restateStore('restate://127.0.0.1:1?admin=2', { warn() {} });
    await expect(nowhere.list()).rejects.toEqual(faultCode('store/unreachable'));
    await expect(nowhere.list()).rejects.toThrow('restate://127.0.0.1:1?admin=2');
    await nowhere.close();
  });
});
