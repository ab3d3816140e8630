// Every tool that an agent would have, where it comes from, whether it changes anything and who says yes to it. Servers are
// started and functions are loaded only if that is asked for; what was not looked at is said.

import { isBuiltIn } from '../../definition/built-in-tools.ts';
import { type AgentDefinition, type CadreDefinition, workspaceOf } from '../../definition/definition.ts';
import { chooseSkills } from '../../definition/skills/find-skills.ts';
import type { SignIns } from '../../journal/store.ts';
import { faultOf } from '../../kernel/fault.ts';
import { FINAL_REPORT } from '../../kernel/session/final-report.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import { describeUse } from '../../patterns/record.ts';
import { isDeniedWhole, mayAsk, type ToolRules } from '../../rules/judge-call.ts';
import { foundSkills } from '../../run/read-given.ts';
import { reservedFor } from '../../run/resources/agent-tools.ts';
import { changesNothing } from '../../run/resources/changes-nothing.ts';
import { filesView } from '../../run/resources/files-view.ts';
import { isEntryDenied, rulesFor } from '../../run/resources/ruled-tools.ts';
import { secretsOf } from '../../secrets/configured.ts';
import { openWorkspace } from '../../tools/files/workspace.ts';
import { USE_SKILL } from '../../tools/skills/use-skill.ts';
import type { BoxedTool, Toolbox } from '../../tools/toolbox.ts';
import { openSources, sourceOf } from './sources.ts';

export interface OfferedTool {
  /** The name that models use. */
  readonly name: string;
  /**
   * The source as agent files write it: `files/read_file`, `mcp:docs/search`; or the key that brings it: `agents`,
   * `spawn`.
   */
  readonly source: string;
  readonly description: string;
  /** Absent where its source does not say. */
  readonly readOnly?: boolean;
  /**
   * `free`: nobody is asked. `asks`: it asks by default. `approve`: the file says that it asks. `trusted`: the file says
   * that it need not ask. `denied`: it is not offered. `rules` has the entries about some calls of it.
   */
  readonly approval: 'free' | 'asks' | 'approve' | 'trusted' | 'denied';
  /** The entries that mean it, as they are written. Absent: none does. */
  readonly rules?: { readonly [Key in 'deny' | 'approve' | 'trust']?: readonly string[] };
}

/** An entry of `tools` that was not looked into, or cannot be had. */
interface UnseenTool {
  readonly entry: string;
  readonly why: string;
  readonly isFault: boolean;
}

interface OfferedSkill {
  readonly name: string;
  readonly description: string;
  /** A path of the workspace. */
  readonly folder: string;
}

export interface AgentOffer {
  readonly agent: string;
  readonly tools: readonly OfferedTool[];
  /** The skills that its prompt would list. Absent: none. */
  readonly skills?: readonly OfferedSkill[];
  readonly unseen: readonly UnseenTool[];
}

interface LookOptions {
  /** Starts MCP servers and loads functions. */
  readonly connect: boolean;
  readonly signal?: StopSignal;
  /** Those of the store, for servers that want one. */
  readonly signIns?: SignIns | undefined;
}

export async function offeredTools(
  cadre: CadreDefinition,
  agents: readonly AgentDefinition[],
  options: LookOptions,
): Promise<readonly AgentOffer[]> {
  const toolbox = openSources(cadre, options.signIns);
  try {
    const offers: AgentOffer[] = [];
    for (const agent of agents) offers.push(await offerOf(agent, cadre, toolbox, options));
    return offers;
  } finally {
    await toolbox.close();
  }
}

export async function offerOf(
  agent: AgentDefinition,
  cadre: CadreDefinition,
  toolbox: Toolbox,
  { connect, signal }: LookOptions,
): Promise<AgentOffer> {
  const seen: string[] = [];
  const unseen: UnseenTool[] = [];
  const withSignal = signal === undefined ? {} : { signal };
  for (const entry of agent.tools) {
    const outside = reasonToWait(entry, agent, connect);
    if (outside !== undefined) unseen.push({ entry, why: outside, isFault: false });
    else {
      try {
        await toolbox.resolve([entry], withSignal);
        seen.push(entry);
      } catch (thrown) {
        unseen.push({ entry, why: faultOf(thrown).message, isFault: true });
      }
    }
  }
  const boxed = await toolbox
    .resolve(seen, { reserved: reservedFor(agent), ...withSignal })
    .catch((thrown: unknown) => {
      unseen.push({ entry: 'tools', why: faultOf(thrown).message, isFault: true });
      return [];
    });
  const skills = await skillsOffered(agent, cadre);
  const tools = [...ownTools(agent, boxed, cadre), ...skillTools(skills), ...patternTools(agent, cadre)];
  return { agent: agent.name, tools, ...(skills.length > 0 && { skills }), unseen };
}

function reasonToWait(entry: string, agent: AgentDefinition, connect: boolean): string | undefined {
  if (entry.startsWith('mcp:') && isEntryDenied(entry, agent)) return 'deny names it';
  if (connect) return undefined;
  if (entry.startsWith('mcp:')) return 'the server was not started';
  if (entry.startsWith('rest:') || isBuiltIn(sourceOf(entry))) return undefined;
  return 'functions were not loaded';
}

function ownTools(agent: AgentDefinition, boxed: readonly BoxedTool[], cadre: CadreDefinition): readonly OfferedTool[] {
  return boxed.map((one): OfferedTool => {
    const { spec } = one.tool;
    const readOnly = changesNothing(one, cadre.config);
    const rules = rulesFor(agent, one);
    const written = writtenRules(rules);
    return {
      name: spec.name,
      source: one.address,
      description: spec.description,
      ...(readOnly !== undefined && { readOnly }),
      approval: approvalOf(rules),
      ...(Object.keys(written).length > 0 && { rules: written }),
    };
  });
}

/** For a call that no entry with brackets means. */
function approvalOf(rules: ToolRules): OfferedTool['approval'] {
  if (isDeniedWhole(rules)) return 'denied';
  if (rules.approve.some(({ inBrackets }) => inBrackets === undefined)) return 'approve';
  if (!rules.asks) return 'free';
  return mayAsk({ ...rules, approve: [] }) ? 'asks' : 'trusted';
}

function writtenRules({ deny, approve, trust }: ToolRules): NonNullable<OfferedTool['rules']> {
  const keyed = Object.entries({ deny, approve, trust }).map(([key, rules]) => [key, rules.map(({ entry }) => entry)]);
  return Object.fromEntries(keyed.filter(([, entries]) => (entries ?? []).length > 0));
}

async function skillsOffered(agent: AgentDefinition, cadre: CadreDefinition): Promise<readonly OfferedSkill[]> {
  if (agent.skills === undefined) return [];
  const { hidden, workspace } = filesView(cadre, workspaceOf(cadre), cadre.config.store.dir);
  const secrets = secretsOf(cadre);
  const redact = (text: string): string => secrets?.redact(text) ?? text;
  const read = await Promise.all(
    agent.skills.use.map((entry) => foundSkills(entry, () => openWorkspace(workspace, hidden), redact)),
  );
  const { used } = chooseSkills(read.flatMap(({ skills }) => skills));
  return used.map(({ name, description, folder }) => ({ name, description, folder }));
}

const skillTools = (skills: readonly OfferedSkill[]): readonly OfferedTool[] =>
  skills.length === 0
    ? []
    : [
        {
          name: USE_SKILL.name,
          source: 'skills',
          description: USE_SKILL.description,
          readOnly: true,
          approval: 'free',
        },
      ];

/** The tools that patterns give to a session, and the one that ends it. */
function patternTools(agent: AgentDefinition, { agents }: CadreDefinition): readonly OfferedTool[] {
  const tool = (name: string, source: string, description = ''): OfferedTool => ({
    name,
    source,
    description,
    approval: 'free',
  });
  const given = agent.patterns.flatMap((use) => describeUse(use, agent.name, agents).tools);
  return [
    ...given.map(({ name, source, description }) => tool(name, source, description)),
    tool(FINAL_REPORT, 'session', 'ends the session with an answer'),
  ];
}
