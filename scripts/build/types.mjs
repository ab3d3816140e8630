// The last step of the build: leaves the type declarations that the public entries need, and no others. What is left may
// name only packages that an install brings, so that a program type-checks without skipLibCheck.
import { readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const { dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = ['dist/index.d.ts', 'dist/testing/index.d.ts', 'dist/server/index.d.ts', 'dist/client/index.d.ts'].map(
  (file) => resolve(file),
);
const SPECIFIER = /(\bfrom |\bimport\()(['"])([^'"]+)\2/g;

const needed = new Set();
const foreign = [];
for (const queue = [...entries]; queue.length > 0; ) {
  const file = queue.pop();
  if (needed.has(file)) continue;
  needed.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, , , specifier] of text.matchAll(SPECIFIER)) {
    if (specifier.startsWith('.')) queue.push(resolve(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')));
    else if (!isInstalled(specifier)) foreign.push(`${file} names ${specifier}`);
  }
  writeFileSync(
    file,
    text.replace(SPECIFIER, (all, before, quote, specifier) =>
      specifier.startsWith('.') ? `${before}${quote}${specifier.replace(/\.ts$/, '.js')}${quote}` : all,
    ),
  );
}
if (foreign.length > 0) throw new Error(`Types of packages that are not installed with Cadre:\n${foreign.join('\n')}`);

for (const file of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
  const path = resolve('dist', file);
  if (file.endsWith('.d.ts') && !needed.has(path)) rmSync(path);
}
removeEmpty('dist');

function isInstalled(specifier) {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  return Object.hasOwn(dependencies, name);
}

/** Says whether the folder is gone. */
function removeEmpty(folder) {
  const left = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => !(entry.isDirectory() && removeEmpty(join(folder, entry.name))),
  );
  if (left.length === 0) rmdirSync(folder);
  return left.length === 0;
}
