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

/** Nothing typed, or a number of dollars. */
export const isBudget = (typed: string): boolean => typed.trim() === '' || Number(typed) > 0;

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

/** The command that keeps a difference to the file of an agent, checks the result, and runs its tests with it. */
export function keepCommand(file: string, folder: string): string {
  const place = folder === '' ? '' : ` ${folder}`;
  return `patch -p1 < ${file.replaceAll('/', '-')}.diff && cadre check${place} && cadre test${place}`;
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

/** `read_file is done again; nothing here asks you` */
export const againWords = ({ tools, asks }: Pick<Again, 'tools' | 'asks'>): string =>
  `${tools.length === 0 ? 'no tool is called again' : `${tools.join(', ')} may be called again`}; ${
    asks ? 'it may ask you' : 'nothing here asks you'
  }`;

/** `−15 %`; undefined where nothing can be said. */
export function changeWords(left: number | undefined, right: number | undefined): string | undefined {
  if (left === undefined || right === undefined || left === 0) return undefined;
  const share = Math.round(((right - left) / left) * 100);
  return share === 0 ? undefined : `${share < 0 ? '−' : '+'}${Math.abs(share)} %`;
}

/** The places of the lines of a text that the text before has not. */
export function changedLines(before: string, after: string): ReadonlySet<number> {
  const left = new Map<string, number>();
  for (const line of before.trim().split('\n')) left.set(line, (left.get(line) ?? 0) + 1);
  const changed = new Set<number>();
  for (const [index, line] of after.trimEnd().split('\n').entries()) {
    const more = left.get(line) ?? 0;
    if (more === 0) changed.add(index);
    else left.set(line, more - 1);
  }
  return changed;
}
