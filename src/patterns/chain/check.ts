// Rules about chains: what an upstream declares that it answers can satisfy what its downstream takes.
// A downstream that takes JSON makes the upstream answer with its schema, so only a schema of the upstream's own can
// conflict with it. The reason that a chain adds is a fixed text, and is checked against the downstream's schema too.

import type { AgentName } from '../../kernel/effect.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import { answerers, ownAnswerers } from '../final-answerers.ts';
import type { Review } from '../record.ts';
import type { ComparedSchemas, FitNote, ReviewedEdge } from '../review.ts';
import { reasonFrom, withoutReason } from './chain.ts';
import type { ChainConfig } from './key.ts';

/** One stage, as its references stand in the file. */
interface ReviewedStage {
  readonly to: ReviewedEdge;
  readonly orElse: ReviewedEdge | undefined;
}

/** An agent, and the one under its `else`. */
type Instead = Readonly<Record<'to' | 'orElse', ReviewedEdge>>;

/** A stage, with the agents that may give the answer that it runs on. */
interface Hop extends ReviewedStage {
  readonly upstreams: readonly AgentName[];
}

export function checkChain(config: ChainConfig | undefined, review: Review): void {
  if (config === undefined) return;
  const stages = stagesOf(config, review);
  for (const hop of hopsOf(stages, review)) {
    const { upstreams, to, orElse } = hop;
    for (const name of upstreams) {
      compareEdge(name, to, review);
      warnOfOverride(name, to, review);
    }
    if (orElse !== undefined) compareElse(hop, orElse, review);
  }
  checkReasons(stages, review);
  if (config.pass === 'request+answer') checkRequestIsPassed(review);
}

/** The references of a chain stand in the order of its stages. */
function stagesOf({ stages }: ChainConfig, { edges }: Review): readonly ReviewedStage[] {
  const left = [...edges];
  return stages.flatMap((stage): readonly ReviewedStage[] => {
    const to = left.shift();
    const orElse = stage.else === undefined ? undefined : left.shift();
    return to === undefined ? [] : [{ to, orElse }];
  });
}

function hopsOf(stages: readonly ReviewedStage[], { agent, agents }: Review): readonly Hop[] {
  return stages.map((stage, index) => {
    const before = stages[index - 1];
    if (before === undefined) return { ...stage, upstreams: ownAnswerers(agent.name, agents) };
    const given = [before.to, ...(before.orElse === undefined ? [] : [before.orElse])];
    return { ...stage, upstreams: given.flatMap(({ to }) => answerers(to, agents)) };
  });
}

function checkReasons(stages: readonly ReviewedStage[], review: Review): void {
  let upstreams: readonly AgentName[] = [review.agent.name];
  for (const { to, orElse } of stages) {
    const edges = orElse === undefined ? [to] : [to, orElse];
    for (const edge of edges) for (const name of upstreams) checkReason(name, edge, review);
    upstreams = edges.map((edge) => edge.to);
  }
}

/** An agent that takes JSON gets the answer as its input, and there is no place beside it for the request. */
function checkRequestIsPassed({ agents, edges, report }: Review): void {
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

function inputSchema(name: AgentName, { agents }: Review): JsonSchema | undefined {
  const input = agents.get(name)?.input;
  return input?.format === 'json' ? input.schema : undefined;
}

function outputSchema(name: AgentName, { agents }: Review): JsonSchema | undefined {
  const agent = agents.get(name);
  return agent?.outputDeclared && agent.output.format === 'json' ? agent.output.schema : undefined;
}

function compareEdge(upstream: AgentName, edge: ReviewedEdge, review: Review): void {
  const given = outputSchema(upstream, review);
  const wanted = inputSchema(edge.to, review);
  if (given === undefined || wanted === undefined) return;
  const taken = { agent: edge.to, schema: withoutReason(wanted) };
  judge({ given: { agent: upstream, schema: given }, taken }, edge, `what "${upstream}" answers`, review);
}

/** Reported at both places: at the schema that is not enforced, and at the one that is enforced instead. */
function warnOfOverride(upstream: AgentName, { to }: ReviewedEdge, review: Review): void {
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
function compareElse({ upstreams, to }: Hop, orElse: ReviewedEdge, review: Review): void {
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
  judge({ given: made, taken }, orElse, `what is made for "${to.to}"`, review);
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

function judge(sides: ComparedSchemas, edge: ReviewedEdge, what: string, review: Review): void {
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

function checkReason(upstream: AgentName, edge: ReviewedEdge, review: Review): void {
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
