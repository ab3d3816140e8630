// Finds out the texts that agents of a run are given beside their own: once for each run, when the first session opens that
// needs them. They are recorded, and from then on only the record counts.

import type { AgentDefinition } from '../definition/definition.ts';
import { SKILL_FILE } from '../definition/skill-paths.ts';
import {
  type GivenFact,
  givenKey,
  type ProjectFileFact,
  projectFileKey,
  skillsKey,
  skillTextKey,
} from '../journal/given.ts';
import { FaultError, fault } from '../kernel/fault.ts';
import type { SessionTool } from '../kernel/session/session-tool.ts';
import {
  type ProjectFileText,
  type PromptSection,
  projectFileSections,
  skillSections,
} from '../patterns/given-prompt.ts';
import { orAborted } from '../world/abort.ts';
import type { AgentCall } from '../world/stack/nested.ts';
import type { DrivenRun } from './driven-run.ts';
import { bodyOfSkill, listedSkills, skillTool } from './skills.ts';

/** Everything that an agent has below its own text. */
export interface GivenTexts {
  readonly sections: readonly PromptSection[];
  readonly tools: readonly SessionTool[];
}

export const isGivenMore = ({ projectFiles, skills }: AgentDefinition): boolean =>
  projectFiles.length > 0 || skills !== undefined;

type Signalled = Pick<AgentCall, 'signal'>;

/** Rejects with the signal's reason once it is aborted. */
export function givenIn(run: DrivenRun): (agent: AgentDefinition, call: Signalled) => Promise<GivenTexts> {
  const texts = new Map<string, ProjectFileText | undefined>();
  const textAt = async (key: string, path: string, what: string, call: Signalled) => {
    if (texts.has(key)) return texts.get(key);
    const fact = await recordedOnce(key, () => run.given?.text(path, what), call, run);
    const found = fact === undefined || 'leftOut' in fact ? undefined : await textOf(path, fact, run);
    texts.set(key, found);
    return found;
  };
  const filesOf = async ({ projectFiles }: AgentDefinition, call: Signalled): Promise<readonly ProjectFileText[]> => {
    const files: ProjectFileText[] = [];
    for (const path of projectFiles) {
      const found = await textAt(projectFileKey(path), path, 'project file', call);
      if (found !== undefined) files.push(found);
    }
    return files;
  };
  const skillsOf = async (agent: AgentDefinition, call: Signalled) => {
    for (const entry of agent.skills?.use ?? [])
      await recordedOnce(skillsKey(entry), () => run.given?.skills(entry), call, run);
    const { used, more } = listedSkills(agent, run.journal);
    const preloaded: { readonly name: string; readonly file: ProjectFileText }[] = [];
    for (const { name, folder } of used.filter((skill) => agent.skills?.preload.includes(skill.name) === true)) {
      const path = `${folder}/${SKILL_FILE}`;
      const file = await textAt(skillTextKey(path), path, 'skill', call);
      if (file !== undefined) preloaded.push({ name, file: { ...file, text: bodyOfSkill(file.text) } });
    }
    return { used, more, preloaded };
  };
  return async (agent, call) => {
    const files = await filesOf(agent, call);
    const skills = await skillsOf(agent, call);
    const { used, more, preloaded } = skills;
    noteGiven(agent, run, {
      projectFiles: agent.projectFiles,
      ...(agent.skills && { skillEntries: agent.skills.use, skills: used.map(({ name }) => name) }),
      ...(preloaded.length > 0 && { preload: preloaded.map(({ name }) => name) }),
      ...(more > 0 && { moreSkills: more }),
    });
    return {
      sections: [...projectFileSections(files), ...skillSections(skills)],
      tools: used.length === 0 ? [] : [skillTool(agent)],
    };
  };
}

/** A fact of the run, found out now if it is not recorded. Undefined in a replay of a run that did not ask for it. */
async function recordedOnce<Fact>(
  key: string,
  find: () => Promise<Fact> | undefined,
  { signal }: Signalled,
  { journal }: DrivenRun,
): Promise<Fact | undefined> {
  const recorded = journal.fact(key) as Fact | undefined;
  if (recorded !== undefined) return recorded;
  const finding = find();
  if (finding === undefined) return undefined;
  const found = await orAborted(finding, signal);
  const before = journal.fact(key) as Fact | undefined; // two sessions may have opened at once
  if (before !== undefined) return before;
  journal.append({ type: 'fact', key, value: found });
  return found;
}

async function textOf(
  path: string,
  { file, digest, bytes, isCut }: Exclude<ProjectFileFact, { readonly leftOut: unknown }>,
  run: DrivenRun,
): Promise<ProjectFileText> {
  const text = await run.textOf(digest);
  if (text !== undefined) return { path, file, text, bytes, isCut: isCut === true };
  const what = `The text of ${path} (${digest}) that run ${run.start.run} was given is gone.`;
  throw new FaultError(fault('journal/corrupt', what));
}

function noteGiven({ name }: AgentDefinition, { journal }: DrivenRun, value: GivenFact): void {
  const key = givenKey(name);
  if (journal.isReplay || JSON.stringify(journal.fact(key)) === JSON.stringify(value)) return;
  journal.append({ type: 'fact', key, value });
}
