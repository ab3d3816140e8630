// The house rules of src/ that prose does not hold: which layer may import which, no import cycles, and names
// that say nothing. The rules are tables; the scan reads import statements as text, so type imports count too.
// The ban on clocks, chance and async in kernel and patterns is in .oxlintrc.json and tsconfig.pure.json.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeOf, cycles, importsOf, root, show, sourceFiles, targetOf } from './support/imports.ts';

/** For each layer, the other layers it may import. A file in src/ itself is a layer named by its path. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  text: [],
  kernel: ['text'],
  patterns: ['kernel', 'text'],
  yaml: [],
  disk: [],
  schema: ['kernel', 'text'],
  diff: [],
  net: [],
  agents: ['patterns', 'kernel', 'yaml', 'schema', 'disk', 'text'],
  models: ['kernel', 'yaml', 'disk', 'net', 'text'],
  tools: ['kernel', 'schema', 'disk', 'net', 'diff', 'text'],
  journal: ['kernel', 'text'],
  stores: ['journal', 'kernel', 'disk', 'text'],
  secrets: ['agents', 'tools', 'kernel', 'text'],
  world: ['secrets', 'models', 'tools', 'journal', 'patterns', 'kernel', 'text'],
  run: ['secrets', 'telemetry', 'world', 'agents', 'patterns', 'journal', 'models', 'tools', 'kernel', 'disk', 'text'],
  engine: [
    'run',
    'secrets',
    'telemetry',
    'views',
    'world',
    'agents',
    'patterns',
    'journal',
    'stores',
    'models',
    'tools',
    'kernel',
    'diff',
    'disk',
    'text',
  ],
  views: ['journal', 'patterns', 'kernel', 'diff', 'text'],
  telemetry: ['views', 'agents', 'journal', 'kernel', 'disk', 'text'],
  testing: [
    'engine',
    'run',
    'views',
    'world',
    'agents',
    'patterns',
    'journal',
    'stores',
    'models',
    'tools',
    'kernel',
    'text',
  ],
  'agent-tests': [
    'engine',
    'run',
    'views',
    'agents',
    'patterns',
    'journal',
    'stores',
    'models',
    'tools',
    'disk',
    'kernel',
    'yaml',
    'text',
  ],
  server: [
    'agent-tests',
    'engine',
    'run',
    'views',
    'world',
    'agents',
    'journal',
    'stores',
    'models',
    'tools',
    'kernel',
    'patterns',
    'disk',
    'text',
  ],
  cli: [
    'diff',
    'agent-tests',
    'server',
    'engine',
    'run',
    'secrets',
    'telemetry',
    'views',
    'agents',
    'journal',
    'stores',
    'models',
    'tools',
    'kernel',
    'patterns',
    'disk',
    'text',
  ],
  'index.ts': [
    'engine',
    'run',
    'telemetry',
    'views',
    'world',
    'agents',
    'patterns',
    'journal',
    'stores',
    'models',
    'tools',
    'kernel',
    'testing',
    'server',
    'text',
  ],
};

/** Layers of which another may import the types alone. */
const mayImportTypes: Readonly<Record<string, readonly string[]>> = {
  cli: ['testing'],
  server: ['testing'],
};

/** Layers that stand on the language alone: no package, no `node:` module. */
const withoutPackages: readonly string[] = ['text', 'kernel', 'patterns'];

/** Names that tell a reader nothing about what is inside. */
const emptyNames: readonly string[] = ['utils.ts', 'types.ts', 'helpers.ts'];

const files = sourceFiles('src');
const shipped = files.filter((file) => !file.endsWith('.test.ts'));
const imports = files.flatMap(importsOf);

test('every folder of src is a layer with a row in the table', () => {
  const unknown = files.filter((file) => mayImport[layerOf(file)] === undefined);
  expect(unknown, 'files of no known layer').toEqual([]);
});

test.each(Object.entries(mayImport))('%s imports no layer but its own and %j', (layer, allowed) => {
  const typesAllowed = mayImportTypes[layer] ?? [];
  const offences = imports.filter((found) => {
    const target = targetOf(found);
    if (layerOf(found.from) !== layer || !target?.startsWith('src/')) return false;
    const other = layerOf(target);
    if (other === layer || allowed.includes(other)) return false;
    return !(found.typeOnly && typesAllowed.includes(other));
  });
  expect(offences.map(show), `imports that ${layer} may not have`).toEqual([]);
});

test.each(withoutPackages)('%s imports no package and no node module', (layer) => {
  const offences = imports.filter(
    (found) => layerOf(found.from) === layer && targetOf(found) === undefined && !found.from.endsWith('.test.ts'),
  );
  expect(offences.map(show), `packages that ${layer} may not have`).toEqual([]);
});

test('relative imports name an existing .ts or .json file inside src', () => {
  const offences = imports.filter((found) => {
    const target = targetOf(found);
    if (target === undefined) return false;
    const inside = target.startsWith('src/') || found.from.endsWith('.test.ts');
    return !inside || !/\.(ts|json)$/.test(target) || !existsSync(join(root, target));
  });
  expect(offences.map(show), 'imports without a file').toEqual([]);
});

test('no file imports itself through others, not even for its types', () => {
  expect(cycles(files, imports).map((path) => path.join(' -> '))).toEqual([]);
});

test('no file has a name that says nothing', () => {
  const offences = files.filter((file) => emptyNames.includes(file.slice(file.lastIndexOf('/') + 1)));
  expect(offences, `files named ${emptyNames.join(', ')}`).toEqual([]);
});

test('nothing in src is exported as default', () => {
  const offences = shipped.filter((file) => /^\s*export\s+default\b|\bas\s+default\b/m.test(codeOf(file)));
  expect(offences, 'files with a default export').toEqual([]);
});

/** `src/kernel/fault.ts` is of the layer `kernel`, `src/index.ts` of the layer `index.ts`. */
function layerOf(file: string): string {
  return file.split('/')[1] ?? file;
}
