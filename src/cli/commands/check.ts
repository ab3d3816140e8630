// cadre check: every finding about a folder of agents, for people, for machines or for GitHub.

import { join, relative } from 'node:path';
import { boundsOf } from '../../agents/bound.ts';
import { costBounds } from '../../agents/cost-bound.ts';
import type { CadreDefinition } from '../../agents/definition.ts';
import { isError, renderGithub, renderJson, renderText, summarize, type Tone } from '../../agents/diagnostic.ts';
import { type CadreReading, readCadre } from '../../agents/load.ts';
import { nestedCadres } from '../../agents/nested-cadres.ts';
import { EXIT, fail } from '../../kernel/fault.ts';
import { table } from '../render/table.ts';
import { columnsOf, paintFor } from '../terminal.ts';

export interface CheckOptions {
  readonly json?: boolean;
  readonly github?: boolean;
  readonly bound?: boolean;
}

export async function check(folder: string, options: CheckOptions): Promise<number> {
  if (options.json === true && options.github === true) fail('usage', '--json and --github exclude each other.');
  const reading = await readCadre(folder);
  const inside = reading.agents === 0 && !reading.unreadable ? nestedCadres(folder) : [];
  if (inside.length > 0 && options.json !== true) return checkEach(inside, options);
  return checked(reading, options);
}

/** A folder of cadres: each is checked by itself. */
async function checkEach(folders: readonly string[], options: CheckOptions): Promise<number> {
  let worst = 0;
  for (const folder of folders) {
    process.stderr.write(`${relative('', folder) || '.'}: `);
    worst = Math.max(worst, checked(await readCadre(folder), options));
  }
  return worst;
}

function checked(reading: CadreReading, options: CheckOptions): number {
  const findings = findingsText(reading, options);
  if (findings !== '') process.stdout.write(`${findings}\n`);
  if (options.bound === true && options.json !== true && reading.cadre !== undefined) {
    process.stdout.write(`${findings === '' ? '' : '\n'}${boundText(reading.cadre)}\n`);
  }
  if (options.json !== true) {
    const paint = paintFor(process.stderr);
    const failed = reading.diagnostics.some(isError);
    process.stderr.write(`${paint(failed ? 'error' : 'good', summarize(reading.diagnostics, reading.agents))}\n`);
  }
  return reading.diagnostics.some(isError) ? EXIT.failed : EXIT.answered;
}

function findingsText({ diagnostics, texts, folder, cadre }: CadreReading, options: CheckOptions): string {
  const pathOf = (file: string): string => relative('', join(folder, file)) || '.';
  if (options.github === true) return renderGithub(diagnostics, { pathOf });
  if (options.json === true) {
    if (options.bound !== true || cadre === undefined) return renderJson(diagnostics);
    const bounds = Object.fromEntries([...boundsOf(cadre.agents)].map(([name, bound]) => [name, plainBound(bound)]));
    return JSON.stringify({ diagnostics, bounds }, null, 2);
  }
  const paint = paintFor(process.stdout);
  const style = (tone: Tone, text: string): string => paint(TONES[tone], text);
  return renderText(diagnostics, { texts, pathOf, style });
}

const TONES = { error: 'error', warning: 'warning', place: 'strong', excerpt: 'faint', help: 'name' } as const;

type Bounds = ReturnType<typeof boundsOf>;
type Bound = Bounds extends ReadonlyMap<string, infer One> ? One : never;

/** Numbers that JSON can hold; a larger one is written as text. */
function plainBound(bound: Bound): unknown {
  if (bound.kind === 'unbounded') return bound;
  const plain = (value: bigint): number | string => (value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value));
  return { kind: bound.kind, calls: plain(bound.calls), attempts: plain(bound.attempts) };
}

function boundText(cadre: CadreDefinition): string {
  const costs = costBounds(cadre);
  const rows = [...boundsOf(cadre.agents)].map(([name, bound]) => {
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
