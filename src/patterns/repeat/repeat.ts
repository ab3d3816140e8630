// `repeat`: an agent, or its team, answers again until a judge finds the answer good.
// REPEAT-1. No answer passes unjudged. One that was judged not good is the answer only with `atMax: last`, as unmet.
// REPEAT-2. The next answer comes from the session that gave the last one; with `fresh`, and where a team answers, from a
//           run of its own, which gets the request, the last answer and the feedback.
// REPEAT-3. Nothing more is asked for after a graceful stop: a no ends the loop then.

import { perform, type Routine } from '../../kernel/effect.ts';
import { fault } from '../../kernel/fault.ts';
import {
  type AnsweredOutcome,
  type BrokenOutcome,
  brokenOutcome,
  isAnswered,
  type Outcome,
} from '../../kernel/outcome.ts';
import { give } from '../../kernel/session/conversation.ts';
import type { SessionInput } from '../../kernel/session/session-spec.ts';
import type { PatternContext, Wrap } from '../pattern.ts';
import { closeSession, runAgent, stopWasAsked } from '../run-agent.ts';
import { baseOf, composeRequest, feedback, lastAnswer } from '../sections.ts';
import { commandWords } from './command-words.ts';
import { askJudge, type Loop, type NotGood } from './judge.ts';
import { isCommand, type RepeatConfig } from './key.ts';

export const repeat =
  (config: RepeatConfig, context: PatternContext): Wrap =>
  (inner) =>
  (input) =>
    untilGood({ config, context, inner, input });

/** An answer that was judged not good. */
interface SentBack {
  readonly answer: AnsweredOutcome;
  readonly verdict: NotGood;
}

function* untilGood(loop: Loop): Routine<Outcome> {
  const { config, context, input } = loop;
  const isFresh = config.fresh || context.isReplaced;
  let before: SentBack | undefined;
  for (let round = 0; ; round++) {
    const answer = isFresh ? yield* answerAnew(loop, round, before) : yield* answerOn(loop, round, before);
    if (!isAnswered(answer)) return before === undefined ? answer : brokenOff(answer, round, before, loop);
    const verdict = yield* askJudge(loop, answer, round);
    const rounds = round + 1;
    if (verdict.kind === 'good') return { ...answer, rounds };
    if (verdict.kind === 'ended') return { ...verdict.outcome, rounds };
    before = { answer, verdict };
    if (rounds === config.max)
      return config.atMax === 'last' ? { ...answer, rounds, unmet: true } : spent(before, loop);
    // Without turns the session asks for nothing more: a look for a stop would be the last op, and not found in a replay.
    if ((isFresh || hasTurns(input)) && (yield* stopWasAsked(input))) return stopped(rounds, before, loop); // REPEAT-3
    yield* closeSession(answer);
  }
}

/** The session goes on where it was (REPEAT-2). */
function* answerOn({ inner, input, config }: Loop, round: number, before: SentBack | undefined): Routine<Outcome> {
  if (before === undefined) return yield* inner(input);
  const { feedback: why, handle } = before.verdict;
  if (handle !== undefined) give(input.conversation, handle);
  const text = feedback(round, config.max, why);
  return yield* inner({ ...input, request: { ...input.request, text } });
}

/** A run of the same agent, with everything that its other patterns gave to this one (REPEAT-2). */
function* answerAnew(loop: Loop, round: number, before: SentBack | undefined): Routine<Outcome> {
  const { config, context, inner, input } = loop;
  const { self, contract, keep, maxTurns } = input;
  context.rounds.set(self, ({ self: own, request, conversation, trigger }) =>
    inner({ ...input, self: own, request, conversation, trigger }),
  );
  return yield* runAgent({
    agent: context.agent,
    input: before === undefined ? input.request : yield* requestAgain(loop, round, before),
    trigger: { kind: 'repeat', round, of: config.max },
    contract,
    keep,
    limits: maxTurns === undefined ? undefined : { turns: maxTurns },
  });
}

/** A message that came for the agent between two rounds has no session that would hear it, so it goes along. */
function* requestAgain({ input, config }: Loop, round: number, { answer, verdict }: SentBack) {
  const { request, self } = input;
  const taken = yield* perform<'take'>({ kind: 'take', inbox: { session: self } });
  const arrived = taken.ok ? taken.value.messages.map(({ text }) => text) : [];
  const { handles = [] } = request;
  const composed = composeRequest(baseOf(request), [
    ...(request.sections ?? []),
    lastAnswer(answer.text),
    feedback(round, config.max, verdict.feedback),
    ...arrived,
  ]);
  return {
    ...request,
    ...composed,
    ...(verdict.handle !== undefined && { handles: [...new Set([...handles, verdict.handle])] }),
  };
}

const hasTurns = ({ conversation: { turns, maxTurns } }: SessionInput): boolean => turns < maxTurns;

/** An end that came before the judge keeps its kind. */
function brokenOff(outcome: Outcome, rounds: number, { answer, verdict }: SentBack, { config }: Loop): Outcome {
  if (!('fault' in outcome)) return outcome;
  const { message, details } = outcome.fault;
  const why = `${message} Its answer of round ${rounds} of ${config.max} was not good: ${verdict.short}`;
  const told = { ...outcome.fault, message: why, details: { ...details, why: verdict.why } };
  return { ...outcome, fault: told, partial: answer.text, rounds };
}

function stopped(rounds: number, sentBack: SentBack, { config, context }: Loop): BrokenOutcome {
  const { short } = sentBack.verdict;
  const what = `${context.agent} was asked to stop. Its answer of round ${rounds} of ${config.max} was not good: ${short}`;
  return ended('cancelled', what, rounds, sentBack);
}

function spent(sentBack: SentBack, { config, context }: Loop): BrokenOutcome {
  const { max, until } = config;
  const judge = isCommand(until) ? commandWords(until.command) : until;
  const which = max === 1 ? 'the answer' : `any of the ${max} answers`;
  const what = `${judge} did not find ${which} of ${context.agent} good. The last reason: ${sentBack.verdict.short}`;
  return ended('repeat/not-ok', what, max, sentBack);
}

function ended(
  code: 'cancelled' | 'repeat/not-ok',
  message: string,
  rounds: number,
  { answer, verdict }: SentBack,
): BrokenOutcome {
  const agent = answer.agent === undefined ? {} : { agent: answer.agent };
  return { ...brokenOutcome(fault(code, message, { why: verdict.why }), answer.text), ...agent, rounds };
}
