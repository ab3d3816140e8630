// Cells as files between processes that count in one cell, and are killed while they do.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Space } from '../../journal/cells.ts';
import { fileCells } from './cells.ts';

const NOTES: Space = { name: 'control', holds: 'lines' };

/** Says each number that it has put. */
const CHILD = `
const { fileCells } = await import(new URL('cells.mjs', import.meta.url));
const [root, times] = process.argv.slice(2);
const cells = fileCells(root, { fsync: 'never', mark() {}, warn(text) { throw new Error(text); } });
const space = { name: 'control', holds: 'lines' };
const body = new Uint8Array();
for (let done = 0; done < Number(times); ) {
  const cell = await cells.get(space, 'count');
  const head = String(Number(cell.head) + 1);
  const put = await cells.putIf(space, 'count', { head, body }, { version: cell.version });
  if (!put.isPut) continue;
  done++;
  process.stdout.write(head + '\\n');
}
`;

let scripts: string;
beforeAll(async () => {
  scripts = mkdtempSync(join(tmpdir(), 'cadre-cells-'));
  const bundle = await rolldown({ input: join(dirname(fileURLToPath(import.meta.url)), 'cells.ts'), platform: 'node' });
  await bundle.write({ file: join(scripts, 'cells.mjs'), format: 'esm' });
  await bundle.close();
  writeFileSync(join(scripts, 'child.mjs'), CHILD);
});
afterAll(() => rmSync(scripts, { recursive: true, force: true }));

interface Counting {
  readonly child: ChildProcess;
  readonly said: string[];
  readonly ended: Promise<number | null>;
}

function counting(root: string, times: number): Counting {
  const child = spawn(process.execPath, [join(scripts, 'child.mjs'), root, String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
  return { child, said, ended: new Promise((resolve) => child.once('close', resolve)) };
}

test('four processes count in one cell, also over kill -9, and no put that was acknowledged is lost', async () => {
  const root = mkdtempSync(join(tmpdir(), 'cadre-cells-'));
  const cells = fileCells(root, { fsync: 'never', mark() {}, warn() {} });
  await cells.putIf(NOTES, 'count', { head: '0', body: new Uint8Array() }, 'absent');
  const all: Counting[] = [];
  for (let round = 0; round < 3; round++) {
    const victims = [counting(root, 1_000_000), counting(root, 1_000_000)];
    const others = [counting(root, 40), counting(root, 40)];
    all.push(...victims, ...others);
    expect(await Promise.all(others.map(({ ended }) => ended))).toEqual([0, 0]);
    for (const { child } of victims) child.kill('SIGKILL');
    await Promise.all(victims.map(({ ended }) => ended));
  }
  const said = all.flatMap((one) => one.said);
  const count = Number((await cells.get(NOTES, 'count'))?.head);
  expect(new Set(said).size).toBe(said.length);
  expect(count).toBeGreaterThanOrEqual(said.length);
  expect(count - said.length).toBeLessThanOrEqual(6); // each victim may have died before it said its last one
  rmSync(root, { recursive: true });
});
