// The state of one session: who it is, what was said, and the tools that it may use, in the forms that the loop needs.

import type { InboxRef, OfferedTools } from '../effect.ts';
import type { ToolSpec } from '../message.ts';
import type { OutputContract } from '../schema.ts';
import type { Window } from './context.ts';
import { give, NO_ESTIMATE, type SessionConversation } from './conversation.ts';
import { finalReport } from './final-report.ts';
import type { Services, SessionInput, SessionSpec } from './session-spec.ts';
import { READ_RESULT_NAME, type SessionTool, withOffered } from './session-tool.ts';

/** The tools that a session may call, in the forms that the loop needs. */
interface Toolset {
  readonly byName: ReadonlyMap<string, SessionTool>;
  readonly exits: readonly SessionTool[];
  /** The exits of the last turn. */
  readonly exitSpecs: readonly ToolSpec[];
  readonly exitNames: readonly string[];
  readonly window: Window;
  /** The same array while nothing changes, so that it is hashed once. */
  readonly specs: () => readonly ToolSpec[];
}

/** The state of one session: who it is, what was said, what it may use. */
export interface SessionState extends Toolset {
  readonly input: SessionInput;
  readonly spec: SessionSpec;
  readonly system: string;
  readonly contract: OutputContract;
  readonly talk: SessionConversation;
  readonly services: Services;
  readonly box: InboxRef;
  /** The tools that the session began with. */
  readonly tools: readonly SessionTool[];
}

export function openState(
  spec: SessionSpec,
  tools: readonly SessionTool[],
  input: SessionInput,
  lent: Services,
): SessionState {
  const services = spec.contextWindow === undefined ? unmeasured(lent) : lent;
  const contract = input.contract ?? spec.output;
  const terms = { spec, contract, services };
  const turns = input.maxTurns ?? spec.maxTurns;
  const before = input.conversation.maxTurns; // a session that takes another seat keeps to both limits
  input.conversation.maxTurns = before === 0 ? turns : Math.min(before, turns);
  input.conversation.seat = input.seat;
  if (spec.sight !== undefined && spec.contextWindow !== undefined) input.conversation.sight = spec.sight;
  const { handles, sharedHandles } = input.request;
  if (handles !== undefined) for (const handle of handles) give(input.conversation, handle);
  if (sharedHandles !== undefined)
    for (const name in sharedHandles) give(input.conversation, sharedHandles[name] as string);
  const { offered } = input.conversation;
  const own = input.tools === undefined && input.exits === undefined && offered === undefined;
  const { byName, exits, exitSpecs, exitNames, window, specs } = own
    ? usualToolset(terms, tools)
    : toolsetOf(terms, offered === undefined ? tools : withOffered(spec.agent, tools, offered), input);
  const system = input.preamble === undefined ? spec.system : `${input.preamble}\n\n${spec.system}`;
  const talk = input.conversation;
  const box = input.box ?? { session: input.self };
  // Written out: an object that begins with a spread takes 5 µs to make, and every session makes one.
  return {
    byName,
    exits,
    exitSpecs,
    exitNames,
    window,
    specs,
    input,
    spec,
    system,
    contract,
    talk,
    services,
    box,
    tools,
  };
}

/** From this turn on the session may call these. */
export function offer(state: SessionState, offered: OfferedTools): void {
  state.talk.offered = offered;
  Object.assign(state, currentToolset(state));
}

/** From now on the session can open handles, whatever tools it began with. */
export function offerReader(state: SessionState): void {
  if (!state.byName.has(READ_RESULT_NAME)) Object.assign(state, currentToolset(state));
}

function currentToolset(state: SessionState): Toolset {
  const { spec, tools, input, talk } = state;
  const now = talk.offered === undefined ? tools : withOffered(spec.agent, tools, talk.offered);
  const reader = talk.compacted === undefined ? undefined : spec.compact?.reader;
  const has = [...now, ...(input.tools ?? [])].some((tool) => tool.spec.name === READ_RESULT_NAME);
  return toolsetOf(state, reader === undefined || has ? now : [...now, reader], input);
}

const unmeasuring = new WeakMap<Services, Services>();

/** Without a known window nothing has to fit, so nothing has to be measured. */
function unmeasured(services: Services): Services {
  const known = unmeasuring.get(services) ?? { ...services, estimate: NO_ESTIMATE };
  unmeasuring.set(services, known);
  return known;
}

/** The terms of a session, which decide the forms that its tools take. */
type SessionTerms = Pick<SessionState, 'spec' | 'contract' | 'services'>;

const toolsets = new WeakMap<readonly SessionTool[], WeakMap<OutputContract, Toolset>>();

/** Sessions of one agent to which no pattern adds anything have the same tools, so these are computed once. */
function usualToolset(terms: SessionTerms, tools: readonly SessionTool[]): Toolset {
  const byContract = toolsets.get(tools) ?? new WeakMap<OutputContract, Toolset>();
  toolsets.set(tools, byContract);
  const toolset = byContract.get(terms.contract) ?? toolsetOf(terms, tools, {});
  byContract.set(terms.contract, toolset);
  return toolset;
}

function toolsetOf(
  { spec, contract, services }: SessionTerms,
  tools: readonly SessionTool[],
  added: Pick<SessionInput, 'tools' | 'exits'>,
): Toolset {
  const exits = added.exits ?? [finalReport(spec.agent, contract, services.check)];
  const all = [...tools, ...(added.tools ?? []), ...exits];
  const leaving = all.filter((tool) => tool.exits !== undefined);
  const exitSpecs = leaving.filter((tool) => tool.unavailableOnLastTurn !== true).map((tool) => tool.spec);
  const steady = all.every((tool) => tool.currentSpec === undefined) ? all.map((tool) => tool.spec) : undefined;
  return {
    byName: new Map(all.map((tool) => [tool.spec.name, tool])),
    exits: leaving,
    exitSpecs,
    exitNames: exitSpecs.map(({ name }) => name),
    window: windowOf(spec, all, services),
    specs: () =>
      steady ?? all.flatMap((tool) => (tool.currentSpec === undefined ? tool.spec : (tool.currentSpec() ?? []))),
  };
}

function windowOf(spec: SessionSpec, tools: readonly SessionTool[], { estimate }: Services): Window {
  const tokens = spec.contextWindow;
  if (tokens === undefined) return { reserve: 0, fixed: 0 };
  const fixed = estimate(spec.system) + estimate(JSON.stringify(tools.map((tool) => tool.spec)));
  const last = tools.filter(({ foldsLast }) => foldsLast).map((tool) => tool.spec.name);
  const reserve = spec.settings.maxOutputTokens ?? Math.min(4096, Math.floor(tokens / 4));
  return { tokens, reserve, fixed, ...(last.length > 0 && { last }) };
}
