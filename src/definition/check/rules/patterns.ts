// The rules that patterns have for themselves. A pattern names references and keys; here they get their places.

import { nodeAt } from '../../../base/yaml/node.ts';
import type { JsonSchema } from '../../../kernel/schema.ts';
import type { Review } from '../../../patterns/record.ts';
import type { KeyPlace, PatternFinding, ReviewedEdge, ReviewedPlace } from '../../../patterns/review.ts';
import { constantFits, fit } from '../../fit.ts';
import type { LinkedAgent } from '../../link/define.ts';
import type { Edge } from '../../link/link.ts';
import type { SourcePlace } from '../../source.ts';
import { type Checkup, forEachAgent, placeIn, placeText } from './checkup.ts';
import { commandProblem } from './open-commands.ts';

export const patternsAreInOrder = forEachAgent((agent, checkup) => {
  for (const { pattern } of agent.links.written) {
    const use = agent.definition.patterns.find((one) => one.pattern === pattern);
    pattern.check?.(use?.config, reviewOf(agent, pattern.key, checkup));
  }
});

function reviewOf(agent: LinkedAgent, key: string, checkup: Checkup): Review {
  const edges = new Map<ReviewedEdge, Edge>(
    [...agent.links.edges, ...agent.links.asides]
      .filter(({ kind }) => kind === key)
      .map((edge) => [{ to: edge.to.name, role: edge.role }, edge]),
  );
  const placeOf = (place: ReviewedPlace): SourcePlace => {
    if ('path' in place) return placeOfKey(place, checkup.agents.get(place.agent) ?? agent, checkup);
    const { ref } = edges.get(place) ?? {};
    return ref === undefined ? placeIn(agent, checkup, [key]) : { source: ref.source, at: ref };
  };
  return {
    agent: agent.definition,
    agents: { get: (name) => checkup.agents.get(name)?.definition },
    edges: [...edges.keys()],
    fit: comparedOnce,
    constantFits,
    commandProblem: (command) => commandProblem(command, agent, checkup),
    placeText: (place) => placeText(placeOf(place)),
    report: ({ at, ...finding }: PatternFinding) => checkup.report({ ...finding, ...placeOf(at) }),
  };
}

function placeOfKey({ path, isName }: KeyPlace, agent: LinkedAgent, checkup: Checkup) {
  const place = placeIn(agent, checkup, path);
  const tree = agent.file.tree;
  const around = isName && tree ? nodeAt(tree, path.slice(0, -1)) : undefined;
  const entry = around?.kind === 'map' ? around.entries.get(String(path.at(-1))) : undefined;
  return entry === undefined ? place : { ...place, at: entry };
}

const comparisons = new WeakMap<object, Map<string, ReturnType<typeof fit>>>();

/** The same two schemas are often compared, so each result is kept. */
function comparedOnce(given: JsonSchema, wanted: JsonSchema): ReturnType<typeof fit> {
  if (typeof given === 'boolean') return fit(given, wanted);
  const known = comparisons.get(given) ?? new Map<string, ReturnType<typeof fit>>();
  comparisons.set(given, known);
  const key = JSON.stringify(wanted);
  const found = known.get(key) ?? fit(given, wanted);
  known.set(key, found);
  return found;
}
