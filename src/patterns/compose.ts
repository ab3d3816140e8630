// The order in which the patterns of one agent wrap its session: advisors, then the session, repeated until it is good,
// then the router's destination, then the chain. A team stands in the session's place. Each is there only if the
// agent's file asks for it.

import type { RunInput } from '../kernel/effect.ts';
import type { SessionRoutine } from '../kernel/session/session-spec.ts';
import type { SessionTool } from '../kernel/session/session-tool.ts';
import type { PatternContext, PatternToolContext, Wrap } from './pattern.ts';
import type { Pattern, PatternFields, PatternUse } from './record.ts';
import { fromInside } from './record.ts';
import { baseOf, quotedRequest } from './sections.ts';

/** The patterns of an agent that wrap its session, from the inside out. The same for all its runs. */
export const wrappersOf = ({ patterns }: PatternFields): readonly PatternUse[] =>
  fromInside(patterns.filter(({ pattern }) => pattern.wrap !== undefined));

export function compose(
  wrappers: readonly PatternUse[],
  context: PatternContext,
  session: SessionRoutine,
): SessionRoutine {
  let routine = session;
  for (const { pattern, config } of wrappers) routine = pattern.wrap?.(config, context)(routine) ?? routine;
  for (const { pattern, config } of wrappers) routine = pattern.gate?.(config, context)(routine) ?? routine;
  return routine;
}

/** The tools that patterns give to a session, in the order of the catalog. */
export function toolsFrom({ patterns }: PatternFields, context: PatternToolContext): readonly SessionTool[] {
  const tools = new Map<string, SessionTool>();
  for (const { pattern, config } of patterns) {
    for (const tool of pattern.tools?.(config, context) ?? [])
      if (!tools.has(tool.spec.name)) tools.set(tool.spec.name, tool);
  }
  return [...tools.values()];
}

/** The session that answers further messages: what its own patterns and those that may have run it put around it. */
export function sessionOf(
  { patterns }: PatternFields,
  known: readonly Pattern[],
  context: PatternContext,
  bare: SessionRoutine,
): SessionRoutine {
  let routine = bare;
  for (const { pattern, config } of patterns) routine = pattern.wrapSession?.(config, context)(routine) ?? routine;
  routine = quoteRequest(routine !== bare)(routine);
  for (const pattern of known.toReversed()) routine = pattern.wrapEvery?.(context)(routine) ?? routine;
  return routine;
}

/** JSON that stands alone stays JSON: the session hears of its files beside it. */
const textOf = (request: RunInput): string => (request.data === undefined ? baseOf(request) : quotedRequest(request));

/**
 * The body that a chain hands on is not quoted if its session hears nothing else: that is, outside of a team and if no
 * pattern wraps it, such as one by which it spawns.
 */
const quoteRequest =
  (isWrapped: boolean): Wrap =>
  (inner) =>
  (input) => {
    const { request, conversation, trigger, seat } = input;
    const isPutTogether = request.sections !== undefined || conversation.goOn !== undefined;
    const isBody = trigger.chainTrigger !== undefined && seat === undefined && !isWrapped;
    if (isPutTogether || isBody) return inner(input);
    const text = textOf(request);
    return text === request.text ? inner(input) : inner({ ...input, request: { ...request, text } });
  };
