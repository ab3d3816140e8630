// cadre check: every finding about a folder of agents, for people, for machines or for GitHub.

import { join, relative } from 'node:path';
import { countedNoun } from '../../../base/text/words.ts';
import { costBounds } from '../../../definition/check/cost-bound.ts';
import { cadreBounds } from '../../../definition/check/known-window.ts';
import type { CadreDefinition } from '../../../definition/definition.ts';
import { CONFIG_FILE } from '../../../definition/definition.ts';
import {
  inOrder,
  isError,
  renderGithub,
  renderJson,
  renderText,
  summarize,
  type Tone,
} from '../../../definition/diagnostic.ts';
import { type CadreReading, type PlacedCadre, readCadres } from '../../../definition/load.ts';
import { reachableFrom } from '../../../definition/reach.ts';
import { EXIT, fail } from '../../../kernel/fault.ts';
import { withSignIns } from '../../lookup/sign-ins.ts';
import { table } from '../../render/table.ts';
import { notify, print, printCommands, printJson } from '../../screen/output.ts';
import { columnsOf, paintFor } from '../../screen/terminal.ts';

export interface CheckOptions {
  readonly json?: boolean;
  readonly github?: boolean;
  readonly bound?: boolean;
  readonly deep?: boolean;
}

export async function check(folder: string, options: CheckOptions): Promise<number> {
  if (options.json === true && options.github === true) fail('usage', '--json and --github cannot be combined.');
  const read = (await readCadres(folder)).map(ofEntry);
  const cadres = options.deep === true ? await Promise.all(read.map(deeply)) : read;
  if (options.json === true) printJson(jsonText(cadres, options));
  else for (const cadre of cadres) report(cadre, options);
  return cadres.some(({ reading }) => reading.diagnostics.some(isError)) ? EXIT.failed : EXIT.answered;
}

interface CheckedCadre extends PlacedCadre {
  /** Errors in files that the agent that was asked for cannot reach. They are not shown. */
  readonly elsewhere: number;
}

/** If one file was named, what concerns it: its own findings, those of the files that it can reach, and cadre.yaml's. */
function ofEntry(placed: PlacedCadre): CheckedCadre {
  const { reading } = placed;
  if (reading.entry === undefined) return { ...placed, elsewhere: 0 };
  const files = new Set([...reading.filesOf(reading.entry), CONFIG_FILE, '.']);
  const diagnostics = reading.diagnostics.filter(({ file }) => files.has(file));
  const elsewhere = reading.diagnostics.filter((one) => isError(one) && !files.has(one.file)).length;
  return { ...placed, elsewhere, reading: { ...reading, diagnostics, agents: files.size - 2 } };
}

/** The time that scripts, recordings and servers together may take. */
const DEADLINE_MS = 60_000;

/** Adds the findings that only a look at servers, scripts and variables can give, of the agents that can run. */
async function deeply(checked: CheckedCadre): Promise<CheckedCadre> {
  const { reading } = checked;
  const { cadre, entry } = reading;
  if (cadre === undefined) return checked;
  const { deepCheck } = await import('../../../engine/inspect/deep-check.ts');
  const only = entry === undefined ? undefined : reachableFrom(cadre, entry);
  const { diagnostics, started } = await withSignIns(cadre, (signIns) =>
    deepCheck(cadre, { signal: AbortSignal.timeout(DEADLINE_MS), only, signIns }),
  );
  if (started.length > 0) notify(`started and closed: ${started.join(', ')}`);
  return { ...checked, reading: { ...reading, diagnostics: inOrder([...reading.diagnostics, ...diagnostics]) } };
}

function report({ target, prefix, reading, elsewhere }: CheckedCadre, options: CheckOptions): void {
  const findings = findingsText(reading, options);
  if (findings !== '') (options.github === true ? printCommands : print)(findings);
  if (options.bound === true && reading.cadre !== undefined) {
    print(`${findings === '' ? '' : '\n'}${boundText(reading.cadre)}`);
  }
  const paint = paintFor(process.stderr);
  const failed = reading.diagnostics.some(isError);
  const where = prefix === '' ? '' : `${relative('', target) || '.'}: `;
  notify(`${where}${paint(failed ? 'error' : 'good', summarize(reading.diagnostics, reading.agents))}`);
  if (elsewhere > 0) {
    const all = relative('', reading.folder);
    notify(`${countedNoun(elsewhere, 'error')} in files that it does not need. See: cadre check${all && ` ${all}`}`);
  }
}

/** One document, however many cadres there are. */
function jsonText(cadres: readonly PlacedCadre[], { bound }: CheckOptions): string {
  const diagnostics = cadres.flatMap(({ prefix, reading }) =>
    reading.diagnostics.map((one) => (prefix === '' ? one : { ...one, file: placed(prefix, one.file) })),
  );
  if (bound !== true || cadres.every(({ reading }) => reading.cadre === undefined)) return renderJson(diagnostics);
  const bounds = cadres.flatMap(({ prefix, reading: { cadre } }) =>
    cadre === undefined ? [] : boundEntries(cadre).map(([name, one]) => [prefix + name, one]),
  );
  return JSON.stringify({ diagnostics, bounds: Object.fromEntries(bounds) as unknown }, null, 2);
}

/** `.` is the cadre's folder. */
const placed = (prefix: string, file: string): string => (file === '.' ? prefix.slice(0, -1) : prefix + file);

function findingsText({ diagnostics, texts, folder }: CadreReading, { github }: CheckOptions): string {
  const pathOf = (file: string): string => relative('', join(folder, file)) || '.';
  if (github === true) return renderGithub(diagnostics, { pathOf });
  const paint = paintFor(process.stdout);
  const style = (tone: Tone, text: string): string => paint(TONES[tone], text);
  return renderText(diagnostics, { texts, pathOf, style });
}

const TONES = { error: 'error', warning: 'warning', place: 'strong', excerpt: 'faint', help: 'name' } as const;

type Bound = ReturnType<typeof cadreBounds> extends ReadonlyMap<string, infer One> ? One : never;

function boundEntries(cadre: CadreDefinition): readonly (readonly [string, unknown])[] {
  const costs = costBounds(cadre);
  return [...cadreBounds(cadre)].map(([name, bound]) => {
    const cost = costs.get(name);
    return [name, plainBound(bound, cost?.kind === 'known' ? cost.usd : null)];
  });
}

/** Numbers that JSON can hold; a larger one is written as text. */
function plainBound(bound: Bound, usd: number | null): unknown {
  if (bound.kind === 'unbounded') return { ...bound, usd };
  const plain = (value: bigint): number | string => (value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value));
  return { kind: bound.kind, calls: plain(bound.calls), attempts: plain(bound.attempts), usd };
}

function boundText(cadre: CadreDefinition): string {
  const costs = costBounds(cadre);
  const rows = [...cadreBounds(cadre)].map(([name, bound]) => {
    const cost = costs.get(name);
    const most = cost?.kind === 'known' ? `$${cost.usd.toFixed(2)}` : 'unknown';
    return bound.kind === 'bounded'
      ? [name, grouped(bound.calls), grouped(bound.attempts), most]
      : [name, 'unbounded', bound.reason, most];
  });
  const lines = table(
    [
      { title: 'AGENT', flexible: true },
      { title: 'MOST MODEL CALLS', align: 'right' },
      { title: 'WITH RETRIES', align: 'right' },
      { title: 'MOST COST', align: 'right' },
    ],
    rows,
    columnsOf(process.stdout),
  );
  const unknown = [...costs.values()].find((cost) => cost.kind === 'unknown');
  return [...lines, ...(unknown?.kind === 'unknown' ? [`most cost is unknown where ${unknown.why}`] : [])].join('\n');
}

function grouped(value: bigint): string {
  const digits = String(value);
  return digits.length > 21 ? `about 10^${digits.length - 1}` : digits.replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
