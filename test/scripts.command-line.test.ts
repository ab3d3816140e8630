// The command lines of the scripts. A script that takes a wrong word for a folder leaves files where nobody looks for them, and
// one that overlooks it writes pages, pictures or golden journals.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

/** The scripts that package.json runs, and those that people and other scripts start by their file. */
const SCRIPTS = [
  ...Object.values(manifest.scripts).flatMap(
    (line) => /node ((?:scripts|bench|test)\/(?!build\/)\S+\.mjs)/.exec(line)?.[1] ?? [],
  ),
  'bench/profile.mjs',
  'bench/many/fill.mjs',
  'scripts/import-figures.mjs',
];

const folder = mkdtempSync(join(tmpdir(), 'cadre-scripts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function called(script: string, ...args: readonly string[]) {
  return new Promise<{ exit: unknown; stdout: string; stderr: string }>((done) => {
    execFile(process.execPath, [resolve(script), ...args], { cwd: folder }, (error, stdout, stderr) =>
      done({ exit: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test.each([...new Set(SCRIPTS)])('%s prints its help and writes nothing', async (script) => {
  const { exit, stdout, stderr } = await called(script, '--help');
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(stdout).toMatch(/npm run|node /);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['scripts/words.mjs', '--mots', "Unknown option '--mots'"],
  ['scripts/words.mjs', 'README.md', "Unexpected argument 'README.md'"],
  ['scripts/golden.mjs', 'circle', 'There is no part circle'],
  ['bench/many/fill.mjs', 'store', 'It needs a folder and a number of runs'],
])('%s refuses %s', async (script, arg, why) => {
  const { exit, stderr } = await called(script, arg);
  expect(stderr).toContain(why);
  expect(stderr).toContain('--help');
  expect(exit).toBe(2);
  expect(readdirSync(folder)).toEqual([]);
});
