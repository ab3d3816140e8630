// The skills of an agent in a run: the list that its prompt shows, and the tool that gives their texts.

import type { AgentDefinition } from '../definition/definition.ts';
import { splitFrontmatter } from '../definition/read/frontmatter.ts';
import { chooseSkills } from '../definition/skills/find-skills.ts';
import { digest } from '../journal/fingerprint.ts';
import { type SkillFact, type SkillsFact, skillsKey } from '../journal/given.ts';
import type { Journal } from '../journal/journal.ts';
import { plainTool, type SessionTool } from '../kernel/session/session-tool.ts';
import { USE_SKILL, useSkillTool } from '../tools/skills/use-skill.ts';
import type { Tool } from '../tools/tool.ts';
import type { LiveRun } from './driven-run.ts';

export const bodyOfSkill = (text: string): string => splitFrontmatter(text)?.body ?? text;

/** The skills that an agent's prompt lists, by what the run recorded. */
export function listedSkills(
  { skills }: AgentDefinition,
  journal: Pick<Journal, 'fact'>,
): { readonly used: readonly SkillFact[]; readonly more: number } {
  const brought = (skills?.use ?? []).flatMap(
    (entry) => (journal.fact(skillsKey(entry)) as SkillsFact | undefined)?.skills ?? [],
  );
  const { used, leftOut } = chooseSkills(brought);
  return { used, more: leftOut.length };
}

/** The tool as a session has it. It stays when a server changes its tools. */
export function skillTool(agent: AgentDefinition): SessionTool {
  const { plain: _, ...tool } = plainTool(agent.name, USE_SKILL);
  return { ...tool, readOnly: true, foldsLast: true };
}

/** The tool as the world performs it. */
export const performedSkillTool = (agent: AgentDefinition, { cadre, journal }: LiveRun): Tool =>
  useSkillTool({
    skills: listedSkills(agent, journal).used,
    open: () => cadre.resources.workspace(),
    bodyOf: bodyOfSkill,
    digestOf: digest,
  });
