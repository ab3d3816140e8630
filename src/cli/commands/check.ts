// cadre check: every finding about a folder of agents, for people, for machines or for GitHub.

import { join, relative } from 'node:path';
import { boundsOf } from '../../agents/bound.ts';
import { isError, renderGithub, renderJson, renderText, summarize, type Tone } from '../../agents/diagnostic.ts';
import { type CadreReading, readCadre } from '../../agents/load.ts';
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
  const findings = findingsText(reading, options);
  if (findings !== '') process.stdout.write(`${findings}\n`);
  if (options.bound === true && options.json !== true && reading.cadre !== undefined) {
    process.stdout.write(`${findings === '' ? '' : '\n'}${boundText(reading.cadre.agents)}\n`);
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

function boundText(agents: Parameters<typeof boundsOf>[0]): string {
  const rows = [...boundsOf(agents)].map(([name, bound]) =>
    bound.kind === 'bounded'
      ? [name, grouped(bound.calls), grouped(bound.attempts)]
      : [name, 'unbounded', bound.reason],
  );
  return table(
    [
      { title: 'AGENT', flexible: true },
      { title: 'MOST MODEL CALLS', align: 'right' },
      { title: 'WITH RETRIES', align: 'right' },
    ],
    rows,
    columnsOf(process.stdout),
  ).join('\n');
}

function grouped(value: bigint): string {
  const digits = String(value);
  return digits.length > 21 ? `about 10^${digits.length - 1}` : digits.replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
