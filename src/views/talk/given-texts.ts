// The texts that agents of a run were given beside their own, in words: a fold of the facts about them.

import { size } from '../../base/text/words.ts';
import type { RunEvent } from '../../journal/event.ts';
import {
  type GivenFact,
  givenAgentOf,
  type ProjectFileFact,
  projectFileOf,
  type SkillsFact,
  skillsEntryOf,
} from '../../journal/given.ts';

export function givenFold() {
  const files = new Map<string, ProjectFileFact>();
  const entries = new Map<string, SkillsFact>();
  const given = new Map<string, GivenFact>();
  return {
    add(event: RunEvent): void {
      if (event.type !== 'fact') return;
      const path = projectFileOf(event);
      const agent = givenAgentOf(event);
      const entry = skillsEntryOf(event);
      if (entry !== undefined) entries.set(entry, event.value as SkillsFact);
      if (path !== undefined) files.set(path, event.value as ProjectFileFact);
      if (agent !== undefined) given.set(agent, event.value as GivenFact);
    },
    /** One line for each text that an agent was given, and for each that was left out. */
    of(agent: string): readonly string[] {
      const { projectFiles = [], ...more } = given.get(agent) ?? {};
      return [...projectFiles.map((path) => fileWords(path, files.get(path))), ...skillWords(more, entries)];
    },
  };
}

function skillWords(
  { skillEntries = [], skills = [], preload = [], moreSkills = 0 }: GivenFact,
  facts: ReadonlyMap<string, SkillsFact>,
): readonly string[] {
  const whole = skills.filter((name) => preload.includes(name)).map((name) => `skill ${name}, its text`);
  const more = moreSkills === 0 ? '' : `, without ${moreSkills} that found no room`;
  const list = skills.length === 0 ? [] : [`skills ${skills.join(', ')}${more}`];
  const leftOut = skillEntries.flatMap((entry) => facts.get(entry)?.leftOut ?? []);
  return [...list, ...whole, ...leftOut.map(({ folder, why }) => `without the skill ${folder}: ${why}`)];
}

function fileWords(path: string, fact: ProjectFileFact | undefined): string {
  if (fact === undefined) return `project file ${path}`;
  if ('leftOut' in fact) return `without the project file ${path}: ${fact.why}`;
  const where = fact.file === path ? '' : `, which is ${fact.file}`;
  return `project file ${path}${where}, ${size(fact.bytes)}${fact.isCut === true ? ', its beginning' : ''}`;
}
