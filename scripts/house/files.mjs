// The files that are measured: source, tests and styles of a folder. A test is a file that only tests read.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(fileURLToPath(import.meta.url), '../../..');

const SKIPPED = new Set(['node_modules', 'dist', 'fixtures']);

/** Every file below a folder of the project, with its path from the root, slashes forward, in order. */
export function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !SKIPPED.has(name) && !name.startsWith('.'))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [slashed(path)];
    })
    .sort(byText);
}

export const byText = (one, other) => (one < other ? -1 : 1);

const slashed = (path) => relative('.', path).split(sep).join('/');

export const isCode = (path) => /\.(?:[cm]?ts|tsx|mjs|js)$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
export const isTest = (path) => path.startsWith('test/') || /\.(?:test|conformance)\.tsx?$/.test(path);
export const isStyle = (path) => path.endsWith('.css');

export const textOf = (path) => readFileSync(join(root, path), 'utf8');
export const linesIn = (text) => text.split('\n').length - 1;
