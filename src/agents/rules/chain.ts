// Rules about chains (SPEC 3.3, 3.4): what an upstream declares that it answers can satisfy what its downstream takes.
// A downstream that takes JSON makes the upstream answer with its schema, so only a schema of the upstream's own can
// stand in the way. The reason that a chain adds is a fixed text, and is held against the downstream's schema too.

import type { AgentName } from '../../kernel/effect.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import { answerers, ownAnswerers } from '../answerers.ts';
import type { LinkedAgent } from '../define.ts';
import { constantFits, type Fit, type FitNote, fit } from '../fit.ts';
import type { Edge } from '../link.ts';
import { type Checkup, forEachAgent } from './checkup.ts';

export const schemasFitAlongChains = forEachAgent((agent, checkup) => {
  const definitions = definitionsOf(checkup);
  const stages = stagesOf(agent);
  for (const [index, { to, orElse }] of stages.entries()) {
    const before = stages[index - 1];
    const upstreams =
      before === undefined
        ? ownAnswerers(agent.file.name, definitions)
        : [before.to, before.orElse].flatMap((edge) =>
            edge === undefined ? [] : answerers(edge.to.name, definitions),
          );
    for (const name of upstreams) compareEdge(name, to, checkup);
    if (orElse !== undefined) compareElse(to, orElse, checkup);
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
  judge(compared(given, withoutReason(wanted)), edge, `what "${upstream}" answers`, checkup);
}

/** Whoever steps in gets what was made for the one that failed. */
function compareElse(to: Edge, orElse: Edge, checkup: Checkup): void {
  const wanted = inputSchema(orElse.to.name, checkup);
  if (wanted === undefined) return;
  const first = checkup.agents.get(to.to.name)?.definition.input;
  if (first?.format === 'text') {
    checkup.report({
      code: 'chain/else-format',
      source: orElse.ref.source,
      at: orElse.ref,
      message: `"${orElse.to.name}" takes json, and would get the text that was made for "${to.to.name}"`,
      help: 'Give both the same input, or let another agent step in.',
    });
    return;
  }
  if (first?.schema === undefined) return;
  judge(
    compared(withoutReason(first.schema), withoutReason(wanted)),
    orElse,
    `what is made for "${to.to.name}"`,
    checkup,
  );
}

function judge(found: Fit, { ref, to }: Edge, what: string, { report }: Checkup): void {
  if (found.kind === 'fits') return;
  const never = found.kind === 'never-fits';
  const listed = list(never ? found.reasons : found.doubts);
  report({
    code: never ? 'chain/never-fits' : 'chain/may-not-fit',
    severity: never ? 'error' : 'warning',
    source: ref.source,
    at: ref,
    message: `${what} ${never ? 'can never be' : 'may not be'} an input that "${to.name}" takes: ${listed}`,
    help: `Change one of the two schemas: output.schema of the upstream, or input.schema of ${to.source.file}.`,
  });
}

function checkReason(upstream: AgentName, { ref, to }: Edge, checkup: Checkup): void {
  const schema = inputSchema(to.name, checkup);
  const reason = reasonOf(schema);
  if (schema === undefined || reason === undefined) return;
  const text = `Chained execution from agent__${upstream}`;
  const found = constantFits(text, reason, schema);
  if (found.kind === 'fits') return;
  const never = found.kind === 'never-fits';
  checkup.report({
    code: 'chain/reason',
    severity: never ? 'error' : 'warning',
    source: ref.source,
    at: ref,
    message: `the reason that the chain gives, "${text}", ${never ? 'is not' : 'may not be'} one that "${to.name}" takes: ${list(never ? found.reasons : found.doubts)}`,
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

/** The same two schemas often meet: a declared one is compared with each form of input once. */
function compared(given: JsonSchema, wanted: JsonSchema): Fit {
  if (typeof given === 'boolean') return fit(given, wanted);
  const known = comparisons.get(given) ?? new Map<string, Fit>();
  comparisons.set(given, known);
  const key = JSON.stringify(wanted);
  const found = known.get(key) ?? fit(given, wanted);
  known.set(key, found);
  return found;
}
