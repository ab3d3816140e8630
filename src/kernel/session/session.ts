// The session: one agent's conversation, as a pure loop. It knows nothing of patterns; they give it messages and
// tools, and read its outcome.
// SESSION-1. Each turn: take the inbox, ask the model, run the reply's calls at the same time, append results in call
//            order.
// SESSION-2. It ends at exactly one exit; two exits in a reply are both refused; other calls beside an exit run first.
// SESSION-3. Every decision follows from recorded answers, so the same answers always give the same outcome.
// SESSION-4. A conversation has one session. A further message continues it with the contract, tools, exits and turns
//            that it was opened with.

import {
  answerTo,
  type Mail,
  type ModelReply,
  type ModelRequest,
  parallel,
  type Routine,
  type RunInput,
  type SettledResult,
} from '../effect.ts';
import { fault } from '../fault.ts';
import { fileLines } from '../file-ref.ts';
import {
  type AssistantMessage,
  errorResult,
  okResult,
  type ToolCall,
  type ToolMessage,
  type ToolResult,
  type UserMessage,
  user,
} from '../message.ts';
import { brokenCall, brokenOutcome, type Outcome } from '../outcome.ts';
import { listViolations, type Violation } from '../schema.ts';
import { countCalls, type MadeCall } from './circles.ts';
import { compactIfFull } from './compaction.ts';
import { correct, makeRoom } from './context.ts';
import { add, ask, hear, type SessionConversation, userWith } from './conversation.ts';
import { recall } from './history.ts';
import * as notices from './notices.ts';
import type { Services, SessionRoutine, SessionSpec } from './session-spec.ts';
import { offer, openState, type SessionState } from './session-state.ts';
import type { SessionTool, ToolAnswer } from './session-tool.ts';

export const session =
  (spec: SessionSpec, tools: readonly SessionTool[], services: Services): SessionRoutine =>
  (input) => {
    const { goOn } = input.conversation;
    if (goOn !== undefined) return goOn(input.request.text); // SESSION-4
    const state = openState(spec, tools, input, services);
    input.conversation.goOn = (text) => converse(state, user(text));
    return converse(state, opening(state));
  };

/** The session's own first message. An empty conversation begins with the history. */
function opening(state: SessionState): UserMessage {
  const { history, ...request } = state.input.request;
  const asked = requestMessage(request);
  if (history === undefined || state.talk.messages.length > 0) return asked;
  const leftOut = recall(state, history, asked);
  return leftOut === 0 ? asked : { ...asked, text: `${notices.historyLeftOut(leftOut)}\n\n${asked.text}` };
}

/** The text of a request has the lines of its files, unless it is JSON that stands alone. */
function requestMessage({ text, files, data, base }: RunInput): UserMessage {
  if (files === undefined) return user(text);
  return userWith(text, files, data !== undefined && base === undefined ? fileLines(files) : undefined);
}

/** The whole loop. */
function* converse(state: SessionState, asked: UserMessage): Routine<Outcome> {
  const { talk, spec, services } = state;
  let violations: readonly Violation[] = [];
  if (talk.turns >= talk.maxTurns) return spent(state, 'turns', violations);
  if (asked.text !== '') {
    talk.circles?.clear(); // CIRCLE-2
    ask(talk, asked, services.estimate);
  }
  for (;;) {
    let mail = mailIn(state, answerTo<'take'>(yield { kind: 'take', inbox: state.box }));
    if (spec.compact !== undefined) {
      const stop = yield* compactIfFull(state, mail);
      if (stop !== mail.stop && stop !== undefined) mail = { ...mail, stop };
    }
    const final = prepare(state, mail);
    const reply = answerTo<'model'>(yield { kind: 'model', request: requestOf(state, final !== undefined) });
    take(state, reply);
    if (!reply.ok) return { ...brokenCall(reply.fault, talk.lastText), agent: spec.agent };
    const turn = yield* respond(state, reply.value.message, final !== undefined);
    if (turn.outcome !== undefined || final !== undefined) yield* leaveResults(talk);
    if (turn.outcome !== undefined) return turn.outcome;
    if (turn.violations.length > 0) violations = turn.violations;
    if (final !== undefined) return spent(state, final, violations);
  }
}

function mailIn(state: SessionState, taken: SettledResult<Mail>): Mail {
  const mail: Mail = taken.ok ? taken.value : { messages: [] };
  if (mail.tools !== undefined) offer(state, mail.tools);
  return mail;
}

/** Takes in what arrived, makes room, and says why this turn is the last one, if it is. */
function prepare(state: SessionState, mail: Mail): notices.FinalReason | undefined {
  const { talk, services } = state;
  const fits = receive(state, mail);
  const final = finalReason(fits, mail, talk.turns + 1 >= talk.maxTurns);
  talk.last = final !== undefined;
  if (final !== undefined) {
    hear(talk, notices.lastTurnNotice(final, state.exitNames), services.estimate);
  }
  return final;
}

/** Everything that arrived goes into one message. A note replaces what does not fit. */
function receive(state: SessionState, mail: Mail): boolean {
  const { talk, services, window, input } = state;
  if (mail.messages.length === 0 && mail.broadcasts === undefined) return makeRoom(talk, window, services.estimate);
  const arrived = mail.messages.map(({ text }) => text);
  if (mail.broadcasts !== undefined) arrived.push(...(input.inject?.(mail.broadcasts) ?? []));
  if (arrived.length === 0) return makeRoom(talk, window, services.estimate);
  talk.circles?.clear(); // CIRCLE-2
  let overflow = false;
  const texts: string[] = [];
  let size = 0;
  for (const text of arrived) {
    const needed = services.estimate(text);
    const fits = makeRoom(talk, window, services.estimate, size + needed);
    overflow ||= !fits;
    texts.push(fits ? text : notices.droppedNotice(text));
    size += fits ? needed : 0;
  }
  hear(talk, texts.join('\n\n'), services.estimate);
  return !overflow && makeRoom(talk, window, services.estimate);
}

function finalReason(fits: boolean, mail: Mail, lastTurn: boolean): notices.FinalReason | undefined {
  if (!fits) return 'context';
  if (mail.stop !== undefined) return 'stop';
  return lastTurn ? 'turns' : undefined;
}

function requestOf(state: SessionState, final: boolean): ModelRequest {
  const { talk, spec } = state;
  talk.turns += 1;
  const request: ModelRequest = {
    session: state.input.self,
    agent: spec.agent,
    turn: talk.turns,
    models: spec.models,
    settings: spec.settings,
    system: state.system,
    messages: talk.messages,
    fresh: talk.fresh,
    folded: talk.folded,
    tools: final && spec.keepsTools !== true ? state.exitSpecs : state.specs(),
    choice: final && state.contract.format === 'json' ? 'required' : 'auto',
    output: state.contract,
    maxRetries: spec.maxRetries,
    timeoutMs: spec.modelTimeoutMs,
  };
  const compacted = talk.compacted?.untold;
  if (talk.history === 0 && !final && compacted === undefined && talk.showsFiles === undefined) return request;
  return {
    ...request,
    ...(talk.showsFiles && { showsFiles: true }),
    ...(compacted && { compacted }),
    ...(final && spec.keepsTools && { callable: state.exitNames }),
    ...(talk.history > 0 && { history: talk.history }),
  };
}

/** Takes the reply into the conversation. */
function take({ talk, window, services }: SessionState, reply: SettledResult<ModelReply>): void {
  talk.fresh = talk.messages.length;
  if (talk.folded.length > 0) talk.folded = [];
  if (talk.compacted?.untold !== undefined) {
    const { untold: _, ...rest } = talk.compacted;
    talk.compacted = rest;
  }
  if (reply.ok) {
    const counted = reply.value.spent.usage?.input;
    if (counted !== undefined) correct(talk, window.fixed, counted);
    add(talk, reply.value.message, services.estimate);
  }
}

/** Most replies that end a session have one call, which was taken: nothing is left to tell then. */
function* leaveResults({ messages, fresh }: SessionConversation): Routine<void> {
  const results = messages.slice(fresh).filter((message): message is ToolMessage => message.role === 'tool');
  if (results.some(({ result }) => result.status === 'error')) yield { kind: 'last-results', messages: results };
}

interface TurnResult {
  readonly outcome?: Outcome;
  readonly violations: readonly Violation[];
}

function* respond(state: SessionState, message: AssistantMessage, final: boolean): Routine<TurnResult> {
  if (message.calls.length === 0) return yield* respondToText(state, message.text);
  const leaving = message.calls.filter((call) => isExit(state.byName.get(call.name), call, final));
  const working = leaving.length === 0 ? message.calls : message.calls.filter((call) => !leaving.includes(call));
  const results = yield* runCalls(state, working, final);
  const stuck = final ? undefined : guard(state, working, results);
  if (leaving.length > 1) {
    const refusal = errorResult(notices.twoExits(leaving.map((call) => call.name)));
    for (const call of leaving) results.set(call, refusal);
  } else if (leaving[0] !== undefined) {
    results.set(leaving[0], yield* runCall(state, leaving[0], false));
  }
  const turn = conclude(state, message.calls, results);
  return turn.outcome === undefined && stuck !== undefined ? { ...turn, outcome: stuck } : turn;
}

/** Puts notes in place of results that came before. Returns the end of the session, if it goes in circles. */
function guard(
  { spec, talk, byName }: SessionState,
  calls: readonly ToolCall[],
  results: Map<ToolCall, ToolAnswer>,
): Outcome | undefined {
  const { agent, stuck, maxToolCallsPerTurn } = spec;
  if (stuck === undefined) return undefined;
  const made: MadeCall[] = [];
  for (const call of calls.slice(0, maxToolCallsPerTurn)) {
    const answer = results.get(call) as ToolAnswer;
    if ('status' in answer) made.push({ call, result: answer, tool: byName.get(call.name) });
  }
  const { notes, end } = countCalls((talk.circles ??= new Map()), made, talk.turns, { agent, stuck });
  for (const [call, note] of notes) results.set(call, note);
  return end === undefined ? undefined : { ...brokenOutcome(end, talk.lastText), agent };
}

/** On the last turn only an exit that is still offered can be taken. */
const isExit = (tool: SessionTool | undefined, call: ToolCall, final: boolean): boolean =>
  tool?.exits?.(call) === true && !(final && tool.unavailableOnLastTurn === true);

/** Runs the calls that do not end the session at the same time, as many as a turn may make. */
function* runCalls(
  state: SessionState,
  calls: readonly ToolCall[],
  final: boolean,
): Routine<Map<ToolCall, ToolAnswer>> {
  const limit = state.spec.maxToolCallsPerTurn;
  const allowed = calls.slice(0, limit);
  const only = allowed.length === 1 ? allowed[0] : undefined;
  const answers =
    only !== undefined
      ? [yield* runCall(state, only, final)]
      : yield* parallel(allowed.map((call) => () => runCall(state, call, final)));
  const results = new Map<ToolCall, ToolAnswer>();
  allowed.forEach((call, index) => results.set(call, answers[index] as ToolAnswer));
  for (const call of calls.slice(limit)) results.set(call, errorResult(notices.tooManyCalls(limit)));
  return results;
}

function* runCall(state: SessionState, call: ToolCall, exitsOnly: boolean): Routine<ToolAnswer> {
  const tool = exitsOnly ? undefined : state.byName.get(call.name);
  const current = tool?.currentSpec === undefined ? tool?.spec : tool.currentSpec();
  if (tool?.validatesItself !== true && current === undefined) {
    const known = exitsOnly ? state.exitSpecs : state.specs();
    return errorResult(
      notices.unknownTool(
        call.name,
        known.map(({ name }) => name),
      ),
    );
  }
  if (call.malformed !== undefined && tool?.acceptsMalformed !== true)
    return errorResult(notices.malformedArguments(call.name, call.malformed));
  if (tool?.validatesItself !== true && current !== undefined) {
    const violations = state.services.check(tool?.held ?? current.parameters, call.arguments);
    if (violations.length > 0) return errorResult(notices.wrongArguments(call.name, listViolations(violations)));
  }
  return yield* (tool as SessionTool).run(call, state.talk);
}

/** Writes the results down in the order of the calls, and finds the one that ends the session. */
function conclude(
  state: SessionState,
  calls: readonly ToolCall[],
  results: ReadonlyMap<ToolCall, ToolAnswer>,
): TurnResult {
  let outcome: Outcome | undefined;
  let violations: readonly Violation[] = [];
  for (const call of calls) {
    const answer = results.get(call) as ToolAnswer;
    if ('outcome' in answer) outcome = answer.outcome;
    if ('refused' in answer) violations = answer.violations;
    const result = 'outcome' in answer ? TAKEN : 'refused' in answer ? answer.refused : answer;
    add(state.talk, { role: 'tool', call: call.id, name: call.name, result }, state.services.estimate);
  }
  return outcome === undefined ? { violations } : { outcome, violations };
}

const TAKEN: ToolResult = okResult('Taken.');
const NOT_JSON: Violation = { path: '$', message: 'is not JSON' };

/** A plain text reply counts as a call of the exit that accepts one. */
function* respondToText(state: SessionState, text: string): Routine<TurnResult> {
  const { talk, services } = state;
  const exit = text.trim() === '' ? undefined : state.exits.find((tool) => tool.fromText !== undefined);
  const given = exit?.fromText?.(text);
  if (exit === undefined || given === undefined) {
    hear(talk, notices.answerByCall(names(state.exits)), services.estimate);
    return { violations: exit === undefined ? [] : [NOT_JSON] };
  }
  const answer = yield* exit.run({ id: 'text', name: exit.spec.name, arguments: given }, talk);
  if ('outcome' in answer) return { outcome: answer.outcome, violations: [] };
  const refused = 'refused' in answer ? answer.refused : answer;
  hear(talk, refused.text, services.estimate);
  return { violations: 'refused' in answer ? answer.violations : [] };
}

function spent(state: SessionState, why: notices.FinalReason, violations: readonly Violation[]): Outcome {
  const { agent } = state.spec;
  const { maxTurns } = state.talk;
  const details = violations.length > 0 ? { violations } : undefined;
  const wrong =
    violations.length > 0 ? `; its last one did not satisfy the contract:\n${listViolations(violations)}` : '.';
  const cause = {
    stop: fault('cancelled', `${agent} was asked to stop and gave no final answer in its last turn${wrong}`, details),
    context: fault('context/overflow', `${agent} filled its context window without a final answer${wrong}`, details),
    turns: fault('turns/exhausted', `${agent} spent its ${maxTurns} turns without a final answer${wrong}`, details),
  }[why];
  return { ...brokenOutcome(cause, state.talk.lastText), agent };
}

const names = (tools: readonly SessionTool[]): readonly string[] => tools.map((tool) => tool.spec.name);
