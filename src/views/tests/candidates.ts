// Candidates side by side: a team and one agent in its place, with one model or several, each case once or several times.
// CANDIDATE-1. Only cases that every candidate ran are counted: one that was left out for one of them is left out for all.
// CANDIDATE-2. The table states figures. Of two candidates it says whether their shares can be told apart, and by what
//              chance, never which one is better.

import type { Totals } from '../costs/totals.ts';
import { spentOn } from './compared.ts';
import { type Share, sameShareChance, shareRange } from './share.ts';
import type { CandidateKind, RecordedCase, TestHead } from './test-record.ts';

type Candidate = NonNullable<TestHead['candidates']>[number];

/** A median, and the lowest and the highest. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface CandidateRow extends Share {
  readonly kind: CandidateKind;
  readonly model?: string;
  /** Cases that count, each once, whatever the number of its times. */
  readonly cases: number;
  /** Cases that do not count, because one of the candidates did not run them. */
  readonly leftOut: number;
  /** Expectations of the cases that do not count for one agent. */
  readonly setAside: number;
  /** The true share lies in this range with 95 %. */
  readonly range: readonly [number, number];
  /** The share of verdicts of judges that are good. Undefined where nothing was judged. */
  readonly judgedGood: number | undefined;
  readonly spent: Totals;
  /** For one case, at one time. Undefined where nothing ran, and for money where a price is unknown. */
  readonly usd: Spread | undefined;
  readonly tokens: Spread | undefined;
  readonly ms: Spread | undefined;
}

export function candidateRows(
  cases: readonly RecordedCase[],
  candidates: readonly Candidate[],
): readonly CandidateRow[] {
  const left = leftOutIn(cases, candidates);
  return candidates.map(({ kind, model }) => {
    const own = cases.filter(
      (one) => isOf(one, { kind, ...(model !== undefined && { model }) }) && !left.has(keyOf(one)),
    );
    const passed = own.filter(({ state }) => state === 'passed').length;
    const verdicts = own.flatMap((one) => one.verdicts ?? []);
    return {
      kind,
      ...(model !== undefined && { model }),
      passed,
      of: own.length,
      cases: new Set(own.map(keyOf)).size,
      leftOut: left.size,
      setAside: setAsideIn(own),
      range: shareRange({ passed, of: own.length }),
      judgedGood: verdicts.length === 0 ? undefined : verdicts.filter(({ good }) => good).length / verdicts.length,
      spent: spentOn(own),
      usd: spreadOf(own.map(({ spent }) => (spent?.unpriced === 0 ? spent.usd : undefined))),
      tokens: spreadOf(own.map(({ spent }) => spent && spent.input + spent.output)),
      ms: spreadOf(own.map(({ ms }) => ms)),
    };
  });
}

/** Expectations that were set aside, each case once. */
const setAsideIn = (own: readonly RecordedCase[]): number =>
  own.reduce((sum, { time, setAside = 0 }) => sum + ((time ?? 1) > 1 ? 0 : setAside), 0);

const isOf = (one: RecordedCase, { kind, model }: Candidate): boolean =>
  (one.kind ?? 'team') === kind && one.model === model;

const keyOf = ({ file, name }: Pick<RecordedCase, 'file' | 'name'>): string => `${file} ${name}`;

/** CANDIDATE-1 */
function leftOutIn(cases: readonly RecordedCase[], candidates: readonly Candidate[]): ReadonlySet<string> {
  return new Set(
    cases.filter((one) => one.state === 'skipped' && candidates.some((candidate) => isOf(one, candidate))).map(keyOf),
  );
}

function spreadOf(given: readonly (number | undefined)[]): Spread | undefined {
  const known = given.filter((one) => one !== undefined).sort((one, other) => one - other);
  const median = known[Math.floor((known.length - 1) / 2)];
  if (median === undefined || known.length < given.length) return undefined;
  return { median, least: known[0] as number, most: known.at(-1) as number };
}

/** By this chance a difference is claimed that is none, for all pairs together (Bonferroni). */
const WRONG = 0.05;

/**
 * A team and its one agent with each model; without such, each model and the next. `chance`: that they differ at least so much
 * though both are equally good.
 */
export function candidatePairs(rows: readonly CandidateRow[]) {
  const alone = rows.filter(({ kind }) => kind === 'alone');
  const pairs =
    alone.length > 0
      ? alone.flatMap((other) => {
          const one = rows.find(({ kind, model }) => kind === 'team' && model === other.model);
          return one === undefined ? [] : [{ one, other }];
        })
      : rows.slice(1).map((other, at) => ({ one: rows[at] as CandidateRow, other }));
  return pairs.map(({ one, other }) => {
    const chance = sameShareChance(one, other);
    return { one, other, chance, isApart: chance * pairs.length < WRONG };
  });
}

export const candidateName = ({ kind, model }: Pick<CandidateRow, 'kind' | 'model'>, isKindNamed: boolean): string =>
  [...(isKindNamed || model === undefined ? [kind] : []), ...(model === undefined ? [] : [model])].join(' ');

/** The sentence under the table. */
export function pairWords(
  { one, other, chance, isApart }: ReturnType<typeof candidatePairs>[number],
  isKindNamed: boolean,
): string {
  const [left, right] = [candidateName(one, isKindNamed), candidateName(other, isKindNamed)];
  const counts = `${one.passed} of ${one.of} against ${other.passed} of ${other.of} passed`;
  const by = `by chance alone as far apart in ${percent(chance)} of such comparisons`;
  return isApart
    ? `${left} and ${right} differ: ${counts}, ${by}.`
    : `${left} and ${right} cannot be told apart at this number of tries: ${counts}, ${by}.`;
}

const percent = (chance: number): string => {
  const share = chance * 100;
  return share < 0.1 ? 'less than 0.1 %' : `${share < 10 ? share.toFixed(1) : Math.round(share)} %`;
};
