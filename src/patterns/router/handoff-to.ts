// handoff-to: the exit by which a router chooses an agent for a request and says what that agent should know. For a
// destination that takes JSON it asks for that JSON, checks it, and says what is wrong with it.

import type { AgentName, Routine } from '../../kernel/effect.ts';
import { errorResult, type ToolSpec } from '../../kernel/message.ts';
import type { RoutedOutcome } from '../../kernel/outcome.ts';
import { type JsonSchema, listViolations, type Violation } from '../../kernel/schema.ts';
import { wrongArguments } from '../../kernel/session/notices.ts';
import type { SessionTool, ToolAnswer } from '../../kernel/session/session-tool.ts';
import { embedSchema } from '../embed-schema.ts';
import type { AgentCard, PatternContext } from '../pattern.ts';

export const HANDOFF_TO = 'handoff-to';

export interface RouterConfig {
  readonly destinations: readonly AgentName[];
}

export function handoffTo({ destinations }: RouterConfig, context: PatternContext): SessionTool {
  const cards = destinations.map((name) => context.card(name));
  const takers = cards.filter(({ input }) => input.format === 'json');
  const list = cards.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
  const spec: ToolSpec = {
    name: HANDOFF_TO,
    description: `Hand the user's request to the agent that should deal with it. This ends your work.\n${list}`,
    parameters: parametersFor(destinations, takers),
  };
  return {
    spec,
    // The destination decides which input is right, so violations are reported for that destination only.
    ...(takers.length > 0 && { validatesItself: true }),
    exits: () => true,
    *run(call): Routine<ToolAnswer> {
      const violations = takers.length === 0 ? [] : misgiven(call.arguments, destinations, context);
      if (violations.length > 0) return errorResult(wrongArguments(HANDOFF_TO, listViolations(violations)));
      const { agent: to, message, input } = call.arguments as Handoff;
      const chosen: RoutedOutcome = { kind: 'routed', agent: context.agent, to, ...(message && { message }) };
      return { outcome: context.card(to).input.format === 'json' ? { ...chosen, input } : chosen };
    },
  };
}

interface Handoff {
  readonly agent: AgentName;
  readonly message?: string;
  readonly input?: unknown;
}

/** `input` is a parameter only if some destination takes JSON. */
function parametersFor(destinations: readonly AgentName[], takers: readonly AgentCard[]): JsonSchema {
  const about = 'What the next agent should know, beside the request itself.';
  const names = takers.map(({ name }) => name).join(', ');
  const note = ` Not read by ${names}, which ${takers.length === 1 ? 'gets' : 'get'} only input.`;
  const properties = {
    agent: { type: 'string', enum: [...destinations] },
    message: { type: 'string', description: takers.length === 0 ? about : `${about}${note}` },
  };
  return {
    type: 'object',
    properties: takers.length === 0 ? properties : { ...properties, input: inputOf(takers) },
    required: ['agent'],
    additionalProperties: false,
  };
}

/** The one schema, or a choice of them, each with the name of the agent that it belongs to. */
function inputOf(takers: readonly AgentCard[]): JsonSchema {
  const schemaOf = (card: AgentCard, at: string): object => {
    const schema = embedSchema(card.input.schema ?? {}, at);
    const own = typeof schema === 'object' ? schema : schema ? {} : { not: {} };
    const { description } = own as { readonly description?: unknown };
    const parts = [`Required for ${card.name}, which gets exactly this.`, card.usage, description];
    return { ...own, description: parts.filter((part) => typeof part === 'string').join(' ') };
  };
  const [first, ...more] = takers;
  if (first !== undefined && more.length === 0) return { ...schemaOf(first, '/properties/input') };
  return { anyOf: takers.map((card, index) => schemaOf(card, `/properties/input/anyOf/${index}`)) };
}

/** The mistakes in a call, if some destination takes JSON. */
function misgiven(
  given: unknown,
  destinations: readonly AgentName[],
  { card, check }: PatternContext,
): readonly Violation[] {
  const wrong = check(parametersFor(destinations, []), withoutInput(given));
  if (wrong.length > 0) return wrong;
  const { agent, input } = given as Handoff;
  const { format, schema } = card(agent).input;
  if (format !== 'json') {
    const unread = `is not read by ${agent}, which gets the request: leave it out, and say the rest in message`;
    return input === undefined || input === null ? [] : [{ path: '$.input', message: unread }];
  }
  if (input === undefined) return [{ path: '$.input', message: `is required: ${agent} takes JSON` }];
  return check(schema ?? true, input).map(({ path, message }) => ({ path: `$.input${path.slice(1)}`, message }));
}

function withoutInput(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const { input: _, ...rest } = given as Record<string, unknown>;
  return rest;
}
