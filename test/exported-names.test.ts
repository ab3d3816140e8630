// One name, one meaning: no two files of src export something of the same name. A reader who meets a name in an import
// knows then what it is, and a search for it finds one declaration.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = resolve(dirname(fileURLToPath(import.meta.url)), '../src');

/** A command and its options are called what users type, whatever the parts below them are called. */
const isCommand = (file: string): boolean => file.startsWith('cli/commands/');

/** Names that two files may export, and why. */
const shared: Readonly<Record<string, string>> = {
  Price: 'one thing, declared by two layers that do not import each other: agents and models',
  ProviderKind: 'one thing, declared by two layers that do not import each other: agents and models',
  loadCadre: 'the library gives the cadre an engine; agents give its definition alone',
  RunOptions: 'of the library and of the command line',
  Member: 'patterns',
  Place: 'agents and cli',
  Reading: 'agents and patterns',
  Report: 'agents and patterns',
  Tone: 'agents and cli',
  duration: 'agents and cli',
  fit: 'agents and cli',
  resultOf: 'patterns',
  seatOf: 'agents and patterns',
};

const declaredIn = declarations();

test('no two files export something of the same name', () => {
  const offences = [...declaredIn]
    .filter(([name, files]) => files.length > 1 && !Object.hasOwn(shared, name))
    .map(([name, files]) => `${name}: ${files.join(', ')}`);
  expect(offences, 'names with two declarations: give one of them a name of its own').toEqual([]);
});

test('every name that may be exported twice is exported twice', () => {
  const stale = Object.keys(shared).filter((name) => (declaredIn.get(name)?.length ?? 0) < 2);
  expect(stale, 'names to take out of the list in this test').toEqual([]);
});

test('declarations of every form are found', () => {
  for (const name of ['drive', 'openSlots', 'FAULTS', 'FaultError', 'OpPath', 'World', 'perform'])
    expect(declaredIn.get(name), name).toHaveLength(1);
});

/** The files that declare each exported name. What a file passes on from another is no declaration. */
function declarations(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !isCommand(file));
  for (const file of files.sort()) {
    const names = readFileSync(join(src, file), 'utf8').matchAll(
      /^export (?:declare |abstract |async )*(?:function\*?|const|let|class|interface|type) ([\w$]+)/gm,
    );
    // Overloads, and a type beside a value of the same name, are one declaration.
    for (const name of new Set([...names].map((match) => match[1] ?? ''))) {
      found.set(name, [...(found.get(name) ?? []), file]);
    }
  }
  return found;
}
