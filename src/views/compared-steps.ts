// The ops of two runs side by side, in the order of the left one. Each is the same, another answer or another request, or
// stands on one side only. An op around others that was asked the same is marked as nothing: what differs is within it.

import { present } from '../base/text/present.ts';
import { atOnce } from '../base/text/steps.ts';
import type { RunEvent } from '../journal/event.ts';
import { opWords } from '../journal/op-words.ts';
import type { OpPath } from '../kernel/path.ts';
import { answerOf, askedOf, isEqual, pathsAround, type RecordedOp, readOps } from './diff-reading.ts';

export type StepFate = 'same' | 'other answer' | 'other request' | 'only left' | 'only right' | 'around';

export interface ComparedStep {
  readonly path: OpPath;
  readonly what: string;
  /** The time on each side, in milliseconds. */
  readonly left?: number;
  readonly right?: number;
  readonly fate: StepFate;
}

export function comparedSteps(left: readonly RunEvent[], right: readonly RunEvent[]): readonly ComparedStep[] {
  const [ours, theirs] = [atOnce(readOps(left)), atOnce(readOps(right))];
  const around = pathsAround(ours, theirs);
  const rows = [...ours.ops.values()].map((op) => {
    const other = theirs.ops.get(op.path);
    return step(op, op, other, other === undefined ? 'only left' : fateOf(op, other, around.has(op.path)));
  });
  const rest = [...theirs.ops.values()].filter(({ path }) => !ours.ops.has(path));
  return [...rows, ...rest.map((op) => step(op, undefined, op, 'only right'))];
}

function step(
  op: RecordedOp,
  left: RecordedOp | undefined,
  right: RecordedOp | undefined,
  fate: StepFate,
): ComparedStep {
  return {
    path: op.path,
    what: opWords(op.begin),
    ...present({ left: tookOf(left), right: tookOf(right) }),
    fate,
  };
}

const tookOf = (op: RecordedOp | undefined): number | undefined =>
  op?.end === undefined ? undefined : op.end.at - op.begin.at;

function fateOf(op: RecordedOp, other: RecordedOp, isAround: boolean): StepFate {
  if (!isEqual(askedOf(op), askedOf(other))) return 'other request';
  if (isAround) return 'around';
  return isEqual(answerOf(op), answerOf(other)) ? 'same' : 'other answer';
}

/** `common`: the steps that are the same until the runs part. */
export function stepCounts(steps: readonly ComparedStep[], common: number) {
  const count = (...fates: readonly StepFate[]): number => steps.filter(({ fate }) => fates.includes(fate)).length;
  return {
    different: count('other answer', 'other request'),
    onOneSide: count('only left', 'only right'),
    /** The same, although something before was not. */
    sameAfter: Math.max(0, count('same') - common),
  };
}
