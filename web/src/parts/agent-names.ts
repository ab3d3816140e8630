// Names of agents without their folder, where only one can be meant. Pure.

import type { AgentInfo } from '../../../src/server/protocol.ts';

type Named = Pick<AgentInfo, 'name' | 'prefix'>;

/** The name of an agent where its folder stands beside it, and that folder: empty if there is only one. */
export function placeOf(agents: readonly Named[], agent: string): { readonly name: string; readonly folder: string } {
  const prefix = agents.find(({ name }) => name === agent)?.prefix ?? '';
  return { name: agent.slice(prefix.length), folder: prefix.replace(/\/$/, '') };
}

/** The name alone where it can only be one agent's; else with its folder. */
export function shortName(agents: readonly Named[], agent: string): string {
  const { name } = placeOf(agents, agent);
  return agents.filter((one) => one.name.slice(one.prefix.length) === name).length > 1 ? agent : name;
}

/** The agent that was asked, where another one asks a person for it. */
export function askedAgent(
  agents: readonly Named[],
  { asker, agent }: { readonly asker: string; readonly agent: string },
): string | undefined {
  return asker === agent || asker === placeOf(agents, agent).name ? undefined : shortName(agents, agent);
}
