// The exports of src have good names. A reader who meets a name in an import knows then what it is, and a search for it
// finds one declaration. exported-names.exceptions.json lists the names that break a rule today; it only shrinks.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { brokenRules, EXCEPTIONS, exportedNames, isBareWord, projectShapes } from '../scripts/house/names.mjs';
import { root } from './support/imports.ts';

type Rule = keyof ReturnType<typeof brokenRules>;

const shapes = projectShapes();
const broken = brokenRules(shapes);
const exceptions = JSON.parse(readFileSync(join(root, EXCEPTIONS), 'utf8')) as Record<Rule, readonly string[]>;

const RULES: readonly (readonly [title: string, rule: Rule, remedy: string])[] = [
  ['no two files declare one exported name', 'declaredTwice', 'give one of these a name of its own'],
  ['no exported name is a bare participle, preposition or quantifier', 'bareWords', 'name the thing, or the act'],
  ['every export has an importer', 'withoutImporter', 'take `export` away, or the declaration with it'],
];

test.each(RULES)('%s', (_, rule, remedy) => {
  const offences = Object.entries(broken[rule])
    .filter(([name]) => !exceptions[rule].includes(name))
    .map(([name, files]) => `${name}: ${files.join(', ')}`);
  expect(offences, remedy).toEqual([]);
});

test.each(RULES)('%s: each exception is needed', (_, rule) => {
  const stale = exceptions[rule].filter((name) => !Object.hasOwn(broken[rule], name));
  expect(stale, 'not needed any more: run npm run house -- --shrink').toEqual([]);
});

test('declarations of every form are seen, and their importers', () => {
  const names = exportedNames(shapes);
  for (const name of ['drive', 'openSlots', 'FAULTS', 'FaultError', 'OpPath', 'World', 'perform']) {
    const declared = names.filter((one) => one.name === name && !one.passedOn);
    expect(declared, name).toHaveLength(1);
    expect(declared[0]?.importers.length, name).toBeGreaterThan(0);
  }
});

test('a bare word is one word, whatever its case', () => {
  expect(['told', 'Kept', 'WATCHED', 'within', 'everyone', 'sharing'].filter(isBareWord)).toHaveLength(6);
  expect(['toldRun', 'keptFiles', 'warning', 'EVENT_VERSION', 'drive', 'setting', 'put'].filter(isBareWord)).toEqual(
    [],
  );
});

test('the package has few names: what only stands in a signature is reached through the name that has it', () => {
  const names = exportedNames(shapes).filter(({ file }) => file === 'index.ts');
  expect(names.length).toBeLessThanOrEqual(90);
});
