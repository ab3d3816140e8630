// Finds *.test.yaml files below a folder, and the cadre that each belongs to: the nearest one above it.

import { readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readRegularText } from '../base/disk/regular.ts';
import type { CadreDefinition } from '../definition/definition.ts';
import { renderText } from '../definition/diagnostic.ts';
import { readCadre } from '../definition/load.ts';
import { FaultError, fail, faultOf } from '../kernel/fault.ts';
import { fillTemplate, rowsOf, type TableRow } from './rows.ts';
import type { TestCase } from './test-case.ts';
import { readTestFile, type WrittenCase } from './test-file.ts';

export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  readonly cadre: CadreDefinition;
  readonly cases: readonly TestCase[];
}

const TEST_FILE = /\.test\.yaml$/;
const LEFT_OUT = new Set(['node_modules', '.git', '.cadre', 'dist']);
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Throws with every finding if a file or its cadre is wrong. Nothing is run then. `from`: the folder that paths are shown
 * from; empty for the one where the command was given.
 */
export async function findTests(targets: readonly string[], from = ''): Promise<readonly FoundFile[]> {
  const paths = [...new Set(targets.flatMap((target) => testFilesIn(resolve(from, target))))].sort();
  const cadres = new Map<string, Promise<CadreDefinition>>();
  const cadreOf = (folder: string): Promise<CadreDefinition> => {
    const known = cadres.get(folder) ?? nearestCadre(folder, from);
    cadres.set(folder, known);
    return known;
  };
  return Promise.all(
    paths.map(async (path) => ({ path, cadre: await cadreOf(dirname(path)), cases: casesIn(path, from) })),
  );
}

const EXAMPLES = 2;

/**
 * The inputs of the first cases of the test files directly in a folder, by agent. A file with mistakes gives none:
 * `cadre test` says what is wrong with it.
 */
export function exampleInputs(folder: string): ReadonlyMap<string, readonly unknown[]> {
  const inputs = new Map<string, unknown[]>();
  const names = readdirSync(folder).filter((name) => TEST_FILE.test(name));
  for (const { agent, inputs: asked } of names.sort().flatMap((name) => casesOrNone(join(folder, name)))) {
    const own = inputs.get(agent) ?? [];
    const [first] = asked;
    if (own.length < EXAMPLES && first !== undefined && !own.some((one) => isDeepStrictEqual(one, first)))
      inputs.set(agent, [...own, first]);
  }
  return inputs;
}

function casesOrNone(path: string): readonly TestCase[] {
  try {
    return casesIn(path, '');
  } catch (thrown) {
    if (thrown instanceof FaultError) return [];
    throw thrown;
  }
}

function testFilesIn(target: string): readonly string[] {
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return fail('usage', `${target} does not exist.`);
  if (stats.isFile()) {
    if (!TEST_FILE.test(target)) fail('usage', `${target} is not a test file: its name must end in .test.yaml.`);
    return [target];
  }
  return readdirSync(target, { withFileTypes: true }).flatMap((entry): readonly string[] => {
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : testFilesIn(join(target, entry.name));
    return entry.isFile() && TEST_FILE.test(entry.name) ? [join(target, entry.name)] : [];
  });
}

async function nearestCadre(folder: string, from: string): Promise<CadreDefinition> {
  for (let at = folder; ; at = dirname(at)) {
    const reading = await readCadre(at);
    if (reading.cadre !== undefined && reading.agents > 0) return reading.cadre;
    if (reading.agents > 0)
      fail('agent/invalid', `The agents of ${at} have errors. See them with: cadre check ${relative(from, at) || '.'}`);
    if (dirname(at) === at) return fail('agent/unknown', `No agents were found in ${folder} or above it.`);
  }
}

function casesIn(path: string, from: string): readonly TestCase[] {
  const shown = relative(from, path);
  const { cases, findings, text } = readTestFile(path, shown, textOf(path, from));
  if (findings.length > 0)
    fail('config/invalid', `${shown} has mistakes:\n${renderText(findings, { texts: new Map([[shown, text]]) })}`);
  const all = cases.flatMap((one) => eachRow(one, from));
  const names = new Set<string>();
  for (const { name, file, line } of all) {
    if (names.has(name))
      fail('config/invalid', `${file}:${line} makes two cases named "${name}". Put a column in the name: {{…}}.`);
    names.add(name);
  }
  return all;
}

function eachRow({ each, ...test }: WrittenCase, from: string): readonly TestCase[] {
  if (each === undefined) return [test];
  const rows =
    'file' in each ? rowsOf(textOf(each.file, from), relative(from, each.file)) : (each.rows as readonly TableRow[]);
  const where = `${test.file}:${test.line}`;
  const { name, inputs, expect } = test;
  return rows.map((row, index) => {
    const own = fillTemplate({ name, inputs, expect }, row, where) as Pick<TestCase, 'name' | 'inputs' | 'expect'>;
    return { ...test, ...own, name: own.name === name ? `${name} (${index + 1})` : String(own.name) };
  });
}

function textOf(path: string, from: string): string {
  try {
    return readRegularText(path, { maxBytes: MAX_BYTES });
  } catch (thrown) {
    return fail('config/invalid', `${relative(from, path)} cannot be read: ${faultOf(thrown).message}`);
  }
}
