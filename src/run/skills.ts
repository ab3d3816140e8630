// The skills of an agent in a run: the list that its prompt shows, and the tool that gives their texts.

import type { AgentDefinition } from '../definition/definition.ts';
import { splitFrontmatter } from '../definition/read/frontmatter.ts';
import { chooseSkills } from '../definition/skills/find-skills.ts';
import { digest } from '../journal/fingerprint.ts';
import { type SkillFact, type SkillsFact, skillsKey } from '../journal/given.ts';
import type { Journal } from '../journal/journal.ts';
import type { Routine } from '../kernel/effect.ts';
import type { Message } from '../kernel/message.ts';
import type { LastingText } from '../kernel/session/conversation.ts';
import { type LastingFacts, plainTool, type SessionTool } from '../kernel/session/session-tool.ts';
import { headOfSkill, USE_SKILL, useSkillTool } from '../tools/skills/use-skill.ts';
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
  return { ...tool, readOnly: true, foldsLast: true, lasting };
}

// This yields no effect. It is a routine because what lasts may have to be asked for.
function* lasting(replaced: readonly Message[]): Routine<LastingFacts> {
  const names = new Map<string, string>();
  const texts: LastingText[] = [];
  for (const message of replaced) {
    if (message.role === 'assistant')
      for (const call of message.calls) {
        const name = call.name === USE_SKILL.name ? skillAsked(call.arguments) : undefined;
        if (name !== undefined) names.set(call.id, name);
      }
    if (message.role !== 'tool' || message.result.status === 'error') continue;
    const name = names.get(message.call);
    const { text } = message.result;
    if (name !== undefined)
      texts.push({
        name,
        ...(text.startsWith(headOfSkill(name)) && { text }),
        brief: `${name}: ${USE_SKILL.name}({"name": "${name}"}) gives its text again.`,
      });
  }
  return { heading: 'Skills in use', lines: [], texts };
}

/** The skill whose text this call asks for. */
function skillAsked(input: unknown): string | undefined {
  const { name, file } = (input ?? {}) as { readonly name?: unknown; readonly file?: unknown };
  return typeof name === 'string' && file === undefined ? name : undefined;
}

/** The tool as the world performs it. */
export const performedSkillTool = (agent: AgentDefinition, { cadre, journal }: LiveRun): Tool =>
  useSkillTool({
    skills: listedSkills(agent, journal).used,
    open: () => cadre.resources.workspace(),
    bodyOf: bodyOfSkill,
    digestOf: digest,
  });
