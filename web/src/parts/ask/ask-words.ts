// The words before an agent is asked: the agents to ask first, the cost, and the steps that follow. Pure.

import type { AgentInfo, CadreInfo, RunRow } from '../../../../src/server/protocol.ts';
import { cost, usd } from '../../../../src/views/amounts.ts';

type Known = Pick<CadreInfo, 'agents' | 'graph' | 'bounds' | 'models' | 'diagnostics'>;

/** The agents that one can lead to, itself included. */
export function reachedFrom(agent: string, { edges }: CadreInfo['graph']): ReadonlySet<string> {
  const reached = new Set([agent]);
  for (const name of reached) for (const edge of edges) if (edge.from === name) reached.add(edge.to);
  return reached;
}

/** Agents that no other one leads to: those a person begins with. All, where each is led to. */
export function entryAgents({ agents, graph }: Pick<Known, 'agents' | 'graph'>): readonly AgentInfo[] {
  const led = new Set(graph.edges.filter(({ from, to }) => from !== to).map(({ to }) => to));
  const entries = agents.filter(({ name }) => !led.has(name));
  return entries.length === 0 ? agents : entries;
}

/** The one to propose: from which most agents are reached, then by name. */
export function firstAgent(known: Pick<Known, 'agents' | 'graph'>): AgentInfo | undefined {
  const reach = ({ name }: AgentInfo): number => reachedFrom(name, known.graph).size;
  return [...entryAgents(known)].sort(
    (left, right) => reach(right) - reach(left) || (left.name < right.name ? -1 : 1),
  )[0];
}

/** The folder of an agent, without the slash, and what of the graph is in it. */
export function folderGraph(agent: string, { agents, graph }: Pick<Known, 'agents' | 'graph'>) {
  const prefix = agents.find(({ name }) => name === agent)?.prefix ?? '';
  const nodes = graph.nodes.filter(({ name }) => name.startsWith(prefix));
  const edges = graph.edges.filter(({ from, to }) => from.startsWith(prefix) && to.startsWith(prefix));
  return { folder: prefix.replace(/\/$/, ''), graph: { nodes, edges } };
}

export interface FolderOfAgents {
  /** The folder without the slash; empty if there is only one. */
  readonly folder: string;
  readonly agents: readonly AgentInfo[];
}

/**
 * The matches by folder, entry agents first. Matches in the name come before those in the folder and in the
 * description.
 */
export function matching(words: string, known: Pick<Known, 'agents' | 'graph'>): readonly FolderOfAgents[] {
  const entries = new Set(entryAgents(known));
  const asked = words.trim().toLowerCase();
  const rank = ({ name, prefix, description = '' }: AgentInfo): number => {
    const places = [name.slice(prefix.length), prefix, description];
    const place = places.findIndex((text) => text.toLowerCase().includes(asked));
    return place < 0 ? places.length : place;
  };
  const fitting = known.agents
    .map((agent) => ({ agent, rank: rank(agent) }))
    .filter(({ rank: place }) => place < 3)
    .sort(
      (left, right) =>
        Number(entries.has(right.agent)) - Number(entries.has(left.agent)) ||
        left.rank - right.rank ||
        (left.agent.name < right.agent.name ? -1 : 1),
    );
  const folders = new Map<string, AgentInfo[]>();
  for (const { agent } of fitting) folders.set(agent.prefix, [...(folders.get(agent.prefix) ?? []), agent]);
  return [...folders].map(([prefix, agents]) => ({ folder: prefix.replace(/\/$/, ''), agents }));
}

const usedBy = (agent: AgentInfo, known: Pick<Known, 'graph' | 'models'>): Known['models'] => {
  const reached = reachedFrom(agent.name, known.graph);
  return known.models.filter((one) => reached.has(one.agent));
};

function freeWords(agent: AgentInfo, known: Known): string | undefined {
  const used = usedBy(agent, known);
  if (used.length === 0 || used.some(({ free }) => free === undefined)) return undefined;
  return used.every(({ free }) => free !== 'local') ? '$0 (scripted)' : '$0 (local model)';
}

const boundOf = (agent: AgentInfo, { bounds }: Known): number | undefined =>
  bounds[agent.name]?.usd ?? agent.budget?.usd;

/** The price in a row of many agents: `$0 (scripted)`, `≤ $0.50`, or nothing. */
export function priceTag(agent: AgentInfo, known: Known): string {
  const bound = boundOf(agent, known);
  return freeWords(agent, known) ?? (bound === undefined ? '' : `≤ ${usd(bound)}`);
}

/** Where answers come from that cost nothing. Undefined: from a provider. */
export function sourceWords(agent: AgentInfo, known: Known): string | undefined {
  const kinds = new Set(usedBy(agent, known).map(({ free }) => free));
  const [only] = kinds;
  if (kinds.size !== 1 || only === undefined) return undefined;
  if (only === 'local') return 'Answers come from models on this machine: no key.';
  return `Answers come from a ${only === 'scripted' ? 'script' : 'recording'}: no key, no network.`;
}

/** `rows`: the last runs of the agent that have ended. */
export function priceWords(agent: AgentInfo, known: Known, rows: readonly Pick<RunRow, 'usd' | 'unpriced'>[]): string {
  const free = freeWords(agent, known);
  if (free !== undefined) return free;
  const bound = boundOf(agent, known);
  const most = bound === undefined ? `no limit set: add budget to ${agent.file}` : `never more than ${usd(bound)}`;
  const priced = rows.flatMap((row) => (row.usd === undefined ? [] : [row.usd]));
  if (priced.length === 0) return most;
  const mean = priced.reduce((sum, one) => sum + one, 0) / priced.length;
  const unpriced = rows.reduce((sum, row) => sum + row.unpriced, 0);
  const last = rows.length === 1 ? 'last run' : `last ${rows.length} runs`;
  return `usually ${cost(mean, unpriced)} (${last}) · ${most}`;
}

/** The reason why it cannot be started: an error in a file that it reaches, or a model that is not ready. */
export function startRefusal(
  agent: AgentInfo,
  known: Known,
): { readonly words: string; readonly agent: string } | undefined {
  const reached = reachedFrom(agent.name, known.graph);
  const files = new Map(known.agents.filter(({ name }) => reached.has(name)).map(({ file, name }) => [file, name]));
  const wrong = known.diagnostics.find(({ severity, file }) => severity === 'error' && files.has(file));
  if (wrong !== undefined)
    return { words: `Fix ${wrong.file}:${wrong.line} first`, agent: files.get(wrong.file) ?? agent.name };
  const unready = known.models.find((one) => reached.has(one.agent) && !one.ready);
  return unready === undefined ? undefined : { words: `${unready.model}: ${unready.state}`, agent: unready.agent };
}

/**
 * The steps of a run in at most three lines: the agents that are asked before, the next ones, and the one that answers.
 * Names stand between backticks.
 */
export function whatHappens(agent: AgentInfo, { graph }: Pick<Known, 'graph'>): readonly string[] {
  const named = (all: readonly string[], joins: 'and' | 'or'): string =>
    names(
      all.map((name) => (name.startsWith(agent.prefix) ? name.slice(agent.prefix.length) : name)),
      joins,
    );
  const own = named([agent.name], 'and');
  const edges = graph.edges.filter(({ from }) => from === agent.name);
  const to = (kind: string): string[] => [
    ...new Set(edges.filter((edge) => edge.kind === kind).map((edge) => edge.to)),
  ];
  const [advisors, routed, team, next] = [to('advisors'), to('router'), to('team'), to('next')];
  const asked = [...new Set([...to('agents'), ...to('spawn')])];
  const lines = [
    ...(advisors.length > 0
      ? [`${named(advisors, 'and')} ${advisors.length === 1 ? 'is asked first' : 'are asked first, at the same time'}.`]
      : []),
    ...(routed.length > 0 ? [`${own} reads it, and sends it to ${named(routed, 'or')}.`] : []),
    ...(team.length > 0 ? [`${named(team, 'and')} work on it together.`] : []),
    ...(asked.length > 0 ? [`${own} may ask ${named(asked, 'and')}.`] : []),
    ...(next.length > 0 ? [`Its answer goes on to ${named(next, 'and')}.`] : []),
  ].slice(0, 2);
  return [
    ...lines,
    `You see it live on this page. The answer comes from ${named(agent.answerers ?? [agent.name], 'or')}.`,
  ];
}

function names(all: readonly string[], joins: 'and' | 'or'): string {
  const quoted = all.slice(0, SHOWN).map((name) => `\`${name}\``);
  if (all.length > SHOWN) return `${quoted.join(', ')} ${joins} ${all.length - SHOWN} more`;
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} ${joins} ${last}`;
}

const SHOWN = 4;
