// Rules about one hand-over: the schema of what is given against the input of the agent that gets it, and the fixed text
// of the reason against that input.

import type { AgentName } from '../kernel/effect.ts';
import type { JsonSchema } from '../kernel/schema.ts';
import type { StepUpstream } from './chain-step.ts';
import { answerers } from './final-answerers.ts';
import { reasonFrom, withoutReason } from './hop.ts';
import type { Review } from './record.ts';
import type { ComparedSchemas, FitNote, ReviewedEdge } from './review.ts';

/** The schema of the JSON that an agent takes. */
function inputSchema(name: AgentName, { agents }: Review): JsonSchema | undefined {
  const input = agents.get(name)?.input;
  return input?.format === 'json' ? input.schema : undefined;
}

/** The schema of the JSON that an agent says it answers. */
export function outputSchema(name: AgentName, { agents }: Review): JsonSchema | undefined {
  const agent = agents.get(name);
  return agent?.outputDeclared && agent.output.format === 'json' ? agent.output.schema : undefined;
}

/** `what` begins the message: `what "a" answers`. */
export function compareGiven(given: ComparedSchemas['given'], edge: ReviewedEdge, what: string, review: Review): void {
  const wanted = inputSchema(edge.to, review);
  if (wanted === undefined) return;
  judgeFit({ given, taken: { agent: edge.to, schema: withoutReason(wanted) } }, edge, what, review);
}

/** The answers of agents as they are when the chain goes on with them. */
export const answersOf = (names: readonly AgentName[], { agents }: Review): readonly StepUpstream[] =>
  names.map((agent) => ({ agent, answerers: answerers(agent, agents) }));

/** An agent that takes JSON gets the answer as its input, and there is no place beside it for the request. */
export function refuseRequestBeside(edges: readonly ReviewedEdge[], { agents, report }: Review): void {
  for (const edge of edges) {
    const to = agents.get(edge.to);
    if (to?.input.format !== 'json') continue;
    report({
      code: 'chain/json-input',
      at: edge,
      message: `"${edge.to}" takes JSON, which is the answer alone, so \`pass: request+answer\` cannot give it the request`,
      help: `Write \`pass: answer\`, or let ${to.file} take text or markdown.`,
    });
  }
}

export function judgeFit(sides: ComparedSchemas, edge: ReviewedEdge, what: string, review: Review): void {
  const found = review.fit(sides.given.schema, sides.taken.schema);
  if (found.kind === 'no-finding') return;
  const never = found.kind === 'never-fits';
  const listed = list(never ? found.reasons : found.doubts);
  review.report({
    code: never ? 'chain/never-fits' : 'chain/may-not-fit',
    severity: never ? 'error' : 'warning',
    at: edge,
    message: `${what} ${never ? 'can never fit' : 'may not fit'} the input of "${edge.to}": ${listed}`,
    help: `Change one of the two schemas: output.schema of the upstream, or input.schema of ${fileOf(edge, review)}.`,
    compared: sides,
  });
}

export function checkReason(upstream: AgentName, edge: ReviewedEdge, review: Review): void {
  const schema = inputSchema(edge.to, review);
  const reason = reasonOf(schema);
  if (schema === undefined || reason === undefined) return;
  const text = reasonFrom(upstream);
  const found = review.constantFits(text, reason, schema);
  if (found.kind !== 'never-fits') return;
  review.report({
    code: 'chain/reason',
    severity: 'error',
    at: edge,
    message: `the reason that the chain gives, "${text}", does not fit the input of "${edge.to}": ${list(found.reasons)}`,
    help: `Let \`reason\` in the input schema of ${fileOf(edge, review)} accept that text.`,
  });
}

const fileOf = ({ to }: ReviewedEdge, { agents }: Review): string => agents.get(to)?.file ?? to;

const list = (notes: readonly FitNote[]): string =>
  notes
    .slice(0, 5)
    .map(({ path, message }) => `${path}: ${message}`)
    .join('; ') + (notes.length > 5 ? `; and ${notes.length - 5} more` : '');

function reasonOf(schema: JsonSchema | undefined): JsonSchema | undefined {
  const properties = typeof schema === 'object' ? schema['properties'] : undefined;
  if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, 'reason')) return undefined;
  const reason = (properties as Record<string, unknown>)['reason'];
  return typeof reason === 'boolean' || (typeof reason === 'object' && reason !== null && !Array.isArray(reason))
    ? (reason as JsonSchema)
    : undefined;
}
