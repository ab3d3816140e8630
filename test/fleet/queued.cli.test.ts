// The command line about a run in a real Postgres that no worker has: the reason why it waits, and the verdict that
// waits with it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCadre } from '../../src/definition/load.ts';
import { openWorker } from '../../src/engine/fleet/worker.ts';
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { type Folder, folderWith, type Ran } from '../support/cli.ts';
import { freshStore } from '../support/postgres.ts';

let address: string;
let folder: Folder;

beforeAll(async () => {
  address = await freshStore();
  folder = folderWith({
    'cadre.yaml': 'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}\ndefaults: {models: [demo/any]}\n',
    'demo.script.yaml': 'agents: {clerk: [{call: {list_files: {}}}, {answer: done}]}\n',
    'clerk.md': '---\ndescription: Asks.\ntools: [files]\napprove: [list_files]\n---\nAsk.\n',
  });
});
afterAll(() => folder.remove());

const cadre = (...args: readonly string[]): Promise<Ran> =>
  folder.cadre(args, { env: { CADRE_STORE: address, USER: 'ada' } });

/** Works on the run until it waits for a person, and goes. */
async function parked(run: string): Promise<void> {
  const store = postgresStore(address, { warn() {} });
  const settings = { labels: [], most: 1, anyConfig: false, log() {} };
  const worker = await openWorker({ store, cadre: await loadCadre(folder.path), ...settings });
  for await (const event of store.follow(run, 0, AbortSignal.timeout(20_000)))
    if (event.type === 'op-start' && event.op.kind === 'approval') break;
  await worker.drain(0);
  await store.close?.();
}

test('a run without a worker says why it waits, and a verdict for it is listed until it is taken', async () => {
  const run = (await cadre('run', 'clerk.md', 'go', '--detach')).stdout.trim();
  const { stdout: shown } = await cadre('show', run);
  expect(shown).toContain('queued: no worker runs on this store');
  expect(shown).not.toContain('in-doubt'); // nothing of it has begun
  expect((await cadre('runs')).stderr).toContain(`queued: no worker runs on this store (${run})`);
  expect(JSON.parse((await cadre('runs', '--json')).stdout)).toMatchObject([
    { run, queued: true, queuedWhy: 'no worker runs on this store' },
  ]);
  await parked(run);

  expect((await cadre('approvals')).stdout).toContain(`cadre approve ${run}`);
  const given = await cadre('approve', run, '--note', 'It is cheap.');
  expect(given.stderr).toContain('the answer counts when a worker takes the run');
  const listed = await cadre('approvals');
  expect(listed.stdout).toMatch(/approved( by \S+)? \(It is cheap\.\), not taken yet/);
  expect(listed.stdout).not.toContain(`cadre approve ${run}`);
  const second = await cadre('approve', run, '--deny');
  expect(second.stderr).toMatch(/was decided already: approved/);
  expect(second.exit).not.toBe(0);
});

test('an address that a command prints has no password in it', async () => {
  const secret = decodeURIComponent(new URL(address).password);
  const run = await folder.cadre(['run', 'clerk.md', 'go', '--store', address]);
  expect(run.exit).toBe(0);
  const forked = await folder.cadre(['fork', 'last', '--at', '0.1', '--store', address]);
  expect(forked.exit).toBe(0);
  const refused = await folder.cadre(['runs', '--engine', 'restate', '--store', address]);
  expect(refused.stderr).toContain('not in --store postgres://cadre@');
  for (const { stderr } of [run, forked]) expect(stderr).toMatch(/cadre show \S+ --store postgres:\/\/cadre@/);
  for (const { stdout, stderr } of [run, forked, refused])
    expect(decodeURIComponent(stdout + stderr)).not.toContain(secret);
});
