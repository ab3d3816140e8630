// Cases side by side: what each model passed, and what that cost and took; and for each case what came of it with each
// model. Pure.

import { addTotals, type Totals } from '../costs/totals.ts';
import type { RecordedCase, TestCounts } from './test-record.ts';

export const countsOf = (cases: readonly Pick<RecordedCase, 'state'>[]): TestCounts => ({
  passed: cases.filter(({ state }) => state === 'passed').length,
  failed: cases.filter(({ state }) => state === 'failed').length,
  skipped: cases.filter(({ state }) => state === 'skipped').length,
});

export const spentOn = (cases: readonly RecordedCase[]): Totals =>
  addTotals(cases.flatMap(({ spent }) => (spent === undefined ? [] : [spent])));
export const spentOnJudges = (cases: readonly RecordedCase[]): Totals =>
  addTotals(cases.flatMap(({ judges }) => (judges === undefined ? [] : [judges])));

export interface ModelColumn {
  /** Undefined: the agents' own models. */
  readonly model: string | undefined;
  readonly counts: TestCounts;
  readonly spent: Totals;
  readonly judges: Totals;
  /** The times of the cases that ran: the one in the middle, and all together. Undefined if none did. */
  readonly medianMs: number | undefined;
  readonly totalMs: number;
  /** The share of verdicts of judges that are good. Undefined where nothing was judged. */
  readonly judgedGood: number | undefined;
}

/** The results of the agents as they are: those of one agent in their place are compared by `candidateRows`. */
export const ofTeams = <Case extends Pick<RecordedCase, 'kind'>>(cases: readonly Case[]): readonly Case[] =>
  cases.filter(({ kind }) => kind !== 'alone');

/** One for each model that was chosen, in that order; one for all if none was. */
export function modelColumns(all: readonly RecordedCase[], models: readonly string[]): readonly ModelColumn[] {
  const cases = ofTeams(all);
  return (models.length === 0 ? [undefined] : models).map((model) => {
    const own = model === undefined ? cases : cases.filter((one) => one.model === model);
    const times = own.flatMap(({ ms }) => (ms === undefined ? [] : [ms])).sort((one, other) => one - other);
    const verdicts = own.flatMap((one) => one.verdicts ?? []);
    return {
      model,
      counts: countsOf(own),
      spent: spentOn(own),
      judges: spentOnJudges(own),
      medianMs: times[Math.floor((times.length - 1) / 2)],
      totalMs: times.reduce((sum, ms) => sum + ms, 0),
      judgedGood: verdicts.length === 0 ? undefined : verdicts.filter(({ good }) => good).length / verdicts.length,
    };
  });
}

export interface ComparedCase {
  /** Tells it from all others of the record. */
  readonly key: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly agent: string;
  /** The results in the order of the models. A model with which it has not been run yet is missing. */
  readonly results: readonly RecordedCase[];
  /** Some models passed it and others did not. */
  readonly differs: boolean;
  readonly state: RecordedCase['state'];
}

/** The cases in the order of their files, each once. */
export function comparedCases(cases: readonly RecordedCase[], models: readonly string[]): readonly ComparedCase[] {
  const byKey = new Map<string, RecordedCase[]>();
  for (const one of ofTeams(cases)) {
    const key = caseKey(one);
    byKey.set(key, [...(byKey.get(key) ?? []), one]);
  }
  return [...byKey].map(([key, found]) => {
    const results = found.toSorted((one, other) => models.indexOf(one.model ?? '') - models.indexOf(other.model ?? ''));
    const { name, file, line, agent } = results[0] as RecordedCase;
    const states = new Set(results.map(({ state }) => state));
    const differs = states.has('passed') && states.has('failed');
    const state = states.has('failed') ? 'failed' : states.has('passed') ? 'passed' : 'skipped';
    return { key, name, file, line, agent, results, differs, state };
  });
}

const caseKey = ({ file, name }: Pick<RecordedCase, 'file' | 'name'>): string => `${file} ${name}`;
