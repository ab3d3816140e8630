// The facts that a run must know of an agent before it can run it: its tools as models see them, and the window of its
// models. To find them out opens the agent's tools. They hold no secret.

import type { AgentDefinition } from '../definition/definition.ts';
import type { AgentName, OfferedTools, RunInput } from '../kernel/effect.ts';
import { FaultError } from '../kernel/fault.ts';
import type { Sight } from '../kernel/file-ref.ts';
import { ASK_PERSON_ADDRESS } from '../kernel/person.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { hasLongResults } from '../patterns/record.ts';
import { redactedValue, thrownRedacted } from '../secrets/redacted-value.ts';
import { READ_RESULT } from '../tools/read-result.ts';
import type { LoadedCadre } from './loaded-cadre.ts';
import type { AgentTools } from './resources.ts';

/** The facts about an agent that have to be found out before it can run. They are recorded. */
export interface AgentFacts extends OfferedTools {
  readonly contextWindow?: number;
  /** The files that its models see. Only a run that came with files has it. */
  readonly sight?: Sight;
}

/** The facts of an agent without tools, whose models have no known window. */
export const NO_FACTS: AgentFacts = { tools: [], approve: [] };

/** The key under which the journal holds them. */
export const factsKey = (agent: AgentName): string => `agent:${agent}`;

/** True if it has files, or continues a conversation that has some. */
export const cameWithFiles = ({ files, history }: RunInput): boolean =>
  files !== undefined || history?.some((message) => message.files !== undefined) === true;

export async function withSight(
  found: AgentFacts | Promise<AgentFacts>,
  agent: AgentDefinition,
  { resources }: Pick<LoadedCadre, 'resources'>,
): Promise<AgentFacts> {
  const sight = resources.sight(agent);
  return sight === undefined ? found : { ...(await found), sight };
}

/** Throws if the tools cannot be opened, or if the agent's file names one that no source offers. */
export function factsOf(
  agent: AgentDefinition,
  cadre: LoadedCadre,
  signal: StopSignal,
): AgentFacts | Promise<AgentFacts> {
  const tools = cadre.resources.toolsOf(agent, signal);
  return (tools instanceof Promise ? undefined : found.get(tools)) ?? factsWith(tools, agent, cadre);
}

async function factsWith(
  tools: AgentTools | Promise<AgentTools>,
  agent: AgentDefinition,
  cadre: LoadedCadre,
): Promise<AgentFacts> {
  const { secrets } = cadre;
  const opened = () => complete(tools);
  const ready = await (secrets === undefined ? opened() : thrownRedacted(opened, secrets));
  const known = found.get(ready) ?? (await findFacts(agent, ready, cadre));
  found.set(ready, known);
  return known;
}

async function complete(tools: AgentTools | Promise<AgentTools>): Promise<AgentTools> {
  const ready = await tools;
  if (ready.missing !== undefined) throw new FaultError(ready.missing);
  return ready;
}

/** The same facts for the same tools, so that runs that follow each other do not make them again. */
const found = new WeakMap<AgentTools, AgentFacts>();

async function findFacts(agent: AgentDefinition, tools: AgentTools, cadre: LoadedCadre): Promise<AgentFacts> {
  const contextWindow = await cadre.resources.contextWindow(agent);
  return { ...offeredTo(agent, tools, cadre), ...(contextWindow !== undefined && { contextWindow }) };
}

/** The tools as models see them and as the record will have them, also on the first run. */
export function offeredTo(
  agent: AgentDefinition,
  opened: AgentTools,
  { secrets }: Pick<LoadedCadre, 'secrets'>,
): OfferedTools {
  const { tools, approve, previews = [], readOnly, uncounted } = opened;
  const shown = previews.length === 0 ? {} : { previews };
  const sources = sourcesOf(opened);
  const specs = [...tools.values()].map((tool) => tool.spec);
  const delegates = agent.patterns.some(hasLongResults);
  const reads = agent.tools.length > 0 || agent.skills !== undefined || delegates ? [READ_RESULT] : [];
  const offered = JSON.parse(
    JSON.stringify({ tools: [...specs, ...reads], approve, ...shown, ...sources, readOnly, uncounted }),
  ) as OfferedTools;
  return secrets === undefined ? offered : redactedValue(offered, secrets);
}

/**
 * A server may remove a tool and another may then offer one of that name. A person wants to know whose it is. The session
 * itself performs the tool of `person`.
 */
function sourcesOf({ addresses = new Map(), approve }: AgentTools): Pick<OfferedTools, 'sources'> {
  const told = [...addresses].filter(
    ([name, address]) =>
      address.startsWith('mcp:') || address === ASK_PERSON_ADDRESS || (approve.includes(name) && address !== name),
  );
  return told.length === 0 ? {} : { sources: Object.fromEntries(told) };
}
