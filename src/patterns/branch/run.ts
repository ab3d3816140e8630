// One run of a branch.

import type { Routine } from '../../kernel/effect.ts';
import { type AnsweredOutcome, brokenOutcome } from '../../kernel/outcome.ts';
import type { StepEnd, StepRun } from '../chain-step.ts';
import { dataOf, payloadFault, runHop } from '../hop.ts';
import type { BranchPass, BranchStep, CaseEnd } from './step.ts';

export function* runBranch(step: BranchStep, at: StepRun, answer: AnsweredOutcome): Routine<StepEnd> {
  const data = dataOf(answer);
  const value = ownValue(data, step.by);
  const end = endFor(step, value);
  if (end === undefined) {
    const violation = {
      path: `$.${step.by}`,
      message: value === undefined ? 'is missing' : `is ${shown(value)}, for which there is no case`,
    };
    const why = payloadFault(at.upstream, `the branch by \`${step.by}\``, [violation]);
    return { by: at.upstream, stands: true, outcome: { ...brokenOutcome(why, answer.text), agent: at.upstream } };
  }
  const taken = { case: String(value) };
  if (end === null) return { by: at.upstream, stands: true, outcome: standing(answer, at), ...taken };
  const hop: StepRun = { ...at, pass: step.pass === 'request+answer' ? step.pass : 'answer' };
  return { ...(yield* runHop(end, hop, partOf(answer, data, step.pass), taken)), ...taken };
}

const ownValue = (data: unknown, name: string): unknown =>
  typeof data === 'object' && data !== null && Object.hasOwn(data, name)
    ? (data as Readonly<Record<string, unknown>>)[name]
    : undefined;

function endFor({ cases, otherwise }: BranchStep, value: unknown): CaseEnd | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const found = cases.find((one) => one.value === String(value));
  return found === undefined ? otherwise : found.end;
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
};

/** A caller that wants text gets the JSON as text. */
function standing(answer: AnsweredOutcome, at: StepRun): AnsweredOutcome {
  const wanted = at.contractOf(at.upstream);
  if (wanted === undefined || wanted.format === 'json') return answer;
  const { data: _, ...text } = answer;
  return text;
}

function partOf(answer: AnsweredOutcome, data: unknown, pass: BranchPass): AnsweredOutcome {
  if (typeof pass === 'string') return answer;
  const part = ownValue(data, pass.field);
  return { ...answer, text: typeof part === 'string' ? part : JSON.stringify(part), data: part };
}
