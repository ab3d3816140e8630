// Rules about references: a referred agent has a description, no agent is named twice, keys that exclude
// each other do not meet, and no agent is its own ancestor.

import { chainOf, findCycles } from '../../link/cycles.ts';
import type { Edge } from '../../link/link.ts';
import { lineOf } from '../../source.ts';
import { type Checkup, forEachAgent, placeIn, type Rule } from './checkup.ts';

/** Every referred agent has a description. That it has a model is a rule for all agents. */
export const referredAgentsAreDescribed: Rule = (checkup) => {
  const told = new Set<string>();
  for (const { ref, name, key } of references(checkup)) {
    const agent = checkup.agents.get(name);
    if (agent === undefined || agent.file.tree === undefined || told.has(name)) continue;
    if (agent.definition.description !== undefined || agent.file.tree.entries.has('description')) continue;
    told.add(name);
    checkup.report({
      code: 'description/missing',
      source: agent.file.source,
      at: agent.file.nameAt,
      message: `"${name}" has no description, and ${ref.source.file}:${lineOf(ref.source, ref)} refers to it under \`${key}\``,
      help: 'Add description: one sentence that tells other agents what it does.',
    });
  }
};

function* references(checkup: Checkup) {
  for (const { links } of checkup.agents.values()) {
    for (const edge of links.edges) yield { ref: edge.ref, name: edge.to.name, key: edge.kind as string };
    for (const { to, ref, path, optional } of links.asides) if (!optional) yield { ref, name: to.name, key: path };
  }
}

export const nobodyIsItsOwnAncestor: Rule = ({ agents, report }) => {
  const edges = [...agents.values()].flatMap(({ links }) => links.edges);
  for (const cycle of findCycles(edges)) {
    const back = cycle.at(-1)!;
    const way = cycle.map((edge) => `${edge.from.source.file}:${lineOf(edge.ref.source, edge.ref)} ${edge.kind}`);
    report({
      code: 'graph/cycle',
      source: back.ref.source,
      at: back.ref,
      message: `recursion detected in chain ${chainOf(cycle)}`,
      help: `Remove one of its references: ${way.join(', ')}.`,
    });
  }
};

/** An agent that is twice in one list would still be only one tool, or one member. */
export const nobodyIsNamedTwice = forEachAgent(({ links }, { report }) => {
  const seen = new Map<string, Edge>();
  for (const edge of links.edges) {
    if (!edge.inList) continue;
    const name = `${edge.role} ${edge.to.name}`;
    const first = seen.get(name);
    if (first === undefined) {
      seen.set(name, edge);
      continue;
    }
    report({
      code: 'ref/duplicate',
      source: edge.ref.source,
      at: edge.ref,
      message: `"${edge.to.name}" is named twice under \`${edge.kind}\`; the first is on line ${lineOf(first.ref.source, first.ref)}`,
      help: 'Remove one of the two.',
    });
  }
});

export const excludingKeysDoNotMeet = forEachAgent((agent, checkup) => {
  const { tree, source } = agent.file;
  for (const { pattern } of agent.links.written) {
    for (const [other, help] of Object.entries(pattern.excludes ?? {})) {
      if (!tree?.entries.has(pattern.key) || !tree.entries.has(other)) continue;
      checkup.report({
        code: 'key/conflict',
        source,
        at: tree.entries.get(other) ?? placeIn(agent, checkup, [other]).at,
        message: `\`${pattern.key}\` and \`${other}\` exclude each other`,
        help,
      });
    }
  }
});
