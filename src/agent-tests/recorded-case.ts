// The result of a case, as it is shown and kept: without the events of its runs.

import { addTotals } from '../views/costs/totals.ts';
import { failureDiff } from '../views/tests/failure-diff.ts';
import type { CaseFailure, RecordedCase } from '../views/tests/test-record.ts';
import type { Failure } from './checks.ts';
import type { CaseResult } from './run-case.ts';

export function recordedCase(
  result: CaseResult,
  {
    folder,
    kept,
  }: {
    /** Absolute: the folder of its agents. */
    readonly folder: string;
    /** Its runs are in the store. */
    readonly kept: boolean;
  },
): RecordedCase {
  const { test, state, why, failures, model, kind, time, setAside, observed, spent, ms, verdicts, runs } = result;
  const { name, file, line, agent } = test;
  return {
    name,
    file,
    line,
    agent,
    folder,
    ...(model !== undefined && { model }),
    ...(kind !== undefined && { kind }),
    ...(time !== undefined && { time }),
    ...(setAside !== undefined && setAside > 0 && { setAside }),
    state,
    ...(why !== undefined && { why }),
    failures: failures.map(withDiff),
    ...(observed !== undefined && { outcome: observed.outcome.kind, answer: observed.text }),
    asked: observed?.agents.map((one) => one.name) ?? [],
    called: observed?.tools.map((one) => one.name) ?? [],
    ...(ms !== undefined && { ms }),
    ...(spent !== undefined && { spent }),
    ...(verdicts !== undefined && {
      verdicts: verdicts.map(({ run, good, why: reason }) => ({ run, good, why: reason })),
      judges: addTotals(verdicts.map(({ totals }) => totals)),
    }),
    runs,
    kept,
  };
}

function withDiff(failure: Failure): CaseFailure {
  const diff = failureDiff(failure);
  return diff === undefined ? failure : { ...failure, diff };
}

const LONGEST = 4000;
const MOST_NAMES = 200;

/** The same with long texts cut: the run has the whole. */
export function cutCase(one: RecordedCase): RecordedCase {
  const { failures, answer, why, asked, called } = one;
  return {
    ...one,
    ...(why !== undefined && { why: cut(why) }),
    failures: failures.slice(0, 50).map(({ what, expected, received, diff }) => ({
      what: cut(what),
      ...(expected !== undefined && { expected: cut(expected) }),
      ...(received !== undefined && { received: cut(received) }),
      ...(diff !== undefined && { diff: cut(diff) }),
    })),
    ...(answer !== undefined && { answer: cut(answer) }),
    asked: asked.slice(0, MOST_NAMES),
    called: called.slice(0, MOST_NAMES),
  };
}

const cut = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} more characters`;
