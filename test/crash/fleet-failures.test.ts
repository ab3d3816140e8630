// A fleet where one thing fails in a way that kill -9 does not show: a worker that hangs, a worker that is cut off from
// the store and comes back, a server that dies, and messages to a run whose workers and database die.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { loadCadre } from '../../src/definition/load.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { replay } from '../../src/engine/history/replay.ts';
import { openEngine } from '../../src/engine/open.ts';
import type { RunEvent, RunId } from '../../src/journal/event.ts';
import type { RunStore } from '../../src/journal/store.ts';
import type { Mail } from '../../src/kernel/effect.ts';
import { services } from '../../src/run/services.ts';
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { freshStore, type PostgresServer, postgresServer, sql } from '../support/postgres.ts';
import { type TcpProxy, tcpProxy, through } from '../support/tcp-proxy.ts';
import { dice, tell } from './support/figures.ts';
import { kill, killServer, startServerProcess, startWorkerProcess, type WorkerProcess } from './support/fleet.ts';
import { type ModelServer, modelServer } from './support/model-server.ts';
import { eventsOf, modelCalls } from './support/victim.ts';

const ROUNDS = Number(process.env['CADRE_CRASH_ROUNDS'] ?? 1);
const MESSAGES = 25 * ROUNDS;
const TURNS = 5;
const KILLS = 5;

const figures = { hung: 0, cutOff: 0, kills: 0, zombieEvents: 0, asked: 0, answered: 0, recorded: 0, repeated: 0 };
const messages = { accepted: 0, lost: 0, twice: 0, unheard: 0, heardTwice: 0, kills: 0, crashes: 0 };

let server: PostgresServer;
let model: ModelServer;
let folder: string;
let address: string;
let store: RunStore;
let front: Engine;
const workers: WorkerProcess[] = [];

const LISTENER = [
  'agents:',
  '  listener:',
  '    - {when: {last: "that is all"}, answer: "I heard all of it."}',
  '    - {call: {list_files: {}}, delay: 15ms, repeat: true}',
].join('\n');

beforeAll(async () => {
  server = await postgresServer();
  model = await modelServer(({ turn }) => (turn < TURNS ? { calls: [['list_files', {}]] } : { text: 'It is done .' }));
  folder = mkdtempSync(join(tmpdir(), 'cadre-fleet-failures-'));
  const files = {
    'cadre.yaml': [
      'providers:',
      `  real: {kind: openai-compatible, baseUrl: "${model.baseUrl}", apiKey: none}`,
      '  demo: {kind: scripted, script: ./demo.script.yaml}',
      'limits: {maxTurns: 10000}',
    ].join('\n'),
    'demo.script.yaml': LISTENER,
    'asker.md': '---\ndescription: Asks.\nmodels: [real/m]\ntools: [files]\n---\nYou are asker.\n',
    'listener.md':
      '---\ndescription: Listens.\nmodels: [demo/any]\ntools: [files]\nmaxTurns: 10000\nstuck: off\n---\nListen.\n',
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
});
afterEach(async () => {
  for (const { child } of workers) child.kill('SIGCONT');
  for (const one of workers.splice(0)) await kill(one);
  await front.close();
  await store.close?.();
});
afterAll(async () => {
  await model.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
  tell('The fleet: calls counted at a model server, while workers hang, are cut off and die', [
    ['workers stopped with SIGSTOP, and woken after another had their run', figures.hung],
    ['workers cut off from the database, and back after another had their run', figures.cutOff],
    ['kills survived', figures.kills],
    ['events of a worker that had lost its run, in the record', figures.zombieEvents],
    ['requests that reached the model', figures.asked],
    ['of these, ended at the model', figures.answered],
    ['model calls recorded', figures.recorded],
    ['ended at the model and not recorded, so made again', figures.answered - figures.recorded],
    ['finished model calls repeated', figures.repeated],
  ]);
  tell('The fleet: messages to a run, under kill -9 of its workers and crashes of the database', [
    ['messages accepted', messages.accepted],
    ['accepted messages lost', messages.lost],
    ['messages taken twice', messages.twice],
    ['messages taken and not heard', messages.unheard],
    ['messages heard twice', messages.heardTwice],
    ['kills survived', messages.kills],
    ['crashes of the database survived', messages.crashes],
  ]);
});

async function open(): Promise<void> {
  address = await freshStore(server);
  store = postgresStore(address, { warn() {} });
  front = await openEngine(await loadCadre(folder), { store, work: 'workers', warn() {} });
}

async function worker(name: string, at = address): Promise<WorkerProcess> {
  const one = startWorkerProcess({ folder, store: at, name });
  workers.push(one);
  await one.ready;
  return one;
}

/** Settles after so many finished model calls. */
async function calls(run: RunId, count: number): Promise<void> {
  let seen = 0;
  for await (const event of front.events(run)) {
    if (event.type === 'op-end' && event.kind === 'model') seen++;
    if (seen === count) return;
  }
}

/** Moves the last sign of a worker 20 seconds back. */
const unseen = (name: string) =>
  sql(address, "update cadre_holder set seen_at = clock_timestamp() - interval '20 seconds' where name = $1", [name]);

async function endedWell(run: RunId, before: { readonly asked: number; readonly answered: number }): Promise<void> {
  expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'It is done .' });
  const events = await eventsOf(store, run);
  expect(await replay(events, await loadCadre(folder), services)).toMatchObject({ kind: 'identical', ended: true });
  const { finished, repeated } = modelCalls(events);
  expect({ finished, repeated }).toEqual({ finished: TURNS, repeated: 0 });
  figures.asked += model.requests.length - before.asked;
  figures.answered += model.answered - before.answered;
  figures.recorded += finished;
  figures.repeated += repeated;
}

/** A worker that lost its run and can write again changes nothing. */
async function wakesInVain(run: RunId, zombie: WorkerProcess, wake: () => void): Promise<void> {
  const before = await eventsOf(store, run);
  wake();
  await kill(zombie, 'SIGTERM');
  const after = await eventsOf(store, run);
  figures.zombieEvents += after.length - before.length;
  expect(after).toEqual(before);
}

test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  'a worker that hangs loses its run to another, and writes nothing when it wakes up (%i)',
  { timeout: 120_000 },
  async (round) => {
    await open();
    const before = { asked: model.requests.length, answered: model.answered };
    const run = await front.start({ agent: 'asker', input: { text: 'go' } });
    const zombie = await worker('a');
    await calls(run, 1 + (round % (TURNS - 1)));
    zombie.child.kill('SIGSTOP');
    await worker('b');
    await unseen('a');
    await endedWell(run, before);
    await wakesInVain(run, zombie, () => zombie.child.kill('SIGCONT'));
    figures.hung++;
  },
);

test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  'a worker that is killed again and again pays twice only for what it could not record (%i)',
  { timeout: 120_000 },
  async (round) => {
    await open();
    const roll = dice(round + 1);
    const before = { asked: model.requests.length, answered: model.answered };
    const run = await front.start({ agent: 'asker', input: { text: 'go' } });
    let isOver = false;
    const outcome = front.outcome(run).finally(() => (isOver = true));
    for (let kills = 0; kills < KILLS && !isOver; kills++) {
      const one = await worker('a');
      await Promise.race([setTimeout(roll(150)), outcome]);
      await kill(one);
      figures.kills++;
    }
    await worker('b');
    await outcome;
    await endedWell(run, before);
  },
);

test.each(Array.from({ length: ROUNDS }, (_, round) => (round % 2 === 0 ? 'silence' : 'cut') as 'silence' | 'cut'))(
  'a worker that is cut off from the store loses its run, and writes nothing when it is back (%s)',
  { timeout: 120_000 },
  async (how) => {
    await open();
    const { hostname, port } = new URL(address);
    const proxy: TcpProxy = await tcpProxy({ host: hostname, port: Number(port) });
    const before = { asked: model.requests.length, answered: model.answered };
    const run = await front.start({ agent: 'asker', input: { text: 'go' } });
    const zombie = await worker('a', through(proxy, address));
    await calls(run, 2);
    proxy[how]();
    await worker('b');
    await unseen('a');
    await endedWell(run, before);
    await wakesInVain(run, zombie, () => proxy.heal());
    await proxy.close();
    figures.cutOff++;
  },
);

test('a server that dies takes no run with it, and the next one shows how it ended', { timeout: 120_000 }, async () => {
  await open();
  const first = await startServerProcess(folder, address);
  const run = await startOver(first.url);
  await worker('a');
  await calls(run, 1);
  await killServer(first);
  figures.kills++;
  const second = await startServerProcess(folder, address);
  await front.outcome(run);
  const answered = await fetch(`${second.url}/api/runs/${run}/events`, { headers: { accept: 'application/x-ndjson' } });
  const last: unknown = JSON.parse((await answered.text()).trim().split('\n').at(-1) ?? '{}');
  expect(last).toMatchObject({ event: { type: 'run-end', outcome: { kind: 'answered' } } });
  await killServer(second);
});

async function startOver(url: string): Promise<RunId> {
  const answer = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'asker', input: 'go' }),
  });
  return ((await answer.json()) as { readonly run: RunId }).run;
}

test('a message to a run is taken once and heard once, whatever dies', { timeout: 120_000 * ROUNDS }, async () => {
  await open();
  const roll = dice(42);
  const run = await front.start({ agent: 'listener', input: { text: 'listen' } });
  let isSending = true;
  const disturbing = (async () => {
    while (isSending) {
      const one = startWorkerProcess({ folder, store: address, name: 'a' });
      await one.ready;
      await setTimeout(200 + roll(700));
      if (messages.kills % 4 === 1) {
        await server.crash();
        await server.start();
        messages.crashes++;
      }
      await kill(one);
      messages.kills++;
    }
  })();
  const accepted: string[] = [];
  for (let number = 0; number < MESSAGES; number++) {
    const id = `m${number}`;
    await front.control(run, { id, kind: 'send', text: `message <${number}>` });
    accepted.push(id);
    await setTimeout(roll(120));
  }
  isSending = false;
  await disturbing;
  await worker('b');
  await front.control(run, { id: 'last', kind: 'send', text: 'that is all' });
  expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'I heard all of it.' });
  const events = await eventsOf(store, run);
  const taken = events.filter((event) => event.type === 'control').map(({ message }) => message.id);
  const heard = heardIn(events);
  messages.accepted += accepted.length + 1;
  messages.lost += ['last', ...accepted].filter((id) => !taken.includes(id)).length;
  messages.twice += taken.length - new Set(taken).size;
  messages.heardTwice += heard.length - new Set(heard).size;
  messages.unheard += accepted.filter((id) => !heard.includes(`message <${id.slice(1)}>`)).length;
  expect(messages).toMatchObject({ lost: 0, twice: 0, unheard: 0, heardTwice: 0 });
  expect(await replay(events, await loadCadre(folder), services)).toMatchObject({ kind: 'identical', ended: true });
});

const heardIn = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'op' && event.kind === 'take'
      ? (event.value as Mail).messages.map(({ text }) => text).filter((text) => text.startsWith('message <'))
      : [],
  );
