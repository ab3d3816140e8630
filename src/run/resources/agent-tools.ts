// The tools of each agent of a cadre: opened when a run first needs them, and again when a server changed its own.

import type { AgentDefinition, CadreConfig } from '../../definition/definition.ts';
import { fault } from '../../kernel/fault.ts';
import { ASK_PERSON_ADDRESS } from '../../kernel/person.ts';
import { FINAL_REPORT } from '../../kernel/session/final-report.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import { CATALOG, reservedBy } from '../../patterns/catalog.ts';
import { parseCallRules } from '../../rules/call-rule.ts';
import { READ_RESULT } from '../../tools/read-result.ts';
import { USE_SKILL } from '../../tools/skills/use-skill.ts';
import { type BoxedTool, isMeantBy, type Toolbox, unknownToolText } from '../../tools/toolbox.ts';
import type { AgentTools, CadreResources } from '../resources.ts';
import { usesServers } from '../uses-servers.ts';
import { changesNothing } from './changes-nothing.ts';
import { isEntryDenied, ruledTools, unknownArguments, unknownDenied } from './ruled-tools.ts';

export function openAgentTools(
  toolbox: Toolbox,
  config: CadreConfig,
): Required<Pick<CadreResources, 'toolsOf' | 'latestTools' | 'openedTools'>> {
  const perAgent = new Map<string, AgentTools | Promise<AgentTools>>();
  const latest = new Map<string, { readonly revision: number; readonly tools: AgentTools }>();
  /** The tools of an MCP server may change at any time; its source knows when they do. */
  const openChanging = async (agent: AgentDefinition, signal: StopSignal | undefined): Promise<AgentTools> => {
    const revision = toolbox.revision(agent.tools);
    const tools = await openTools(agent, { toolbox, config }, signal);
    if (revision >= (latest.get(agent.name)?.revision ?? 0)) latest.set(agent.name, { revision, tools });
    return tools;
  };
  return {
    latestTools(agent, signal) {
      const known = latest.get(agent.name);
      if (known === undefined || known.revision === toolbox.revision(agent.tools)) return known?.tools;
      return openChanging(agent, signal);
    },
    toolsOf(agent, signal) {
      if (usesServers(agent)) return openChanging(agent, signal);
      const known = perAgent.get(agent.name);
      if (known !== undefined) return known;
      const opening = openTools(agent, { toolbox, config });
      perAgent.set(agent.name, opening);
      opening.then(
        (tools) => perAgent.set(agent.name, tools),
        () => perAgent.delete(agent.name), // those that wait get the fault; the next call tries again
      );
      return opening;
    },
    openedTools({ name }) {
      const known = latest.get(name)?.tools ?? perAgent.get(name);
      return known instanceof Promise ? undefined : known;
    },
  };
}

/** The names of the tools that a session may have from its patterns. */
const RESERVED = [FINAL_REPORT, READ_RESULT.name, ...reservedBy(CATALOG)];

/** Also that of skills, and those of the patterns that a program brings, if the agent declares them. */
export function reservedFor({ patterns, skills }: AgentDefinition): readonly string[] {
  if (patterns.length === 0 && skills === undefined) return RESERVED;
  const own = skills === undefined ? RESERVED : [...RESERVED, USE_SKILL.name];
  return [...new Set([...own, ...reservedBy(patterns.map(({ pattern }) => pattern))])];
}

async function openTools(
  agent: AgentDefinition,
  { toolbox, config }: { readonly toolbox: Toolbox; readonly config: CadreConfig },
  signal?: StopSignal,
): Promise<AgentTools> {
  if (agent.tools.length === 0) return { tools: new Map(), approve: [] };
  const missing: string[] = [];
  const named = agent.tools.filter((entry) => !isEntryDenied(entry, agent));
  const boxed = await toolbox.resolve(named, {
    reserved: reservedFor(agent),
    ...(signal && { signal }),
    leaveOut: ({ message }) => void missing.push(`tools: ${message}`),
  });
  const addresses = boxed.map(({ address }) => address);
  for (const { name } of parseCallRules(agent.approve)) {
    const isThere = boxed.some((one) => isMeantBy(name, one)) || isEntryDenied(name, agent);
    if (!isThere) missing.push(`approve: ${unknownToolText(name, addresses)}`);
  }
  for (const name of unknownDenied(agent, boxed, config)) missing.push(`deny: ${unknownToolText(name, addresses)}`);
  for (const { key, entry, why } of unknownArguments(agent, boxed))
    missing.push(`${key}: "${entry}": ${why.message}. ${why.help}`);
  return {
    ...ruledTools(agent, boxed),
    ...circleMarks(agent, boxed, config),
    ...(missing.length > 0 && { missing: fault('tool/unknown', `${agent.file}, ${missing.join('\n')}`) }),
  };
}

/** The guard against circles has to know these of them. */
function circleMarks(
  { stuck }: AgentDefinition,
  boxed: readonly BoxedTool[],
  config: CadreConfig,
): Pick<AgentTools, 'readOnly' | 'uncounted'> {
  const named = (meant: (one: BoxedTool) => boolean): readonly string[] =>
    boxed.filter(meant).map(({ tool }) => tool.spec.name);
  const readOnly = named((one) => changesNothing(one, config) === true);
  const uncounted = named(
    (one) => one.address === ASK_PERSON_ADDRESS || stuck?.except.some((entry) => isMeantBy(entry, one)) === true,
  );
  return { ...(readOnly.length > 0 && { readOnly }), ...(uncounted.length > 0 && { uncounted }) };
}
