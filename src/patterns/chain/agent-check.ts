// Rules about a plain step: what an upstream declares that it answers can satisfy what its downstream takes.
// A downstream that takes JSON makes the upstream answer with its schema, so only a schema of the upstream's own can
// conflict with it.

import type { AgentName } from '../../kernel/effect.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import type { StepReview, StepUpstream } from '../chain-step.ts';
import { makers, standingSchema } from '../final-answerers.ts';
import { withoutReason } from '../hop.ts';
import { checkReason, compareGiven, judgeFit, outputSchema, refuseRequestBeside } from '../hop-check.ts';
import type { Review } from '../record.ts';
import type { ReviewedEdge } from '../review.ts';

/** An agent, and the one under its `else`. */
type Instead = Readonly<Record<'to' | 'orElse', ReviewedEdge>>;

/** A step that is one agent, and the one under its `else`. */
export function checkAgentStep(_step: object, { review, edges, upstreams, pass }: StepReview): void {
  const [to, orElse] = edges;
  if (to === undefined) return;
  for (const { agent, schema } of upstreams) {
    const what = `what "${agent}" answers`;
    if (schema !== undefined) for (const edge of edges) compareGiven({ agent, schema }, edge, what, review);
  }
  for (const upstream of upstreams) refuseMade(upstream, edges, review);
  const names = upstreams.flatMap((upstream) => (upstream.schema === undefined ? upstream.answerers : []));
  for (const name of names) {
    compareEdge(name, to, review);
    warnOfOverride(name, to, review);
  }
  if (orElse !== undefined && names.length > 0) compareElse(names, { to, orElse }, review);
  for (const edge of edges) for (const { agent } of upstreams) checkReason(agent, edge, review);
  if (pass === 'request+answer') refuseRequestBeside(edges, review);
}

/** The result that an upstream's own map makes. Its items and answers may be anything, so only its form is compared. */
function refuseMade({ agent, schema }: StepUpstream, edges: readonly ReviewedEdge[], review: Review): void {
  if (schema !== undefined || agent === review.agent.name) return;
  for (const maker of makers(agent, review.agents)) {
    for (const edge of edges) {
      const taken = review.agents.get(edge.to)?.input.schema;
      if (taken === undefined || review.fit(maker.schema, withoutReason(taken)).kind !== 'never-fits') continue;
      compareGiven(maker, edge, `what "${maker.agent}" makes of its items`, review);
    }
  }
}

function compareEdge(upstream: AgentName, edge: ReviewedEdge, review: Review): void {
  const schema = standingSchema(upstream, review.agents) ?? outputSchema(upstream, review);
  if (schema !== undefined) compareGiven({ agent: upstream, schema }, edge, `what "${upstream}" answers`, review);
}

/** Reported at both places: at the schema that is not enforced, and at the one that is enforced instead. */
function warnOfOverride(upstream: AgentName, { to }: ReviewedEdge, review: Review): void {
  // An answer that stands is held to both.
  if (standingSchema(upstream, review.agents) !== undefined) return;
  const given = outputSchema(upstream, review);
  const input = review.agents.get(to)?.input;
  if (given === undefined || input === undefined || input.format === 'any') return;
  if (input.format === 'json' && !overrides(given, input.schema, review)) return;
  const schemaAt = { agent: upstream, path: ['output', 'schema'] };
  const inputAt = { agent: to, path: ['input'] };
  const instead = input.format !== 'json' ? input.format : input.schema === undefined ? 'any JSON' : 'its own schema';
  const help = `Remove output.schema of "${upstream}"; or let "${to}" take the same schema; or remove input of "${to}", so that it takes any input.`;
  const sides = input.schema && {
    compared: {
      given: { agent: upstream, schema: given },
      taken: { agent: to, schema: withoutReason(input.schema) },
    },
  };
  review.report({
    code: 'chain/overrides-output',
    severity: 'warning',
    at: schemaAt,
    message: `\`output.schema\` of "${upstream}" is not enforced: its answer goes to "${to}", which takes ${instead} (${review.placeText(inputAt)})`,
    help,
    ...sides,
  });
  review.report({
    code: 'chain/overrides-output',
    severity: 'warning',
    at: inputAt,
    message: `the input of "${to}" replaces \`output.schema\` of "${upstream}" (${review.placeText(schemaAt)})`,
    help,
    ...sides,
  });
}

/** True if a value may pass one and not the other. A schema that can never fit is an error already. */
function overrides(given: JsonSchema, taken: JsonSchema | undefined, review: Review): boolean {
  const wanted = withoutReason(taken ?? true);
  if (JSON.stringify(given) === JSON.stringify(wanted)) return false;
  const found = review.fit(given, wanted).kind;
  return found !== 'never-fits' && [found, review.fit(wanted, given).kind].includes('may-not-fit');
}

/** The agent under `else` gets what was made for the one that failed. */
function compareElse(upstreams: readonly AgentName[], { to, orElse }: Instead, review: Review): void {
  const steps = review.agents.get(orElse.to)?.input;
  const first = review.agents.get(to.to)?.input;
  if (steps?.format !== 'json' || first === undefined) return;
  if (first.format === 'any') {
    for (const name of upstreams) compareAnswer(name, { to, orElse }, review);
    return;
  }
  if (first.format !== 'json') {
    refuseText({ to, orElse }, `the ${first.format} that is made for "${to.to}"`, review);
    return;
  }
  const wanted = steps.schema;
  if (first.schema === undefined || wanted === undefined) return;
  const made = { agent: to.to, schema: withoutReason(first.schema) };
  const taken = { agent: orElse.to, schema: withoutReason(wanted) };
  judgeFit({ given: made, taken }, orElse, `what is made for "${to.to}"`, review);
}

/** Where the first one takes any input, the agent under `else` gets the upstream's own answer. */
function compareAnswer(upstream: AgentName, { to, orElse }: Instead, review: Review): void {
  const format = review.agents.get(upstream)?.output.format;
  if (format === 'json') compareEdge(upstream, orElse, review);
  else if (format !== undefined)
    refuseText({ to, orElse }, `the ${format} that "${upstream}" answers: "${to.to}" takes any input`, review);
}

function refuseText({ to, orElse }: Instead, what: string, { report }: Review): void {
  report({
    code: 'chain/else-format',
    at: orElse,
    message: `"${orElse.to}" takes json, but would get ${what}`,
    help: `Give "${to.to}" and "${orElse.to}" the same input, or name another agent under else.`,
  });
}
