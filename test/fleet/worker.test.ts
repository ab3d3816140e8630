// Workers on a real Postgres, in this process: who takes which run, and what becomes of it when a worker goes.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadCadre } from '../../src/definition/load.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { whyQueued } from '../../src/engine/fleet/queued.ts';
import { openWorker } from '../../src/engine/fleet/worker.ts';
import { newMessage } from '../../src/engine/handle.ts';
import { openEngine } from '../../src/engine/open.ts';
import { approvalsOf } from '../../src/engine/remote/waiting-approvals.ts';
import type { RunEvent } from '../../src/journal/event.ts';
import type { RunStore } from '../../src/journal/store.ts';
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { modelServer } from '../crash/support/model-server.ts';
import { emptied, freshStore } from '../support/postgres.ts';
import { expectDecidedByAda } from './untaken-verdict.ts';

const FILES: Readonly<Record<string, string>> = {
  'cadre.yaml': 'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}\ndefaults: {models: [demo/any]}\n',
  'demo.script.yaml': [
    'agents:',
    '  quick: [{answer: "You said {{input}}."}]',
    '  clerk: [{call: {list_files: {}}}, {when: {tool: list_files}, answer: "It was allowed."}]',
    `  talker: [{call: {list_files: {}}}, {when: {tool: list_files}, chunk: 20ms, answer: "${'word '.repeat(60)}end"}]`,
    '  slow: [{delay: 600ms, call: {list_files: {}}}, {answer: done}]',
  ].join('\n'),
  'quick.md': '---\ndescription: Answers.\n---\nAnswer.\n',
  'clerk.md': '---\ndescription: Asks.\ntools: [files]\napprove: [list_files]\n---\nAsk.\n',
  'talker.md': '---\ndescription: Talks.\ntools: [files]\napprove: [list_files]\n---\nTalk.\n',
  'slow.md': '---\ndescription: Is slow.\ntools: [files]\n---\nBe slow.\n',
};

const folders: string[] = [];
const closing: (() => Promise<void> | undefined)[] = [];
let address: string | undefined;
let front: Engine;
let folder: string;

function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const made = mkdtempSync(join(tmpdir(), 'cadre-fleet-'));
  folders.push(made);
  for (const [file, text] of Object.entries({ ...FILES, ...files })) writeFileSync(join(made, file), text);
  return made;
}

function opened(): RunStore {
  const store = postgresStore(address ?? '', { warn() {} });
  closing.push(() => store.close?.());
  return store;
}

/** Leaves what it starts to the workers. */
async function frontOf(at: string): Promise<Engine> {
  return openEngine(await loadCadre(at), { store: opened(), work: 'workers', warn() {} });
}

async function worker(
  options: Partial<Parameters<typeof openWorker>[0]> & { readonly at?: string } = {},
): Promise<Awaited<ReturnType<typeof openWorker>>> {
  const { at = folder, ...more } = options;
  const one = await openWorker({
    store: opened(),
    cadre: await loadCadre(at),
    labels: [],
    most: 10,
    anyConfig: false,
    log() {},
    ...more,
  });
  closing.unshift(() => one.drain(0)); // before its store is closed
  return one;
}

beforeEach(async () => {
  if (address === undefined) address = await freshStore();
  else await emptied(address);
  folder = folderWith();
  front = await frontOf(folder);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

const start = (agent: string, text = 'hello', engine = front) => engine.start({ agent, input: { text } });
const eventsOf = async (run: string): Promise<RunEvent[]> => {
  const events: RunEvent[] = [];
  for await (const event of front.events(run)) events.push(event);
  return events;
};
async function waitingOp(run: string): Promise<string> {
  for await (const event of front.events(run))
    if (event.type === 'op-start' && event.op.kind === 'approval') return event.path;
  throw new Error('it ended');
}

test('a run waits in the store until a worker takes it, and its summary says who that is', async () => {
  const run = await start('clerk');
  expect(await front.summary(run)).toMatchObject({ state: 'broken-off', queued: true });
  await worker({ name: 'north' });
  const op = await waitingOp(run);
  expect(await front.summary(run)).toMatchObject({ state: 'running', worker: 'north' });
  expect(await front.control(run, newMessage({ kind: 'verdict', op, approved: true }))).toBe('taken');
  expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'It was allowed.' });
  expect(await front.summary(run)).not.toHaveProperty('worker');
});

test('a run that stays queued says why', async () => {
  const store = opened();
  const why = async (run: string): Promise<string | undefined> =>
    (await whyQueued([await store.summary(run)], store)).get(run);
  const labelled = folderWith({ 'cadre.yaml': `${FILES['cadre.yaml']}engine: {label: gpu}\n` });
  const [clerk, gpu] = [await start('clerk'), await start('quick', 'x', await frontOf(labelled))];
  expect(await why(clerk)).toBe('no worker runs on this store');
  await worker({ name: 'north', most: 1 });
  const op = await waitingOp(clerk);
  expect(await why(clerk)).toBeUndefined();
  expect(await why(gpu)).toBe('1 worker, and it has no label gpu');
  const quick = await start('quick');
  expect(await why(quick)).toBe('worker north is full (1 of 1)');
  const other = folderWith({ 'cadre.yaml': `${FILES['cadre.yaml']}limits: {maxTurns: 9}\n` });
  const foreign = await start('quick', 'x', await frontOf(other));
  expect(await why(foreign)).toBe('refused by worker north: cadre.yaml differs');
  await front.control(clerk, newMessage({ kind: 'verdict', op, approved: true }));
  expect(await front.outcome(quick)).toMatchObject({ kind: 'answered' });
});

test('many runs are shared by two workers, each taken once', async () => {
  const [one, other] = [await worker({ most: 3 }), await worker({ most: 3 })];
  const runs = await Promise.all(Array.from({ length: 30 }, (_, index) => start('quick', String(index))));
  for (const [index, run] of runs.entries())
    expect(await front.outcome(run)).toMatchObject({ text: `You said ${index}.` });
  for (const run of runs) expect((await eventsOf(run)).filter(({ type }) => type === 'run-resume')).toHaveLength(1);
  await vi.waitFor(() => expect([one.atWork, other.atWork]).toEqual([0, 0]), 20_000);
});

test('a worker takes only runs of the agents that it was given', async () => {
  const [left, taken] = [await start('quick'), await start('slow')];
  await worker({ agents: ['slow'] });
  expect(await front.outcome(taken)).toMatchObject({ kind: 'answered' });
  expect(await front.summary(left)).toMatchObject({ queued: true });
});

test('runs that need a label go to workers that have it; others go to any', async () => {
  const labelled = folderWith({ 'cadre.yaml': `${FILES['cadre.yaml']}engine: {label: disk-a}\n` });
  const run = await start('quick', 'x', await frontOf(labelled));
  const without = await worker({ at: labelled, name: 'without' });
  const plain = await start('quick');
  await worker();
  await front.outcome(plain);
  expect(without.atWork).toBe(0);
  expect(await front.summary(run)).toMatchObject({ queued: true });
  await worker({ at: labelled, labels: ['disk-a'] });
  expect(await front.outcome(run)).toMatchObject({ kind: 'answered' });
});

test('a run that pinned another cadre.yaml is left alone, unless the worker takes any', async () => {
  const other = folderWith({ 'cadre.yaml': `${FILES['cadre.yaml']}limits: {maxTurns: 9}\n` });
  const run = await start('quick', 'x', await frontOf(other));
  const plain = await start('quick');
  await worker();
  await front.outcome(plain);
  expect(await front.summary(run)).toMatchObject({ queued: true });
  await worker({ anyConfig: true });
  expect(await front.outcome(run)).toMatchObject({ kind: 'answered' });
});

test('a store that lies about what a run pinned does not make a worker use it', async () => {
  const other = folderWith({ 'cadre.yaml': `${FILES['cadre.yaml']}limits: {maxTurns: 9}\n` });
  const run = await start('quick', 'x', await frontOf(other));
  const plain = await start('quick');
  const store = opened();
  const [config] = await Promise.all([readConfig(plain, store), store.summary(run)]);
  await store.fleet?.offer(run, { config });
  const told: string[] = [];
  await worker({ log: (text) => void told.push(text) });
  await vi.waitFor(
    () => expect(told.join('\n')).toContain(`run ${run} cannot go on here: It pinned another cadre.yaml`),
    20_000,
  );
  expect(await front.summary(run)).toMatchObject({ queued: true, events: 1 });
  const why = async () => (await whyQueued([await store.summary(run)], store)).get(run);
  await vi.waitFor(async () => expect(await why()).toMatch(/refused by worker .*: It pinned another/), 20_000);
});

async function readConfig(run: string, store: RunStore): Promise<string> {
  for await (const event of store.read(run)) if (event.type === 'run-start') return event.texts['cadre.yaml'] ?? '';
  return '';
}

test('keys and files come from the folder of the worker, not from where the run began', async () => {
  const run = await start('slow');
  const elsewhere = folderWith();
  rmSync(join(folder, 'demo.script.yaml'));
  await worker({ at: elsewhere });
  expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'done' });
  expect((await eventsOf(run))[0]).toMatchObject({ folder });
});

test('a worker that is asked to go lets its call end, and another goes on without making it again', async () => {
  const first = await worker();
  const run = await start('slow');
  for await (const event of front.events(run)) if (event.type === 'op-start' && event.op.kind === 'model') break;
  await first.drain(30_000);
  expect(await front.summary(run)).toMatchObject({ queued: true, inDoubt: 0 });
  await worker();
  expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'done' });
  const calls = (await eventsOf(run)).filter((event) => event.type === 'op-start' && event.op.kind === 'model');
  expect(calls).toHaveLength(2);
});

test('a run that waits for a person is let go at once, and the verdict is taken by the next worker', async () => {
  const first = await worker();
  const run = await start('clerk');
  const op = await waitingOp(run);
  await first.drain(30_000);
  expect(await front.control(run, newMessage({ kind: 'verdict', op, approved: true }))).toBe('waits');
  await worker();
  expect(await front.outcome(run)).toMatchObject({ text: 'It was allowed.' });
});

test('a verdict that no worker has taken yet is listed with who gave it, and a second one is refused', async () => {
  const first = await worker();
  const run = await start('clerk');
  const op = await waitingOp(run);
  await first.drain(0);
  const store = opened();
  expect(await approvalsOf(run, store)).toMatchObject({ waiting: [{ path: op }], untaken: [] });
  await expectDecidedByAda(front, store, run, op);
  await worker();
  expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'It was allowed.' });
  expect(await approvalsOf(run, store)).toMatchObject({ waiting: [], untaken: [] });
});

test('live text of a run reaches those who watch it from another process', async () => {
  await worker();
  const run = await start('talker');
  const op = await waitingOp(run);
  const texts: string[] = [];
  const watching = (async () => {
    for await (const event of front.live(run)) if (event.type === 'text') texts.push(event.text);
  })();
  await front.control(run, newMessage({ kind: 'verdict', op, approved: true }));
  const outcome = await front.outcome(run);
  await watching;
  const seen = texts.join('');
  expect(seen.length).toBeGreaterThan(0);
  expect(outcome).toMatchObject({ text: expect.stringContaining(seen) });
});

test('a provider takes no more calls at the same time than its limit says, over all workers', async () => {
  let underWay = 0;
  let most = 0;
  const server = await modelServer(
    () => ({ text: 'one two three' }),
    async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setTimeout(resolve, 30));
      underWay--;
    },
  );
  closing.push(() => server.close());
  const provider = `{kind: openai-compatible, baseUrl: "${server.baseUrl}", apiKey: none, concurrency: 2}`;
  const limited = folderWith({ 'cadre.yaml': `providers: {demo: ${provider}}\ndefaults: {models: [demo/any]}\n` });
  const engine = await frontOf(limited);
  await worker({ at: limited });
  await worker({ at: limited });
  const runs = await Promise.all(Array.from({ length: 12 }, () => start('quick', 'x', engine)));
  for (const run of runs) expect(await front.outcome(run)).toMatchObject({ kind: 'answered' });
  expect(server.requests).toHaveLength(12);
  expect(most).toBeLessThanOrEqual(2);
});

test('a worker says at its start where the files of other workers are, if that is another place', async () => {
  const told: string[] = [];
  await worker({ name: 'one' });
  await worker({ name: 'two', workspace: tmpdir(), log: (text) => void told.push(text) });
  expect(told.join('\n')).toContain(`${folder} (one)`);
  await expect(worker({ workspace: join(folder, 'nowhere') })).rejects.toThrow('is not a folder');
});
