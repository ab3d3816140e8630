// The house rules of src/ that prose does not hold: which layer may import which, no import cycles, and names
// that say nothing. The rules are tables; the scan reads import statements as text, so type imports count too.
// The ban on clocks, chance and async in kernel and patterns is in .oxlintrc.json and tsconfig.pure.json.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectShapes } from '../scripts/house/names.mjs';
import { mutualPairs } from '../scripts/house/pairs.mjs';
import { codeOf, cycles, importsOf, root, show, sourceFiles, targetOf } from './support/imports.ts';

/**
 * The layers that each layer may import. A file in src/ itself is a layer named by its path. Each folder of base/ is
 * one.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'base/data': [],
  'base/text': [],
  kernel: ['base/text'],
  patterns: ['kernel', 'base/text'],
  'base/yaml': [],
  'base/disk': [],
  'base/schema': ['base/text'],
  'base/diff': [],
  'base/net': [],
  'base/media': ['base/disk'],
  rules: ['kernel', 'base/text'],
  definition: [
    'patterns',
    'rules',
    'kernel',
    'base/data',
    'base/yaml',
    'base/schema',
    'base/disk',
    'base/net',
    'base/text',
  ],
  models: ['kernel', 'base/yaml', 'base/disk', 'base/net', 'base/text'],
  tools: ['rules', 'kernel', 'base/schema', 'base/disk', 'base/net', 'base/media', 'base/diff', 'base/text'],
  journal: ['kernel', 'base/text'],
  stores: ['views', 'journal', 'kernel', 'base/disk', 'base/text'],
  secrets: ['definition', 'tools', 'kernel', 'base/text'],
  world: ['secrets', 'models', 'tools', 'journal', 'patterns', 'kernel', 'base/text'],
  run: [
    'secrets',
    'telemetry',
    'world',
    'definition',
    'patterns',
    'journal',
    'models',
    'tools',
    'rules',
    'kernel',
    'base/disk',
    'base/text',
  ],
  engine: [
    'run',
    'secrets',
    'telemetry',
    'views',
    'world',
    'definition',
    'patterns',
    'journal',
    'stores',
    'models',
    'tools',
    'rules',
    'kernel',
    'base/diff',
    'base/disk',
    'base/text',
  ],
  views: ['journal', 'patterns', 'kernel', 'base/diff', 'base/text'],
  telemetry: ['views', 'definition', 'journal', 'kernel', 'base/disk', 'base/text'],
  testing: [
    'engine',
    'run',
    'views',
    'world',
    'definition',
    'patterns',
    'journal',
    'stores',
    'models',
    'tools',
    'kernel',
    'base/text',
  ],
  'agent-tests': [
    'engine',
    'run',
    'rules',
    'views',
    'definition',
    'patterns',
    'journal',
    'stores',
    'models',
    'tools',
    'base/disk',
    'kernel',
    'base/yaml',
    'base/text',
  ],
  server: [
    'agent-tests',
    'engine',
    'run',
    'views',
    'world',
    'definition',
    'journal',
    'stores',
    'models',
    'tools',
    'kernel',
    'patterns',
    'base/disk',
    'base/media',
    'base/text',
  ],
  client: [],
  cli: [
    'base/diff',
    'agent-tests',
    'server',
    'engine',
    'run',
    'secrets',
    'telemetry',
    'views',
    'definition',
    'journal',
    'stores',
    'models',
    'tools',
    'rules',
    'kernel',
    'patterns',
    'base/disk',
    'base/text',
  ],
  'index.ts': [
    'engine',
    'run',
    'telemetry',
    'views',
    'world',
    'definition',
    'patterns',
    'journal',
    'stores',
    'models',
    'tools',
    'kernel',
    'testing',
    'server',
    'base/text',
  ],
};

/** Layers of which another may import the types alone. */
const mayImportTypes: Readonly<Record<string, readonly string[]>> = {
  cli: ['testing'],
  server: ['testing'],
  client: ['server'],
};

/** Layers that stand on the language alone: no package, no `node:` module. */
const withoutPackages: readonly string[] = ['base/text', 'kernel', 'patterns'];

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

test('no two folders import each other, but through the one file that puts the folders of a room together', () => {
  const source = projectShapes().filter(({ path }) => shipped.includes(path) && !path.endsWith('.conformance.ts'));
  const remedy = 'move the file to the folder that needs it, or the type to the own files of the room';
  expect(mutualPairs(source), remedy).toEqual([]);
});

test('a second file of a room that imports its folders makes pairs of all of them', () => {
  const file = (path: string, ...from: string[]) => ({ path, imports: from.map((one) => ({ from: one })) });
  const room = [
    file('src/room/contract.ts'),
    file('src/room/one/one.ts', '../contract.ts'),
    file('src/room/two/two.ts', '../contract.ts'),
    file('src/room/open.ts', './one/one.ts', './two/two.ts', './contract.ts'),
  ];
  expect(mutualPairs(room)).toEqual([]);
  expect(mutualPairs([...room, file('src/room/more.ts', './two/two.ts')])).toEqual([
    'src/room (1) and src/room/one (1)',
    'src/room (2) and src/room/two (1)',
  ]);
  expect(mutualPairs([...room, file('src/room/one/more.ts', '../two/two.ts')])).toEqual([]);
  expect(
    mutualPairs([...room, file('src/room/one/a.ts', '../two/two.ts'), file('src/room/two/b.ts', '../one/one.ts')]),
  ).toEqual(['src/room/one (1) and src/room/two (1)']);
});

test('no file has a name that says nothing', () => {
  const offences = files.filter((file) => emptyNames.includes(file.slice(file.lastIndexOf('/') + 1)));
  expect(offences, `files named ${emptyNames.join(', ')}`).toEqual([]);
});

test('nothing in src is exported as default', () => {
  const offences = shipped.filter((file) => /^\s*export\s+default\b|\bas\s+default\b/m.test(codeOf(file)));
  expect(offences, 'files with a default export').toEqual([]);
});

/** `src/kernel/fault.ts` is of the layer `kernel`, `src/base/text/json.ts` of `base/text`, `src/index.ts` of `index.ts`. */
function layerOf(file: string): string {
  const [, room = file, folder] = file.split('/');
  return room === 'base' ? `base/${folder}` : room;
}
