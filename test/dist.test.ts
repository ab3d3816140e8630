// A build that is older than the source is not tested.

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { staleBuild } from './support/dist.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cadre-dist-'));
  write('rolldown.config.mjs', 1);
  write('src/cli/main.ts', 2);
  write('dist/cli/main.js', 3);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes a file at this second. */
function write(path: string, second: number): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), '');
  utimesSync(join(root, path), second, second);
}

test('a build that is newer than all it was made of is tested', () => {
  expect(staleBuild(root)).toBeUndefined();
});

test('a source file of any depth that is newer than the build is named, with the way out', () => {
  write('src/kernel/deep/er/path.ts', 4);
  expect(staleBuild(root)).toBe(
    'dist/cli/main.js is older than src/kernel/deep/er/path.ts, so this would test another program. Run `npm run build`, then the test.',
  );
});

test('the sources of the page count', () => {
  write('web/src/main.tsx', 4);
  expect(staleBuild(root)).toContain('is older than web/src/main.tsx');
});

test('tests and suites are no part of the build', () => {
  write('src/kernel/path.test.ts', 4);
  write('src/journal/store.conformance.ts', 4);
  expect(staleBuild(root)).toBeUndefined();
});

test('the script of the build counts as its source', () => {
  write('rolldown.config.mjs', 4);
  expect(staleBuild(root)).toContain('is older than rolldown.config.mjs');
});

test('a missing build is told', () => {
  rmSync(join(root, 'dist'), { recursive: true });
  expect(staleBuild(root)).toBe('dist/cli/main.js is missing. Run `npm run build`, then the test.');
});
