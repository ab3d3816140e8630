// The time without anybody at a run: from the kill of its worker to the first event of the worker that takes it. Another
// worker waits for work meanwhile, on idle and on busy cores.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCadre } from '../../src/definition/load.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open.ts';
import type { RunId } from '../../src/journal/event.ts';
import type { RunStore } from '../../src/journal/store.ts';
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { freshStore, type PostgresServer, postgresServer } from '../support/postgres.ts';
import { dice, type Figure, tell } from './support/figures.ts';
import { kill, startWorkerProcess, type WorkerProcess } from './support/fleet.ts';
import { idle, onBusyCores, shareAt } from './support/record-times.ts';
import { eventsOf, modelCalls } from './support/victim.ts';

const ROUNDS = Number(process.env['CADRE_CRASH_ROUNDS'] ?? 1);
const KILLS = 3 * ROUNDS;

const figures: Figure[] = [];
const workers: WorkerProcess[] = [];
let server: PostgresServer;
let folder: string;

beforeAll(async () => {
  server = await postgresServer();
  folder = mkdtempSync(join(tmpdir(), 'cadre-take-over-times-'));
  const files = {
    'cadre.yaml': 'providers: { demo: { kind: scripted, script: ./s.yaml } }\nlimits: { maxTurns: 10000 }\n',
    's.yaml': [
      'agents:',
      '  listener:',
      '    - { when: { last: "that is all" }, answer: "I heard all of it." }',
      '    - { call: { list_files: {} }, delay: 60ms, repeat: true }',
    ].join('\n'),
    'listener.md':
      '---\ndescription: Listens.\nmodels: [demo/any]\ntools: [files]\nmaxTurns: 10000\nstuck: off\n---\nListen.\n',
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
});
afterAll(async () => {
  for (const one of workers) await kill(one);
  await server.close();
  rmSync(folder, { recursive: true, force: true });
  tell('The fleet: from the kill of a worker to the first event of the next one', figures);
});

test.each([
  ['killed', idle],
  ['killed on busy cores', onBusyCores],
] as const)(
  'the run of a worker goes on at the one that waits: %s',
  { timeout: 120_000 * ROUNDS },
  async (name, on) => {
    const address = await freshStore(server);
    const store = postgresStore(address, { warn() {} });
    const front = await openEngine(await loadCadre(folder), { store, work: 'workers', warn() {} });
    try {
      const times = await on(() => takeOvers(address, store, front));
      expect(times).toHaveLength(KILLS);
      figures.push(
        [`${name}: workers`, times.length],
        [`${name}: p50 · worst, in ms`, [shareAt(times, 0.5), shareAt(times, 1)].join(' · ')],
      );
    } finally {
      await front.close();
      await store.close?.();
    }
  },
);

/** Kills the worker of a run again and again, while the next one waits. Returns the times in milliseconds. */
async function takeOvers(address: string, store: RunStore, front: Engine): Promise<readonly number[]> {
  const roll = dice(28);
  const start = async (index: number): Promise<WorkerProcess> => {
    const one = startWorkerProcess({ folder, store: address, name: `worker-${index}` });
    workers.push(one);
    await one.ready;
    return one;
  };
  let worker = await start(0);
  const run = await front.start({ agent: 'listener', input: { text: 'Listen.' } });
  const killed: number[] = [];
  for (let index = 1; index <= KILLS; index++) {
    await takenUp(front, run, index);
    const next = await start(index); // the only one that waits
    await setTimeout(roll(200)); // the kill comes at any moment of its work
    killed.push(Date.now());
    await kill(worker);
    worker = next;
  }
  await takenUp(front, run, KILLS + 1);
  await front.control(run, { id: 'last', kind: 'send', text: 'that is all' });
  expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'I heard all of it.' });
  await kill(worker);
  const events = await eventsOf(store, run);
  expect(modelCalls(events).repeated).toBe(0);
  const [, ...taken] = events.filter(({ type }) => type === 'run-resume'); // the first one took it from the line
  expect(taken).toHaveLength(KILLS);
  return taken.map(({ at }, index) => at - (killed[index] ?? Number.NaN));
}

/** Settles when the run was taken up so many times, and a model call has ended since. */
async function takenUp(front: Engine, run: RunId, count: number): Promise<void> {
  let seen = 0;
  for await (const event of front.events(run)) {
    if (event.type === 'run-resume') seen++;
    if (seen === count && event.type === 'op-end' && event.kind === 'model') return;
  }
}
