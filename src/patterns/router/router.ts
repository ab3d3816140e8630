// `router`: a full agent that may hand the request to one of its destinations. It keeps its final report: if it
// answers itself, the request goes to no destination.
// A destination that takes JSON gets exactly the JSON that the router writes for it, checked against its schema. Any
// other gets the request, and below it what was added on the way. Both talk with the user, so both get the history.

import { perform, type Routine, type RunInput } from '../../kernel/effect.ts';
import type { Outcome, RoutedOutcome } from '../../kernel/outcome.ts';
import type { SessionInput, SessionRoutine } from '../../kernel/session/session-spec.ts';
import { outcomeOf } from '../outcome-of.ts';
import type { PatternContext, Wrap } from '../pattern.ts';
import { baseOf, composeRequest, originOf, routedBy, sameFiles } from '../sections.ts';
import { handoffTo, type RouterConfig } from './handoff-to.ts';

export const router =
  (config: RouterConfig, context: PatternContext): Wrap =>
  (inner) =>
  (input) =>
    route(config, context, inner, input);

function* route(
  config: RouterConfig,
  context: PatternContext,
  inner: SessionRoutine,
  input: SessionInput,
): Routine<Outcome> {
  const outcome = yield* inner({ ...input, tools: [...(input.tools ?? []), handoffTo(config, context)] });
  return outcome.kind === 'routed' ? yield* passOn(outcome, input, context) : outcome;
}

function* passOn(routed: RoutedOutcome, input: SessionInput, context: PatternContext): Routine<Outcome> {
  const settled = yield* perform<'run'>({
    kind: 'run',
    agent: routed.to,
    input: routed.input === undefined ? enriched(routed, input, context) : exactly(routed, input),
    trigger: { kind: 'router' },
    ...(input.contract && { contract: input.contract }),
    ...(input.keep && { keep: true }),
  });
  return outcomeOf(settled);
}

/** The JSON that was written for the destination. A message beside it is the reason, recorded and not shown. */
const exactly = ({ input: data, message }: RoutedOutcome, { request }: SessionInput): RunInput => ({
  text: JSON.stringify(data),
  data,
  ...(message !== undefined && { reason: message }),
  origin: originOf(request),
  ...sameFiles(request),
  ...(request.history && { history: request.history }),
});

function enriched(routed: RoutedOutcome, input: SessionInput, context: PatternContext): RunInput {
  const { request } = input;
  // The analysis of the router's own advisors stands below its message.
  const sections = [...(request.sections ?? [])].slice(0, input.analysis === undefined ? undefined : -1);
  if (routed.message !== undefined) sections.push(routedBy(context.agent, routed.message));
  if (input.analysis !== undefined) sections.push(input.analysis);
  return {
    ...composeRequest(baseOf(request), sections),
    origin: originOf(request),
    ...sameFiles(request),
    ...(request.history && { history: request.history }),
  };
}
