// Rules about chains: what an upstream declares that it answers can satisfy what its downstream takes.
// A downstream that takes JSON makes the upstream answer with its schema, so only a schema of the upstream's own can
// conflict with it. The reason that a chain adds is a fixed text, and is checked against the downstream's schema too.

import type { AgentName } from '../../../kernel/effect.ts';
import type { JsonSchema } from '../../../kernel/schema.ts';
import type { ComparedSchemas } from '../../diagnostic.ts';
import { constantFits, type Fit, type FitNote, fit } from '../../fit.ts';
import { answerers, ownAnswerers } from '../../link/answerers.ts';
import type { LinkedAgent } from '../../link/define.ts';
import type { Edge } from '../../link/link.ts';
import { type Checkup, forEachAgent, placeIn, placeText } from './checkup.ts';

export const schemasFitAlongChains = forEachAgent((agent, checkup) => {
  for (const { upstreams, to, orElse } of hopsOf(agent, checkup)) {
    for (const name of upstreams) compareEdge(name, to, checkup);
    if (orElse !== undefined) compareElse(upstreams, to, orElse, checkup);
  }
});

/** In a chain, the downstream's schema replaces one that the upstream declares, which is then not enforced. */
export const declaredSchemasAreKept = forEachAgent((agent, checkup) => {
  for (const { upstreams, to } of hopsOf(agent, checkup)) {
    for (const name of upstreams) warnOfOverride(name, to, checkup);
  }
});

/** An agent that takes JSON gets the answer as its input, and there is no place beside it for the request. */
export const requestsArePassed = forEachAgent((agent, { agents, report }) => {
  if (agent.definition.chain?.pass !== 'request+answer') return;
  const edges = stagesOf(agent).flatMap(({ to, orElse }) => [to, ...(orElse === undefined ? [] : [orElse])]);
  for (const { ref, to } of edges) {
    if (agents.get(to.name)?.definition.input.format !== 'json') continue;
    report({
      code: 'chain/json-input',
      severity: 'error',
      source: ref.source,
      at: ref,
      message: `"${to.name}" takes JSON, which is the answer alone, so \`pass: request+answer\` cannot give it the request`,
      help: `Write \`pass: answer\`, or let ${to.source.file} take text or markdown.`,
    });
  }
});

export const chainReasonsAreAccepted = forEachAgent((agent, checkup) => {
  let upstreams = [agent.file.name];
  for (const { to, orElse } of stagesOf(agent)) {
    for (const edge of [to, orElse]) {
      if (edge !== undefined) for (const name of upstreams) checkReason(name, edge, checkup);
    }
    upstreams = [to.to.name, ...(orElse === undefined ? [] : [orElse.to.name])];
  }
});

/** Each stage of an agent's chain, with the agents that may give the answer that it runs on. */
function hopsOf(
  agent: LinkedAgent,
  checkup: Checkup,
): readonly { upstreams: readonly AgentName[]; to: Edge; orElse: Edge | undefined }[] {
  const definitions = definitionsOf(checkup);
  const stages = stagesOf(agent);
  return stages.map((stage, index) => {
    const before = stages[index - 1];
    const upstreams =
      before === undefined
        ? ownAnswerers(agent.file.name, definitions)
        : [before.to, before.orElse].flatMap((edge) =>
            edge === undefined ? [] : answerers(edge.to.name, definitions),
          );
    return { ...stage, upstreams };
  });
}

const definitionsOf = ({ agents }: Checkup) => ({ get: (name: AgentName) => agents.get(name)?.definition });

function stagesOf({ links, definition }: LinkedAgent): readonly { to: Edge; orElse: Edge | undefined }[] {
  return (definition.chain?.stages ?? []).flatMap((_stage, index) => {
    const of = (role: string): Edge | undefined =>
      links.edges.find((edge) => edge.kind === definition.chain?.trigger && edge.role === role && edge.stage === index);
    const to = of('stage');
    return to === undefined ? [] : [{ to, orElse: of('else') }];
  });
}

function inputSchema(name: AgentName, { agents }: Checkup): JsonSchema | undefined {
  const input = agents.get(name)?.definition.input;
  return input?.format === 'json' ? input.schema : undefined;
}

function outputSchema(name: AgentName, { agents }: Checkup): JsonSchema | undefined {
  const definition = agents.get(name)?.definition;
  return definition?.outputDeclared && definition.output.format === 'json' ? definition.output.schema : undefined;
}

function compareEdge(upstream: AgentName, edge: Edge, checkup: Checkup): void {
  const given = outputSchema(upstream, checkup);
  const wanted = inputSchema(edge.to.name, checkup);
  if (given === undefined || wanted === undefined) return;
  const taken = { agent: edge.to.name, schema: withoutReason(wanted) };
  judge({ given: { agent: upstream, schema: given }, taken }, edge, `what "${upstream}" answers`, checkup);
}

/** Reported at both places: at the schema that is not enforced, and at the one that is enforced instead. */
function warnOfOverride(upstream: AgentName, { to }: Edge, checkup: Checkup): void {
  const above = checkup.agents.get(upstream);
  const below = checkup.agents.get(to.name);
  const given = outputSchema(upstream, checkup);
  const input = below?.definition.input;
  if (above === undefined || below === undefined || given === undefined || input === undefined) return;
  if (input.format === 'any' || (input.format === 'json' && !overrides(given, input.schema))) return;
  const schemaAt = placeIn(above, checkup, ['output', 'schema']);
  const inputAt = placeIn(below, checkup, ['input']);
  const instead = input.format !== 'json' ? input.format : input.schema === undefined ? 'any JSON' : 'its own schema';
  const help = `Remove output.schema of "${upstream}"; or let "${to.name}" take the same schema; or remove input of "${to.name}", so that it takes any input.`;
  const sides = input.schema && {
    compared: {
      given: { agent: upstream, schema: given },
      taken: { agent: to.name, schema: withoutReason(input.schema) },
    },
  };
  checkup.report({
    code: 'chain/overrides-output',
    severity: 'warning',
    ...schemaAt,
    message: `\`output.schema\` of "${upstream}" is not enforced: its answer goes to "${to.name}", which takes ${instead} (${placeText(inputAt)})`,
    help,
    ...sides,
  });
  checkup.report({
    code: 'chain/overrides-output',
    severity: 'warning',
    ...inputAt,
    message: `the input of "${to.name}" replaces \`output.schema\` of "${upstream}" (${placeText(schemaAt)})`,
    help,
    ...sides,
  });
}

/** Whether a value may pass one and not the other. A schema that can never fit is an error already. */
function overrides(given: JsonSchema, taken: JsonSchema | undefined): boolean {
  const wanted = withoutReason(taken ?? true);
  if (JSON.stringify(given) === JSON.stringify(wanted)) return false;
  const found = compared(given, wanted).kind;
  return found !== 'never-fits' && [found, compared(wanted, given).kind].includes('may-not-fit');
}

/** The agent under `else` gets what was made for the one that failed. */
function compareElse(upstreams: readonly AgentName[], to: Edge, orElse: Edge, checkup: Checkup): void {
  const steps = checkup.agents.get(orElse.to.name)?.definition.input;
  const first = checkup.agents.get(to.to.name)?.definition.input;
  if (steps?.format !== 'json' || first === undefined) return;
  if (first.format === 'any') {
    for (const name of upstreams) compareAnswer(name, to, orElse, checkup);
    return;
  }
  if (first.format !== 'json') {
    refuseText(to, orElse, `the ${first.format} that is made for "${to.to.name}"`, checkup);
    return;
  }
  const wanted = steps.schema;
  if (first.schema === undefined || wanted === undefined) return;
  const made = { agent: to.to.name, schema: withoutReason(first.schema) };
  const taken = { agent: orElse.to.name, schema: withoutReason(wanted) };
  judge({ given: made, taken }, orElse, `what is made for "${to.to.name}"`, checkup);
}

/** Where the first one takes any input, the agent under `else` gets the upstream's own answer. */
function compareAnswer(upstream: AgentName, to: Edge, orElse: Edge, checkup: Checkup): void {
  const format = checkup.agents.get(upstream)?.definition.output.format;
  if (format === 'json') compareEdge(upstream, orElse, checkup);
  else if (format !== undefined)
    refuseText(to, orElse, `the ${format} that "${upstream}" answers: "${to.to.name}" takes any input`, checkup);
}

function refuseText(to: Edge, orElse: Edge, what: string, { report }: Checkup): void {
  report({
    code: 'chain/else-format',
    source: orElse.ref.source,
    at: orElse.ref,
    message: `"${orElse.to.name}" takes json, but would get ${what}`,
    help: `Give "${to.to.name}" and "${orElse.to.name}" the same input, or name another agent under else.`,
  });
}

function judge(sides: ComparedSchemas, { ref, to }: Edge, what: string, { report }: Checkup): void {
  const found = compared(sides.given.schema, sides.taken.schema);
  if (found.kind === 'no-finding') return;
  const never = found.kind === 'never-fits';
  const listed = list(never ? found.reasons : found.doubts);
  report({
    code: never ? 'chain/never-fits' : 'chain/may-not-fit',
    severity: never ? 'error' : 'warning',
    source: ref.source,
    at: ref,
    message: `${what} ${never ? 'can never fit' : 'may not fit'} the input of "${to.name}": ${listed}`,
    help: `Change one of the two schemas: output.schema of the upstream, or input.schema of ${to.source.file}.`,
    compared: sides,
  });
}

function checkReason(upstream: AgentName, { ref, to }: Edge, checkup: Checkup): void {
  const schema = inputSchema(to.name, checkup);
  const reason = reasonOf(schema);
  if (schema === undefined || reason === undefined) return;
  const text = `Chained execution from agent__${upstream}`;
  const found = constantFits(text, reason, schema);
  if (found.kind !== 'never-fits') return;
  checkup.report({
    code: 'chain/reason',
    severity: 'error',
    source: ref.source,
    at: ref,
    message: `the reason that the chain gives, "${text}", does not fit the input of "${to.name}": ${list(found.reasons)}`,
    help: `Let \`reason\` in the input schema of ${to.source.file} accept that text.`,
  });
}

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

/** The chain itself gives the reason, so the upstream is not asked for one. */
function withoutReason(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean' || reasonOf(schema) === undefined) return schema;
  const { reason: _, ...properties } = schema['properties'] as Record<string, unknown>;
  const required = schema['required'];
  const rest = Array.isArray(required) ? { required: required.filter((name) => name !== 'reason') } : {};
  return { ...schema, properties, ...rest };
}

const comparisons = new WeakMap<object, Map<string, Fit>>();

/** The same two schemas are often compared, so each result is kept. */
function compared(given: JsonSchema, wanted: JsonSchema): Fit {
  if (typeof given === 'boolean') return fit(given, wanted);
  const known = comparisons.get(given) ?? new Map<string, Fit>();
  comparisons.set(given, known);
  const key = JSON.stringify(wanted);
  const found = known.get(key) ?? fit(given, wanted);
  known.set(key, found);
  return found;
}
