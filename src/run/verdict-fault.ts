// The reason why a verdict does not count. This is the one rule for every surface: a run that takes a verdict asks
// here, and so does whoever sends one to a run of another process.
// SEEN-1. A verdict is about one op of one run, and about what was shown there: `seen` is the digest of that. One that
//     names something else is refused, and so is one that comes second, or for an op that does not wait.

import { escapeUnseen } from '../base/text/escape-unseen.ts';
import type { RunId } from '../journal/event.ts';
import { approvalDigest } from '../journal/fingerprint.ts';
import { type GiveVerdict, verdictIn } from '../kernel/control.ts';
import type { Verdict } from '../kernel/effect.ts';
import { type Fault, fault } from '../kernel/fault.ts';
import type { OpPath } from '../kernel/path.ts';
import { answerProblem } from '../kernel/person.ts';
import { listViolations } from '../kernel/schema.ts';
import { formAnswer, serverQuestionIn } from '../kernel/server-question.ts';
import { verdictText } from '../kernel/verdict-words.ts';
import { isUsableSchema, schemaCheck } from '../tools/json-schema.ts';

/** The question to a person at an op that waits. */
export interface OpenQuestion {
  readonly path: OpPath;
  readonly prompt: string;
  readonly about?: unknown;
}

export interface KnownQuestions {
  decided(op: OpPath): Verdict | undefined;
  /** The questions that wait, in the order in which they were asked. */
  waiting(): readonly OpenQuestion[];
}

/** A digest, or its beginning as a person copies it from a command. */
const DIGEST = /^[0-9a-f]{12,64}$/;

/** Undefined: it counts. */
export function verdictFault(run: RunId, verdict: GiveVerdict, known: KnownQuestions): Fault | undefined {
  const { op, seen } = verdict;
  const first = known.decided(op);
  if (first !== undefined) return decidedFault(op, first);
  const waiting = known.waiting();
  const question = waiting.find(({ path }) => path === op);
  if (question === undefined) {
    const others = waiting.length === 0 ? 'None does.' : `These do: ${waiting.map(({ path }) => path).join(', ')}`;
    return fault('approval/unknown', `No op ${op} of run ${run} waits for a person. ${others}`);
  }
  if (seen !== undefined && !(DIGEST.test(seen) && approvalDigest(question.prompt, question.about).startsWith(seen))) {
    const now = `Op ${op} of run ${run} asks for something else than what was shown: ${escapeUnseen(question.prompt)}.`;
    return fault('approval/changed', `${now} Look at it again, and answer that.`, { run, op, prompt: question.prompt });
  }
  const given = verdictIn(verdict);
  const misfit = answerProblem(question.about, given) ?? formProblem(question.about, given);
  return misfit === undefined ? undefined : fault('approval/answer', misfit);
}

/** The first mistake of an answer in the form of a server, whose schema it has to satisfy. */
function formProblem(about: unknown, { approved, answer }: Verdict): string | undefined {
  const form = serverQuestionIn(about)?.form;
  if (form === undefined || !approved || answer === undefined) return undefined;
  const read = formAnswer(form, answer);
  if (!read.ok) return read.problem;
  if (!isUsableSchema(form)) return undefined; // the server checks it
  const violations = schemaCheck(form, read.content);
  return violations.length === 0 ? undefined : `The answer does not fit the form: ${listViolations(violations)}`;
}

/** The fault names the person who decided, and the decision. */
export function decidedFault(op: OpPath, verdict: Verdict): Fault {
  const { approved, by } = verdict;
  return fault('approval/decided', decidedText(op, verdict), { approved, ...(by !== undefined && { by }) });
}

export const decidedText = (op: OpPath, verdict: Verdict): string =>
  `Op ${op} was decided already: ${verdictText(verdict)}.`;
