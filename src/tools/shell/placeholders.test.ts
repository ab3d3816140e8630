import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makePlaceholders, removePlaceholders } from './placeholders.ts';

const folder = mkdtempSync(join(tmpdir(), 'cadre-placeholders-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MISSING = [
  { path: join(folder, '.envrc'), kind: 'file' },
  { path: join(folder, '.githooks'), kind: 'folder' },
] as const;

/** A command from its beginning to its end: what it needs has to be there all the time. */
async function command(steps: number): Promise<readonly string[]> {
  const made = await makePlaceholders(MISSING);
  const gone: string[] = [];
  for (let step = 0; step < steps; step++) {
    gone.push(...MISSING.map(({ path }) => path).filter((path) => !existsSync(path)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await removePlaceholders(made);
  return gone;
}

test('a placeholder stays while any command of the process needs it, and goes with the last one', async () => {
  for (let round = 0; round < 40; round++) {
    const all = await Promise.all(Array.from({ length: 8 }, (_, at) => command((at * 3 + round) % 11)));
    expect(all.flat()).toEqual([]);
    expect(MISSING.map(({ path }) => existsSync(path))).toEqual([false, false]);
  }
});
