// One agent in the place of a team, for the question whether the team pays: everything that the team may use, in one
// session, and nobody to ask.
// ALONE-1. It has no more rights than the team: it asks and is denied whatever any of them asks and is denied, and is
//          trusted only with what each of them that has the tool is trusted with.

import { readFileSync } from 'node:fs';
import { aloneName } from '../definition/alone-name.ts';
import { BUILT_IN_SOURCES } from '../definition/built-in-tools.ts';
import type { AgentDefinition, Budget, CadreDefinition, SkillsUse } from '../definition/definition.ts';
import type { AgentName } from '../kernel/effect.ts';
import { loadScript } from '../models/scripted/load.ts';
import type { PatternUse } from '../patterns/record.ts';
import { edgesOf } from '../patterns/record.ts';
import { isCommand, type RepeatConfig } from '../patterns/repeat/key.ts';
import { repeatPattern } from '../patterns/repeat/pattern.ts';
import { parseCallRule } from '../rules/call-rule.ts';
import { answeringScripts } from './case-model.ts';
import type { TestCase } from './test-case.ts';

/** The cadre with the agent that works alone in it. `budget`: where the file of the agent has none. */
export function withAlone(cadre: CadreDefinition, agent: AgentDefinition, budget: Budget | undefined): CadreDefinition {
  const alone = aloneAgent(cadre, agent, budget);
  return { ...cadre, agents: new Map([...cadre.agents, [alone.name, alone]]) };
}

function aloneAgent(cadre: CadreDefinition, agent: AgentDefinition, budget: Budget | undefined): AgentDefinition {
  const team = inGraphOrder(cadre, agent);
  const { skills: _skills, budget: own, ...contract } = agent;
  const skills = skillsOf(team);
  const limit = own ?? budget;
  return {
    ...contract,
    name: aloneName(agent.name),
    system: bodiesOf(team),
    tools: union(team, ({ tools }) => tools),
    projectFiles: union(team, ({ projectFiles }) => projectFiles),
    ...(skills !== undefined && { skills }),
    approve: union(team, ({ approve }) => approve),
    deny: union(team, ({ deny }) => deny),
    trust: union(team, ({ trust }) => trust).filter((entry) => isTrustedByAll(entry, team)),
    patterns: agent.patterns.filter(isCommandLoop),
    maxTurns: Math.min(
      team.reduce((sum, { maxTurns }) => sum + maxTurns, 0),
      cadre.config.limits.maxTurns,
    ),
    ...(limit !== undefined && { budget: limit }),
  };
}

/** The agent itself first, then each that it leads to where it first stands in the graph. */
function inGraphOrder(
  cadre: CadreDefinition,
  agent: AgentDefinition,
  seen: Set<AgentName> = new Set(),
): readonly AgentDefinition[] {
  if (seen.has(agent.name)) return [];
  seen.add(agent.name);
  const below = edgesOf(agent).flatMap(({ to }) => cadre.agents.get(to) ?? []);
  return [agent, ...below.flatMap((one) => inGraphOrder(cadre, one, seen))];
}

const union = (
  team: readonly AgentDefinition[],
  of: (one: AgentDefinition) => readonly string[],
): readonly string[] => [...new Set(team.flatMap(of))];

function bodiesOf([own, ...others]: readonly AgentDefinition[]): string {
  const parts = others.map(({ name, description, system }) => {
    const heading = description === undefined ? name : `${name}: ${description.replaceAll(/\s+/g, ' ').trim()}`;
    return `## ${heading}\n\n${system.trim()}`;
  });
  return [own?.system.trim() ?? '', ...parts].join('\n\n');
}

function skillsOf(team: readonly AgentDefinition[]): SkillsUse | undefined {
  const all = team.flatMap(({ skills }) => skills ?? []);
  if (all.length === 0) return undefined;
  return {
    use: [...new Set(all.flatMap(({ use }) => use))],
    preload: [...new Set(all.flatMap(({ preload }) => preload))],
  };
}

/** A loop whose judge is a command needs no other agent. */
const isCommandLoop = ({ pattern, config }: PatternUse): boolean =>
  pattern.key === repeatPattern.key && isCommand((config as RepeatConfig).until);

/** ALONE-1 */
const isTrustedByAll = (entry: string, team: readonly AgentDefinition[]): boolean =>
  team.every(({ tools, trust }) => trust.includes(entry) || !tools.some((tool) => mayGive(tool, entry)));

/** True if an entry of `tools` may give a tool that a rule is about: where it is not known, it may. */
function mayGive(tool: string, entry: string): boolean {
  const name = parseCallRule(entry)?.name ?? entry;
  if (tool === name || tool.startsWith(`${name}/`) || name.startsWith(`${tool}/`)) return true;
  return BUILT_IN_SOURCES[tool]?.tools[name] !== undefined || BUILT_IN_SOURCES[name]?.tools[tool] !== undefined;
}

/** The reason why no agent stands in for the team in a case. Undefined: one does. */
export function whyNoAlone(test: TestCase, cadre: CadreDefinition, agent: AgentDefinition): string | undefined {
  if (edgesOf(agent).length === 0) return `${agent.name} leads to no other agent`;
  if (test.model.kind === 'recording') return 'a recording answers it';
  const name = aloneName(agent.name);
  const unscripted = answeringScripts(cadre, test.model, agent).find(
    (file) => !loadScript(readFileSync(file, 'utf8'), file).agents.has(name),
  );
  return unscripted === undefined ? undefined : `a script answers it, and it has no steps for ${name}`;
}

/** The case for the agent that works alone, and how many of its expectations are about who was called. */
export function aloneCase(test: TestCase): { readonly test: TestCase; readonly setAside: number } {
  const { agents, without, items, case: cases, ...expect } = test.expect;
  const { agents: strangers, ...rest } = without ?? {};
  const setAside = [agents, strangers, items, cases].filter((one) => one !== undefined).length;
  return {
    test: {
      ...test,
      agent: aloneName(test.agent),
      expect: { ...expect, ...(Object.keys(rest).length > 0 && { without: rest }) },
    },
    setAside,
  };
}
