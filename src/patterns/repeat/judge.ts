// The judge of a loop: an agent that reads the request and the answer, or a command whose exit code decides.
// JUDGE-1. A judge that does not say whether the answer is good fails the run. It never counts as a yes or a no.
// JUDGE-2. What ended the judge from above (a cancel, a budget or a deadline of the agent or of one above) ends the run as
//          what it is.

import { type AgentName, perform, type Routine } from '../../kernel/effect.ts';
import { type Fault, fault } from '../../kernel/fault.ts';
import {
  type AnsweredOutcome,
  type BrokenOutcome,
  brokenOutcome,
  describe,
  isAnswered,
  isBroken,
  type Outcome,
} from '../../kernel/outcome.ts';
import { listViolations } from '../../kernel/schema.ts';
import type { SessionInput, SessionRoutine } from '../../kernel/session/session-spec.ts';
import type { PatternContext } from '../pattern.ts';
import { quoteText } from '../quote-text.ts';
import { runAgent } from '../run-agent.ts';
import { answerFrom, composeRequest, originOf, shownFiles } from '../sections.ts';
import { COMMAND_TOOL, commandFeedback, judgingCall } from './command.ts';
import { commandWords } from './command-words.ts';
import { isCommand, type RepeatConfig } from './key.ts';
import { verdictContract } from './verdict.ts';

/** The run of an agent with `repeat`: its loop and its judge share this. */
export interface Loop {
  readonly config: RepeatConfig;
  readonly context: PatternContext;
  /** The routine that is repeated. */
  readonly inner: SessionRoutine;
  readonly input: SessionInput;
}

export interface NotGood {
  readonly kind: 'not-good';
  readonly why: string;
  /** The beginning of it, on one line. */
  readonly short: string;
  /** The same for the session, quoted or fenced. */
  readonly feedback: string;
  /** Where the whole output of a command can be read. */
  readonly handle?: string;
}

/** `ended`: the judge gave no verdict, and the loop ends so. */
type LoopVerdict =
  | { readonly kind: 'good' }
  | NotGood
  | { readonly kind: 'ended'; readonly outcome: AnsweredOutcome | BrokenOutcome };

const VERDICT = verdictContract('Whether the answer is good.');

export function* askJudge(loop: Loop, answer: AnsweredOutcome, round: number): Routine<LoopVerdict> {
  const { until } = loop.config;
  return isCommand(until)
    ? yield* runJudge(until.command, loop, { answer, round })
    : yield* askAgent(until, loop, { answer, round });
}

/** The call has the path of its round, so a crash makes it again and a replay reads it. */
function* runJudge(command: string, { config, context, input }: Loop, judged: Judged): Routine<LoopVerdict> {
  const { judgeBasis: basis } = input;
  const settled = yield* perform<'tool'>({
    kind: 'tool',
    agent: context.agent,
    call: judgingCall(command, judged.round),
    source: COMMAND_TOOL,
    ...(basis !== undefined && { basis }),
    trigger: { kind: 'judge', round: judged.round, of: config.max },
  });
  const said = { judge: commandWords(command), stage: context.agent };
  if (!settled.ok) {
    const outcome = brokenOutcome(settled.fault, judged.answer.text);
    return ENDED_FROM_ABOVE.includes(outcome.kind)
      ? { kind: 'ended', outcome }
      : noVerdict(said, describe(outcome), judged, outcome);
  }
  const { text, handle, bytes, judged: verdict } = settled.value;
  if (verdict === undefined) return noVerdict(said, text, judged);
  if (verdict.good) return { kind: 'good' };
  const output = { text, ...(bytes !== undefined && handle !== undefined && { handle, bytes }) };
  return {
    kind: 'not-good',
    why: [verdict.end, text].filter(Boolean).join('\n'),
    short: oneLine([verdict.end, lastLine(text)].filter(Boolean).join(': ')),
    feedback: commandFeedback(command, verdict.end, output),
    ...('handle' in output && { handle: output.handle }),
  };
}

const ENDED_FROM_ABOVE: readonly Outcome['kind'][] = ['cancelled', 'over-budget', 'timed-out'];

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

function* askAgent(judge: AgentName, loop: Loop, judged: Judged): Routine<LoopVerdict> {
  const { config, context, input } = loop;
  const { answer, round } = judged;
  const { history } = input.request;
  const origin = originOf(input.request);
  const outcome = yield* runAgent({
    agent: judge,
    input: {
      ...composeRequest(origin, [answerFrom(context.agent, answer.text)]),
      origin,
      ...shownFiles(input.request),
      ...(history && { history }),
    },
    trigger: { kind: 'judge', round, of: config.max },
    contract: VERDICT,
  });
  return verdictOf(outcome, judge, loop, judged);
}

/** An answer, and the round that it was given in. */
interface Judged {
  readonly answer: AnsweredOutcome;
  readonly round: number;
}

function verdictOf(outcome: Outcome, judge: AgentName, loop: Loop, judged: Judged): LoopVerdict {
  const { context } = loop;
  if (isAnswered(outcome)) {
    if (outcome.stoppedAfter !== undefined) return { kind: 'ended', outcome };
    const violations = context.check(VERDICT.schema, outcome.data);
    if (violations.length > 0)
      return noVerdict({ judge, stage: judge }, `its answer is no verdict:\n${listViolations(violations)}`, judged);
    const { good, why } = outcome.data as { readonly good: boolean; readonly why: string };
    if (good) return { kind: 'good' };
    return { kind: 'not-good', why, short: oneLine(why), feedback: quoteText(why) };
  }
  if (isBroken(outcome) && isFromAbove(outcome, judge, loop))
    return { kind: 'ended', outcome: { ...outcome, partial: judged.answer.text } };
  return noVerdict({ judge, stage: judge }, describe(outcome), judged, outcome);
}

/** JUDGE-2. */
function isFromAbove({ kind, fault: why }: BrokenOutcome, judge: AgentName, { context }: Loop): boolean {
  if (kind === 'cancelled') return true;
  if (!ENDED_FROM_ABOVE.includes(kind)) return false;
  const { agent } = why.details ?? {};
  return typeof agent === 'string' && !context.leadsTo(judge, agent);
}

/** JUDGE-1. */
function noVerdict(
  { judge, stage: of }: { readonly judge: string; readonly stage: AgentName },
  why: string,
  { answer, round }: Judged,
  outcome?: Outcome,
): LoopVerdict {
  const message = `${judge} did not say whether the answer of round ${round + 1} is good: ${why}`;
  const stage = (outcome && isBroken(outcome) ? outcome.fault.stage : undefined) ?? outcome?.agent ?? of;
  const code =
    outcome && isBroken(outcome) ? { judge: { outcome: outcome.kind, code: outcome.fault.code } } : undefined;
  const failed: Fault = { ...fault('repeat/judge', message, code), stage };
  return { kind: 'ended', outcome: { ...brokenOutcome(failed, answer.text), agent: stage } };
}

const LONGEST = 300;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
