// More live runs than a process may have files open, in a process of its own with a low limit.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allOf } from '../../journal/store.conformance.ts';
import { fileStore } from './file-store.ts';

const here = dirname(fileURLToPath(import.meta.url));
const FILES = 200;
const RUNS = 500;

let scripts: string;
beforeAll(async () => {
  scripts = mkdtempSync(join(tmpdir(), 'cadre-files-'));
  const bundle = await rolldown({ input: join(here, './file-store.ts'), platform: 'node' });
  await bundle.write({ file: join(scripts, 'file.mjs'), format: 'esm' });
  await bundle.close();
  writeFileSync(join(scripts, 'child.mjs'), CHILD);
});
afterAll(() => rmSync(scripts, { recursive: true, force: true }));

/** Holds all runs, each with one event. */
async function holdMany(dir: string, fsync: string): Promise<ChildProcess> {
  const command = `ulimit -n ${FILES} && exec "$0" "$@"`;
  const child = spawn('sh', ['-c', command, process.execPath, join(scripts, 'child.mjs'), dir, fsync, String(RUNS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  expect(await says(child)).toBe('granted');
  return child;
}

const says = async (child: ChildProcess): Promise<string> =>
  String(((await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer])[0]).trim();

test.each(['never', 'batch'])('a process has more live runs than it may have files open (fsync: %s)', async (fsync) => {
  const dir = mkdtempSync(join(scripts, 'store-'));
  const child = await holdMany(dir, fsync);
  child.stdin?.write('end\n');
  expect(JSON.parse(await says(child))).toEqual({ written: RUNS, refused: [] });
  child.kill('SIGKILL');
  const store = fileStore(dir);
  const found = await store.list({ outcome: 'answered' });
  expect(found).toHaveLength(RUNS);
  expect(await allOf(store, `r${RUNS - 1}`)).toHaveLength(2);
});

test('a run whose journal is not kept open is fenced like any other', async () => {
  const dir = mkdtempSync(join(scripts, 'store-'));
  const child = await holdMany(dir, 'never');
  const store = fileStore(dir);
  const last = `r${RUNS - 1}`;
  await store.takeOver(last);
  child.stdin?.write('end\n');
  expect(JSON.parse(await says(child))).toEqual({ written: RUNS - 1, refused: [[last, 'run/taken-over']] });
  child.kill('SIGKILL');
  expect(await allOf(store, last)).toHaveLength(1);
  expect(await allOf(store, 'r0')).toHaveLength(2);
});

const CHILD = `
import { once } from 'node:events';
const { fileStore } = await import(new URL('file.mjs', import.meta.url));
const [dir, fsync, count] = process.argv.slice(2);
const store = fileStore(dir, { fsync });
const runs = Array.from({ length: Number(count) }, (_, index) => 'r' + index);
const leases = [];
for (const run of runs) {
  const lease = await store.claim(run, 0);
  await lease.append([{ type: 'run-start', seq: 0, at: 1, version: 3, kernel: 2, run, agent: 'a', input: { text: 'hi' }, folder: '/', texts: {} }]);
  leases.push(lease);
}
console.log('granted');
await once(process.stdin, 'data');
const refused = [];
for (const [index, lease] of leases.entries()) {
  try {
    await lease.append([{ type: 'run-end', seq: 1, at: 2, outcome: { kind: 'answered', text: 'hi' } }]);
  } catch (thrown) {
    refused.push([runs[index], thrown.fault?.code]);
  }
  await lease.release();
}
console.log(JSON.stringify({ written: runs.length - refused.length, refused }));
setInterval(() => {}, 1000);
`;
