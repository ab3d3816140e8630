// Another try of a run as data: the agents and models that are changed, the part that is done again, and the figures of
// both sides. Pure.

import type { RunEvent } from '../../../../src/journal/event.ts';
import type { ForkRun } from '../../../../src/server/protocol.ts';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import { sum, type Totals } from '../../../../src/views/costs/totals.ts';

export interface Experiment {
  /** Other prompts, by agent. */
  readonly prompts: Readonly<Record<string, string>>;
  /** Other models: of one agent, or of all as `*`. */
  readonly models: Readonly<Record<string, string>>;
  /** In dollars, as it was typed. */
  readonly budget: string;
}

export const ALL = '*';

/** The request for it; undefined as long as nothing is changed. `known`: the prompts as the run had them. */
export function forkOf(
  { prompts, models, budget }: Experiment,
  at: string,
  known: ReadonlyMap<string, { readonly system: string }>,
): ForkRun | undefined {
  const texts = Object.entries(prompts).filter(([agent, text]) => known.get(agent)?.system.trim() !== text.trim());
  const chosen = Object.entries(models).filter(([, model]) => model !== '');
  if (texts.length === 0 && chosen.length === 0) return undefined;
  const usd = Number(budget);
  return {
    at,
    ...(texts.length > 0 && { prompts: Object.fromEntries(texts) }),
    ...(chosen.length > 0 && { models: Object.fromEntries(chosen.map(([agent, model]) => [agent, [model]])) }),
    ...(budget.trim() !== '' && usd > 0 && { budget: { usd } }),
  };
}

/** The command that does the same. A prompt is read from a file, which the person writes. */
export function forkCommand(run: string, at: string, fork: ForkRun | undefined): string {
  const { prompts = {}, models = {}, budget } = fork ?? { at };
  const flags = [
    ...Object.keys(prompts).map((agent) => `--prompt ${agent}=${agent}.what-if.md`),
    ...Object.entries(models).map(([agent, [model]]) => `--model ${agent === ALL ? '' : `${agent}=`}${model}`),
    ...(budget?.usd === undefined ? [] : [`--budget usd=${budget.usd}`]),
  ];
  return ['cadre fork', run, '--at', at, ...flags].join(' ');
}

export interface Again {
  /** The calls that the run made from there on. */
  readonly spent: Totals;
  readonly tools: readonly string[];
  /** Somebody was asked for something. */
  readonly asks: boolean;
}

/** The part of a run that comes after its first events. */
export function againAfter(taken: number, events: readonly RunEvent[], lines: readonly LedgerLine[]): Again {
  const ended = new Set(events.slice(0, taken).flatMap((event) => (event.type === 'op-end' ? [event.path] : [])));
  const later = events.slice(taken).flatMap((event) => (event.type === 'op-start' ? [event] : []));
  return {
    spent: sum(lines.filter(({ path }) => !ended.has(path))),
    tools: [...new Set(later.flatMap(({ op }) => (op.kind === 'tool' ? [op.call.name] : [])))],
    asks: later.some(({ op }) => op.kind === 'approval'),
  };
}

/** `−15 %`; undefined where nothing can be said. */
export function changeWords(left: number | undefined, right: number | undefined): string | undefined {
  if (left === undefined || right === undefined || left === 0) return undefined;
  const share = Math.round(((right - left) / left) * 100);
  return share === 0 ? undefined : `${share < 0 ? '−' : '+'}${Math.abs(share)} %`;
}

/** The changed lines of a text. */
export function lineCounts(before: string, after: string): { readonly added: number; readonly gone: number } {
  const left = countsOf(before);
  const right = countsOf(after);
  const more = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number =>
    [...one].reduce((count, [line, times]) => count + Math.max(0, times - (other.get(line) ?? 0)), 0);
  return { added: more(right, left), gone: more(left, right) };
}

function countsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.trim().split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
