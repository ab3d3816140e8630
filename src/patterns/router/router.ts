// `router`: a full agent that may hand the request to one of its destinations. It keeps its final report: if it
// answers itself, the request goes to no destination.
// A destination that takes JSON gets exactly the JSON that the router writes for it, checked against its schema. Any
// other gets the request, and below it what was added on the way. Both talk with the user, so both get the history.

import type { RunInput } from '../../kernel/effect.ts';
import type { RoutedOutcome } from '../../kernel/outcome.ts';
import type { SessionInput } from '../../kernel/session/session-spec.ts';
import type { PatternContext, Wrap } from '../pattern.ts';
import { runAgent } from '../run-agent.ts';
import { baseOf, composeRequest, originOf, routedBy, sameFiles } from '../sections.ts';
import { handoffTo, type RouterConfig } from './handoff-to.ts';

export const router =
  (config: RouterConfig, context: PatternContext): Wrap =>
  (inner) =>
    function* (input) {
      const outcome = yield* inner({ ...input, tools: [...(input.tools ?? []), handoffTo(config, context)] });
      if (outcome.kind !== 'routed') return outcome;
      return yield* runAgent({
        agent: outcome.to,
        input: outcome.input === undefined ? enriched(outcome, input, context) : exactly(outcome, input),
        trigger: { kind: 'router' },
        contract: input.contract,
        keep: input.keep,
      });
    };

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
