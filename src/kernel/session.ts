// The session: one agent's conversation, as a pure loop. It knows nothing of patterns; they give it messages and
// tools, and read its outcome.
// S1. Each turn: take the inbox, ask the model, run the reply's calls at the same time, append results in call order.
// S2. It ends at exactly one exit; two exits in a reply are both refused; other calls beside an exit run first.
// S3. Every decision follows from recorded answers, so the same answers always give the same outcome.
// S4. A conversation has one session. A further message continues it with the contract, tools, exits and turns that it
//     was opened with.

import { correct, makeRoom, type Window } from './context.ts';
import { add, type Estimate, give, hear, type SessionConversation } from './conversation.ts';
import {
  type AgentName,
  answerTo,
  type Broadcast,
  fork,
  type InboxRef,
  type Mail,
  type ModelReply,
  type ModelRequest,
  type ModelSettings,
  type OfferedTools,
  type Routine,
  type RunInput,
  type SessionRef,
  type Settled,
  type TeamSeat,
  type Trigger,
} from './effect.ts';
import { fault } from './fault.ts';
import { finalReport } from './final-report.ts';
import { recall } from './history.ts';
import {
  type AssistantMessage,
  errorResult,
  okResult,
  type ToolCall,
  type ToolResult,
  type ToolSpec,
} from './message.ts';
import * as notices from './notices.ts';
import { broken, brokenCall, type Outcome } from './outcome.ts';
import { listViolations, type OutputContract, type SchemaCheck, type Violation } from './schema.ts';
import { type SessionTool, type ToolAnswer, withOffered } from './session-tool.ts';

/** What a session is made of, from the agent's file. */
export interface SessionSpec {
  readonly agent: AgentName;
  readonly system: string;
  readonly models: readonly string[];
  readonly settings: ModelSettings;
  readonly output: OutputContract;
  readonly maxTurns: number;
  readonly maxToolCallsPerTurn: number;
  readonly maxRetries: number;
  readonly modelTimeoutMs: number;
  readonly contextWindow?: number;
}

/** Pure functions that are passed to the kernel, because it imports nothing. */
export interface Services {
  readonly check: SchemaCheck;
  readonly estimate: Estimate;
}

/** One request to an agent. Patterns add to it here. */
export interface SessionInput {
  readonly self: SessionRef;
  readonly request: RunInput;
  readonly conversation: SessionConversation;
  readonly trigger: Trigger;
  /** The caller's contract: it binds the terminal agent. Absent: the agent's own. */
  readonly contract?: OutputContract | undefined;
  readonly tools?: readonly SessionTool[] | undefined;
  /** Exits instead of `final_report`. */
  readonly exits?: readonly SessionTool[] | undefined;
  /** Stands before the agent's own system prompt. */
  readonly preamble?: string | undefined;
  /** A seat in a team, for the agent that takes it in the end. */
  readonly seat?: TeamSeat | undefined;
  /** Turns that the session may spend in all, if a team limits them. */
  readonly maxTurns?: number | undefined;
  /** The inbox, if it is more than the session's own, and how broadcasts are worded for the model. */
  readonly box?: InboxRef | undefined;
  readonly inject?: ((broadcasts: readonly Broadcast[]) => readonly string[]) | undefined;
  /** What advisors found, for the agent that the request is passed to. */
  readonly analysis?: string | undefined;
  /** The caller wants to be able to ask again. */
  readonly keep?: true | undefined;
}

export type SessionRoutine = (input: SessionInput) => Routine<Outcome>;

export const session =
  (brief: SessionSpec, tools: readonly SessionTool[], services: Services): SessionRoutine =>
  (input) => {
    const { goOn } = input.conversation;
    if (goOn !== undefined) return goOn(input.request.text); // S4
    const state = openState(brief, tools, input, services);
    input.conversation.goOn = (text) => converse(state, text);
    return converse(state, opening(state));
  };

/** The session's own first message. An empty conversation begins with the history. */
function opening({ talk, input, window, services }: SessionState): string {
  const { text, history } = input.request;
  if (history === undefined || talk.messages.length > 0) return text;
  const leftOut = recall(talk, history, text, window, services.estimate);
  return leftOut === 0 ? text : `${notices.historyLeftOut(leftOut)}\n\n${text}`;
}

/** The whole loop. */
function* converse(state: SessionState, text: string): Routine<Outcome> {
  const { talk, brief, services } = state;
  let violations: readonly Violation[] = [];
  if (talk.turns >= talk.maxTurns) return spent(state, 'turns', violations);
  if (text !== '') hear(talk, text, services.estimate);
  for (;;) {
    const final = prepare(state, answerTo<'take'>(yield { kind: 'take', inbox: state.box }));
    const reply = answerTo<'model'>(yield { kind: 'model', request: requestOf(state, final !== undefined) });
    take(state, reply);
    if (!reply.ok) return { ...brokenCall(reply.fault, talk.lastText), agent: brief.agent };
    const turn = yield* respond(state, reply.value.message, final !== undefined);
    if (turn.outcome !== undefined) return turn.outcome;
    if (turn.violations.length > 0) violations = turn.violations;
    if (final !== undefined) return spent(state, final, violations);
  }
}

/** The tools that a session may call, in the forms that the loop needs. */
interface Toolset {
  readonly byName: ReadonlyMap<string, SessionTool>;
  readonly exits: readonly SessionTool[];
  readonly exitSpecs: readonly ToolSpec[];
  readonly window: Window;
  /** The same array while nothing changes, so that it is hashed once. */
  readonly specs: () => readonly ToolSpec[];
}

/** The state of one session: who it is, what was said, what it may use. */
interface SessionState extends Toolset {
  readonly input: SessionInput;
  readonly brief: SessionSpec;
  readonly system: string;
  readonly contract: OutputContract;
  readonly talk: SessionConversation;
  readonly services: Services;
  readonly box: InboxRef;
  /** The tools that the session began with. */
  readonly tools: readonly SessionTool[];
}

function openState(
  brief: SessionSpec,
  tools: readonly SessionTool[],
  input: SessionInput,
  lent: Services,
): SessionState {
  const services = brief.contextWindow === undefined ? unmeasured(lent) : lent;
  const contract = input.contract ?? brief.output;
  const turns = input.maxTurns ?? brief.maxTurns;
  const before = input.conversation.maxTurns; // a session that takes another seat keeps to both limits
  input.conversation.maxTurns = before === 0 ? turns : Math.min(before, turns);
  input.conversation.seat = input.seat;
  const { handles, sharedHandles } = input.request;
  if (handles !== undefined) for (const handle of handles) give(input.conversation, handle);
  if (sharedHandles !== undefined)
    for (const name in sharedHandles) give(input.conversation, sharedHandles[name] as string);
  const { offered } = input.conversation;
  const own = input.tools === undefined && input.exits === undefined && offered === undefined;
  const { byName, exits, exitSpecs, window, specs } = own
    ? usualEquipment(brief, tools, contract, services)
    : equip(brief, offered === undefined ? tools : withOffered(brief.agent, tools, offered), input, contract, services);
  const system = input.preamble === undefined ? brief.system : `${input.preamble}\n\n${brief.system}`;
  const talk = input.conversation;
  const box = input.box ?? { session: input.self };
  return { byName, exits, exitSpecs, window, specs, input, brief, system, contract, talk, services, box, tools };
}

/** From this turn on the session may call these. */
function offer(state: SessionState, offered: OfferedTools): void {
  const { brief, tools, input, contract, services } = state;
  state.talk.offered = offered;
  Object.assign(state, equip(brief, withOffered(brief.agent, tools, offered), input, contract, services));
}

const unmeasuring = new WeakMap<Services, Services>();

/** Without a known window nothing has to fit, so nothing has to be measured. */
function unmeasured(services: Services): Services {
  const known = unmeasuring.get(services) ?? { ...services, estimate: () => 0 };
  unmeasuring.set(services, known);
  return known;
}

const equipments = new WeakMap<readonly SessionTool[], WeakMap<OutputContract, Toolset>>();

/** Sessions of one agent to which no pattern adds anything have the same tools, so these are computed once. */
function usualEquipment(
  brief: SessionSpec,
  tools: readonly SessionTool[],
  contract: OutputContract,
  services: Services,
): Toolset {
  const byContract = equipments.get(tools) ?? new WeakMap<OutputContract, Toolset>();
  equipments.set(tools, byContract);
  const equipment = byContract.get(contract) ?? equip(brief, tools, {}, contract, services);
  byContract.set(contract, equipment);
  return equipment;
}

function equip(
  brief: SessionSpec,
  tools: readonly SessionTool[],
  added: Pick<SessionInput, 'tools' | 'exits'>,
  contract: OutputContract,
  services: Services,
): Toolset {
  const exits = added.exits ?? [finalReport(brief.agent, contract, services.check)];
  const all = [...tools, ...(added.tools ?? []), ...exits];
  const leaving = all.filter((tool) => tool.exits !== undefined);
  const steady = all.every((tool) => tool.now === undefined) ? all.map((tool) => tool.spec) : undefined;
  return {
    byName: new Map(all.map((tool) => [tool.spec.name, tool])),
    exits: leaving,
    exitSpecs: leaving.filter((tool) => tool.unavailableOnLastTurn !== true).map((tool) => tool.spec),
    window: windowOf(brief, all, services),
    specs: () => steady ?? all.flatMap((tool) => (tool.now === undefined ? tool.spec : (tool.now() ?? []))),
  };
}

function windowOf(brief: SessionSpec, tools: readonly SessionTool[], { estimate }: Services): Window {
  const tokens = brief.contextWindow;
  if (tokens === undefined) return { reserve: 0, fixed: 0 };
  const fixed = estimate(brief.system) + estimate(JSON.stringify(tools.map((tool) => tool.spec)));
  return { tokens, reserve: brief.settings.maxOutputTokens ?? Math.min(4096, Math.floor(tokens / 4)), fixed };
}

/** Takes in what arrived, makes room, and says why this turn is the last one, if it is. */
function prepare(state: SessionState, taken: Settled<Mail>): notices.FinalReason | undefined {
  const { talk, services } = state;
  const mail: Mail = taken.ok ? taken.value : { messages: [] };
  if (mail.tools !== undefined) offer(state, mail.tools);
  const fits = receive(state, mail);
  const final = finalReason(fits, mail, talk.turns + 1 >= talk.maxTurns);
  talk.last = final !== undefined;
  if (final !== undefined) {
    const exits = state.exitSpecs.map(({ name }) => name);
    hear(talk, notices.lastTurnNotice(final, exits), services.estimate);
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
  let overflow = false;
  const texts: string[] = [];
  let size = 0;
  for (const text of arrived) {
    const needed = services.estimate(text);
    const fits = makeRoom(talk, window, services.estimate, size + needed);
    overflow ||= !fits;
    texts.push(fits ? text : notices.dropped(text));
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
  const { talk, brief } = state;
  talk.turns += 1;
  const request: ModelRequest = {
    session: state.input.self,
    agent: brief.agent,
    turn: talk.turns,
    models: brief.models,
    settings: brief.settings,
    system: state.system,
    messages: talk.messages,
    fresh: talk.fresh,
    folded: talk.folded,
    tools: final ? state.exitSpecs : state.specs(),
    choice: final && state.contract.format === 'json' ? 'required' : 'auto',
    output: state.contract,
    maxRetries: brief.maxRetries,
    timeoutMs: brief.modelTimeoutMs,
  };
  return talk.history === 0 ? request : { ...request, history: talk.history };
}

/** Takes the reply into the conversation. */
function take({ talk, window, services }: SessionState, reply: Settled<ModelReply>): void {
  talk.fresh = talk.messages.length;
  if (talk.folded.length > 0) talk.folded = [];
  if (reply.ok) {
    const counted = reply.value.spent.usage?.input;
    if (counted !== undefined) correct(talk, window.fixed, counted);
    add(talk, reply.value.message, services.estimate);
  }
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
  if (leaving.length > 1) {
    const refusal = errorResult(notices.twoExits(leaving.map((call) => call.name)));
    for (const call of leaving) results.set(call, refusal);
  } else if (leaving[0] !== undefined) {
    results.set(leaving[0], yield* runCall(state, leaving[0], false));
  }
  return conclude(state, message.calls, results);
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
  const limit = state.brief.maxToolCallsPerTurn;
  const allowed = calls.slice(0, limit);
  const only = allowed.length === 1 ? allowed[0] : undefined;
  const answers =
    only !== undefined
      ? [yield* runCall(state, only, final)]
      : yield* fork(allowed.map((call) => () => runCall(state, call, final)));
  const results = new Map<ToolCall, ToolAnswer>();
  allowed.forEach((call, index) => results.set(call, answers[index] as ToolAnswer));
  for (const call of calls.slice(limit)) results.set(call, errorResult(notices.tooManyCalls(limit)));
  return results;
}

function* runCall(state: SessionState, call: ToolCall, exitsOnly: boolean): Routine<ToolAnswer> {
  const tool = exitsOnly ? undefined : state.byName.get(call.name);
  const spec = tool?.now === undefined ? tool?.spec : tool.now();
  if (tool?.validatesItself !== true && spec === undefined) {
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
  if (tool?.validatesItself !== true && spec !== undefined) {
    const violations = state.services.check(spec.parameters, call.arguments);
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
  const { agent } = state.brief;
  const { maxTurns } = state.talk;
  const details = violations.length > 0 ? { violations } : undefined;
  const wrong =
    violations.length > 0 ? `; its last one did not satisfy the contract:\n${listViolations(violations)}` : '.';
  const cause = {
    stop: fault('cancelled', `${agent} was asked to stop and gave no final answer in its last turn${wrong}`, details),
    context: fault('context/overflow', `${agent} filled its context window without a final answer${wrong}`, details),
    turns: fault('turns/exhausted', `${agent} spent its ${maxTurns} turns without a final answer${wrong}`, details),
  }[why];
  return { ...broken(cause, state.talk.lastText), agent };
}

const names = (tools: readonly SessionTool[]): readonly string[] => tools.map((tool) => tool.spec.name);
