// Rules about references: a referred agent has a description, no agent is named twice, keys that exclude
// each other do not meet, and no agent is its own ancestor.

import { chainOf, findCycles } from '../../link/cycles.ts';
import type { Edge } from '../../link/link.ts';
import { lineOf } from '../../read/source.ts';
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
    for (const { to, ref } of links.spawnable) if (ref !== undefined) yield { ref, name: to.name, key: 'spawn.agents' };
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
    if (edge.role === 'stage' || edge.role === 'else' || edge.role === 'supervisor') continue;
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

/** Of a list under `next`, only the first entry is used. */
export const furtherNextEntriesAreUnused = forEachAgent(({ fields }, { report }) => {
  for (const ref of fields.next?.ignored ?? []) {
    report({
      code: 'next/ignored',
      severity: 'warning',
      source: ref.source,
      at: ref,
      message: `"${ref.text}" never runs: only the first of several entries of \`next\` is used`,
      help: 'To run one after the other, write next: {sequence: [a, b]}.',
    });
  }
});

export const excludingKeysDoNotMeet = forEachAgent((agent, checkup) => {
  for (const [first, second, help] of EXCLUDING) {
    const tree = agent.file.tree;
    if (!tree?.entries.has(first) || !tree.entries.has(second)) continue;
    checkup.report({
      code: 'key/conflict',
      source: agent.file.source,
      at: tree.entries.get(second) ?? placeIn(agent, checkup, [second]).at,
      message: `\`${first}\` and \`${second}\` exclude each other`,
      help,
    });
  }
});

const EXCLUDING = [
  ['next', 'handoff', 'Keep one of them: both hand the answer on. For two stages write next: {sequence: [a, b]}.'],
  ['router', 'team', 'Keep one of them: put the router in front of the team, as an agent of its own.'],
] as const;
