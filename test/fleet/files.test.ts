// Files of the largest sizes on the stores of a fleet: given to the built command, shown to a model by a worker in another
// process, replayed and pruned.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takeFiles } from '../../src/engine/files/take-files.ts';
import { readAll } from '../../src/engine/pinned.ts';
import { pruneRuns } from '../../src/journal/prune.ts';
import { faultCode } from '../../src/journal/store.conformance.ts';
import type { RunStore } from '../../src/journal/store.ts';
import type { FileRef } from '../../src/kernel/file-ref.ts';
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { restateStore } from '../../src/stores/restate/restate-store.ts';
import { command, kill, startWorkerProcess } from '../crash/support/fleet.ts';
import { restateFleet } from '../crash/support/restate-fleet.ts';
import { pdfOf, png, pngOf } from '../support/media.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { freshStore, sql } from '../support/postgres.ts';
import { noRestate, restateServer, restateWorker } from '../support/restate.ts';

const MEBI = 1_048_576;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The most of a PDF, and with it the most of a request. */
const PAPER = pdfOf(20 * MEBI);
const SHOT = pngOf(4 * MEBI);

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const root = mkdtempSync(join(tmpdir(), 'cadre-large-'));
const folder = join(root, 'agents');
const file = (name: string): string => join(root, name);
let model: ModelServer;

beforeAll(async () => {
  model = await modelServer(() => ({ text: 'I see both.' }));
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'cadre.yaml'),
    [
      `providers: { far: { kind: openai-compatible, baseUrl: "${model.base('openai-compatible')}", apiKey: key } }`,
      'models: { eyes: { use: far/m, sees: [image, pdf] } }',
      'defaults: { models: [eyes] }',
    ].join('\n'),
  );
  writeFileSync(join(folder, 'reader.md'), '---\ndescription: Reads.\n---\nRead.\n');
  writeFileSync(file('shot.png'), SHOT);
  writeFileSync(file('paper.pdf'), PAPER);
});
afterAll(async () => {
  await model.close();
  rmSync(root, { recursive: true, force: true });
});

interface LargeFiles {
  readonly address: string;
  readonly store: RunStore;
  /** Puts files into the store as they would lie there if that had been a day and an hour ago. */
  aged(put: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

async function onPostgres(): Promise<LargeFiles> {
  const address = await freshStore();
  const store = postgresStore(address, { warn() {} });
  const worker = startWorkerProcess({ folder, store: address, name: 'w1' });
  await worker.ready;
  return {
    address,
    store,
    async aged(put) {
      await put();
      await sql(address, `update cadre_cell set put_at = put_at - interval '25 hours' where space = 'uploads'`);
      await sql(address, `update cadre_blob set put_at = put_at - interval '25 hours'`);
    },
    async close() {
      await kill(worker);
      await store.close?.();
    },
  };
}

async function onRestate(): Promise<LargeFiles> {
  const fleet = await restateFleet();
  await fleet.begin(0, folder);
  await fleet.well(1);
  return {
    address: fleet.server.url,
    store: fleet.store,
    async aged(put) {
      await fleet.kill(0);
      await fleet.begin(0, folder, -DAY_MS - HOUR_MS); // the time of a cell is that of the worker that put it
      await fleet.well(1);
      await put();
      await fleet.kill(0);
      await fleet.begin(0, folder);
      await fleet.well(1);
    },
    close: () => fleet.close(),
  };
}

const MOST_MS = 180_000;

/** The files of a request, as the model got them. */
function filesIn(server: ModelServer): readonly string[] {
  const text = JSON.stringify(server.asked.at(-1)?.body);
  const data = text.split(';base64,').slice(1); // an expression over megabytes overflows the stack of a worker thread
  return data.map((rest) => digestOf(Buffer.from(rest.slice(0, rest.indexOf('"')), 'base64')));
}

describe.each([
  ['Postgres', onPostgres, undefined],
  ['Restate', onRestate, noRestate],
] as const)('on a real %s', (_, open, missing) => {
  test.skipIf(missing !== undefined)(
    'a picture of 4 MiB and a PDF of 20 MiB are shown by a worker, replayed without bytes, and go with their run',
    { timeout: MOST_MS },
    async () => {
      const at = await open();
      try {
        const asked = ['reader', 'What is it?', '--file', file('shot.png'), '--file', file('paper.pdf')];
        const begun = await command(['run', ...asked, '--dir', folder, '--detach', '--json'], at.address);
        expect(begun.code, begun.out).toBe(0);
        const { run } = JSON.parse(begun.out.split('\n').find((line) => line.startsWith('{')) ?? '') as { run: string };
        for await (const event of at.store.follow(run, 0, AbortSignal.timeout(MOST_MS)))
          if (event.type === 'run-end') expect(event.outcome).toMatchObject({ kind: 'answered', text: 'I see both.' });
        expect(filesIn(model)).toEqual([digestOf(SHOT), digestOf(PAPER)]);

        const events = await readAll(run, at.store);
        expect(JSON.stringify(events).length).toBeLessThan(20_000);
        expect(events[0]).toMatchObject({
          input: {
            files: [
              { digest: digestOf(SHOT), width: 64 },
              { digest: digestOf(PAPER), pages: 1 },
            ],
          },
        });
        const replayed = await command(['replay', run], at.address);
        expect(replayed.out).toContain('identical');

        const before = Date.now() + 2 * HOUR_MS; // so old that no process is about to name it
        expect((await pruneRuns(at.store, { keep: 1 }, before)).runs).toBe(0);
        expect(await at.store.blobs.get(digestOf(PAPER))).toBeDefined();
        expect(await pruneRuns(at.store, {}, before)).toMatchObject({ runs: 1, blobs: { kept: { count: 0 } } });
        expect(await at.store.blobs.get(digestOf(PAPER))).toBeUndefined();
      } finally {
        await at.close();
      }
    },
  );

  test.skipIf(missing !== undefined)(
    'a file that no run named goes a day later with the next upload, and a younger one stays',
    { timeout: MOST_MS },
    async () => {
      const at = await open();
      try {
        const taker = { uploads: at.store.uploads, owner: 'me' };
        const upload = async (name: string, data: Uint8Array) => {
          const { files } = await takeFiles([{ name, data }], taker);
          return files[0]?.digest ?? '';
        };
        const old = pdfOf(5 * MEBI);
        const orphan = digestOf(old);
        const ref: FileRef = { digest: orphan, type: 'application/pdf', name: 'old.pdf', bytes: old.length, pages: 1 };
        await at.aged(() => at.store.uploads.put('me', ref, old));
        expect(await at.store.blobs.get(orphan)).toBeDefined();
        const young = await upload('young.png', png(6, 6));
        expect(await at.store.blobs.get(orphan)).toBeUndefined();
        expect(await at.store.blobs.get(young)).toBeDefined();
        expect(await at.store.uploads.get('me', orphan)).toBeUndefined();
      } finally {
        await at.close();
      }
    },
  );
});

describe.skipIf(noRestate !== undefined)('a Restate server with small messages', () => {
  test.each([
    ['networking', 'RESTATE_NETWORKING__MESSAGE_SIZE_LIMIT=8MB'],
    ['worker.invoker', 'RESTATE_WORKER__INVOKER__MESSAGE_SIZE_LIMIT=8MB'],
  ])('refuses a large file by %s with its way out, and takes a small one', { timeout: MOST_MS }, async (_, setting) => {
    const server = await restateServer([setting]);
    const store = restateStore(server.url, { warn() {}, answerMs: 5000 });
    const worker = await restateWorker(server.url, folder);
    try {
      const bytes = new Uint8Array(pdfOf(12 * MEBI));
      for (const tried of ['once', 'again']) {
        const refused = store.blobs.put(bytes);
        await expect(refused, tried).rejects.toEqual(faultCode('journal/write'));
        await expect(refused).rejects.toThrow(/message-size-limit.* or keep the runs in a folder or in Postgres/);
      }
      await expect.poll(() => store.blobs.get(digestOf(bytes)), { timeout: 20_000 }).toBeUndefined();
      const small = await store.blobs.put(png(5, 5));
      expect(await store.blobs.get(small)).toBeDefined();
    } finally {
      await worker.close();
      await store.close();
      await server.close();
    }
  });
});
