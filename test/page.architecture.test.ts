// The parts that the page may be made of: its own rooms in their order, and of src/ only files that know nothing of
// Node.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cycles, type Import, importsOf, show, sourceFiles, targetOf } from './support/imports.ts';

/** The rooms that each room of web/src may import. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  data: [],
  app: ['data', 'parts', 'screens'],
  parts: ['data', 'app'],
  screens: ['data', 'app', 'parts'],
  'main.tsx': ['data', 'app', 'parts', 'screens'],
};

/** Files of src/ whose values the page may use, and those of which it may use the types. */
const values =
  /^src\/(?:views\/|kernel\/|base\/text\/|journal\/op-words\.ts$|client\/(?:problem|event-stream)\.ts$|definition\/show\/graph\/layout\.ts$)/;
const types = /^src\/(?:server\/protocol\.ts$|journal\/(?:event|store)\.ts$|definition\/show\/graph\.ts$)/;

const files = sourceFiles('web/src');
const imports = files.flatMap(importsOf);

test('every folder of web/src is a room with a row in the table', () => {
  expect(files.filter((file) => mayImport[roomOf(file)] === undefined && !file.endsWith('.d.ts'))).toEqual([]);
});

test.each(Object.entries(mayImport))('%s of the page imports no room but its own and %j', (room, allowed) => {
  const offences = imports.filter((found) => {
    const target = targetOf(found);
    if (roomOf(found.from) !== room || !target?.startsWith('web/src/')) return false;
    return roomOf(target) !== room && !allowed.includes(roomOf(target));
  });
  expect(offences.map(show)).toEqual([]);
});

test('the page uses of src the views, the words of ops, the layout of the graph, the client, and types of the protocol', () => {
  const offences = imports.filter((found) => {
    const target = targetOf(found);
    if (found.from.endsWith('.test.ts') || !target?.startsWith('src/')) return false;
    return !values.test(target) && !(found.typeOnly && types.test(target));
  });
  expect(offences.map(show)).toEqual([]);
});

test("nothing that reaches the browser imports a module of Node, or a package that is not the page's own", () => {
  const offences = reachable().filter(
    (found) =>
      targetOf(found) === undefined &&
      !/^(?:preact|@preact\/signals|marked|diff|eventsource-parser|uplot)(?:\/|$)/.test(found.specifier),
  );
  expect(offences.map(show)).toEqual([]);
});

test('no file of the page imports itself through others', () => {
  expect(cycles(files, imports).map((path) => path.join(' -> '))).toEqual([]);
});

test('no folder of a screen imports that of another but through the tabs of a run', () => {
  const folderOf = (file: string): string | undefined => /^web\/src\/screens\/([^/]+)\//.exec(file)?.[1];
  const offences = imports.filter((found) => {
    const [from, to] = [folderOf(found.from), folderOf(targetOf(found) ?? '')];
    return from !== undefined && to !== undefined && from !== to && from !== 'run' && to !== 'run';
  });
  expect(offences.map(show)).toEqual([]);
});

function roomOf(file: string): string {
  return file.split('/')[2] ?? file;
}

/** Every import of a file that the page loads, type imports left out. */
function reachable(): readonly Import[] {
  const seen = new Set<string>();
  const found: Import[] = [];
  const visit = (file: string): void => {
    if (seen.has(file) || !/\.tsx?$/.test(file)) return;
    seen.add(file);
    for (const one of importsOf(file).filter(({ typeOnly }) => !typeOnly)) {
      found.push(one);
      const target = targetOf(one);
      if (target !== undefined) visit(target);
    }
  };
  for (const file of files.filter((one) => !one.endsWith('.test.ts'))) visit(file);
  return found;
}

test('a test of the page waits for what it asserts: the page draws a frame after what the test has waited for', () => {
  // `violations` waits by itself.
  const looksOnce = /expect\((?:await (?!violations\()|(?:new URL\()?\w+\.url\(\))/;
  const offences = sourceFiles('test/browser').flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (looksOnce.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(offences).toEqual([]);
});
