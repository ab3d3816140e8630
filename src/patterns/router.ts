// `router`: a full agent that may hand the request to one of its destinations. It keeps its final report: if it
// answers itself, nobody is routed to.

import { perform, type Routine } from '../kernel/effect.ts';
import type { ToolSpec } from '../kernel/message.ts';
import type { Outcome, Routed } from '../kernel/outcome.ts';
import type { SessionInput, SessionRoutine } from '../kernel/session.ts';
import type { SessionTool, ToolAnswer } from '../kernel/session-tool.ts';
import type { RouterConfig } from './config.ts';
import type { PatternContext, Wrap } from './pattern.ts';
import { baseOf, composed, originOf, routedBy } from './sections.ts';
import { outcomeOf } from './settled.ts';

export const HANDOFF_TO = 'handoff-to';

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

function handoffTo(config: RouterConfig, context: PatternContext): SessionTool {
  const list = config.destinations.map((name) => `- ${name}: ${context.card(name).description}`).join('\n');
  const spec: ToolSpec = {
    name: HANDOFF_TO,
    description: `Hand the user's request to the agent that should deal with it. This ends your work.\n${list}`,
    parameters: {
      type: 'object',
      properties: {
        agent: { type: 'string', enum: [...config.destinations] },
        message: { type: 'string', description: 'What the next agent should know, beside the request itself.' },
      },
      required: ['agent'],
      additionalProperties: false,
    },
  };
  return {
    spec,
    exits: () => true,
    *run(call): Routine<ToolAnswer> {
      const { agent, message } = call.arguments as { agent: string; message?: string };
      return { outcome: { kind: 'routed', agent: context.agent, to: agent, ...(message && { message }) } };
    },
  };
}

function* passOn(routed: Routed, input: SessionInput, context: PatternContext): Routine<Outcome> {
  const { request } = input;
  // What the router's own advisors found stands below its message.
  const sections = [...(request.sections ?? [])].slice(0, input.analysis === undefined ? undefined : -1);
  if (routed.message !== undefined) sections.push(routedBy(context.agent, routed.message));
  if (input.analysis !== undefined) sections.push(input.analysis);
  const settled = yield* perform<'run'>({
    kind: 'run',
    agent: routed.to,
    input: { ...composed(baseOf(request), sections), origin: originOf(request) },
    trigger: { kind: 'router' },
    ...(input.contract && { contract: input.contract }),
    ...(input.keep && { keep: true }),
  });
  return outcomeOf(settled);
}
