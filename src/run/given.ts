// Finds out the texts that agents of a run are given beside their own: once for each run, when the first session opens that
// needs them. They are recorded, and from then on only the record counts.

import type { AgentDefinition } from '../definition/definition.ts';
import { type GivenFact, givenKey, type ProjectFileFact, projectFileKey } from '../journal/given.ts';
import { FaultError, fault } from '../kernel/fault.ts';
import { type ProjectFileText, type PromptSection, projectFileSections } from '../patterns/given-prompt.ts';
import { orAborted } from '../world/abort.ts';
import type { AgentCall } from '../world/stack/nested.ts';
import type { DrivenRun } from './driven-run.ts';

/** Everything that stands in the prompt of an agent below its own text. */
export interface GivenTexts {
  readonly sections: readonly PromptSection[];
}

export const isGivenMore = ({ projectFiles }: AgentDefinition): boolean => projectFiles.length > 0;

/** Rejects with the signal's reason once it is aborted. */
export function givenIn(run: DrivenRun): (agent: AgentDefinition, call: AgentCall) => Promise<GivenTexts> {
  const texts = new Map<string, ProjectFileText | undefined>();
  const fileAt = async (path: string, call: AgentCall): Promise<ProjectFileText | undefined> => {
    if (texts.has(path)) return texts.get(path);
    const fact = await projectFile(path, call, run);
    const found = fact === undefined || 'leftOut' in fact ? undefined : await textOf(path, fact, run);
    texts.set(path, found);
    return found;
  };
  return async (agent, call) => {
    const files: ProjectFileText[] = [];
    for (const path of agent.projectFiles) {
      const found = await fileAt(path, call);
      if (found !== undefined) files.push(found);
    }
    noteGiven(agent, run);
    return { sections: projectFileSections(files) };
  };
}

/** Undefined in a replay of a run that was not given this file. */
async function projectFile(path: string, { signal }: AgentCall, run: DrivenRun): Promise<ProjectFileFact | undefined> {
  const { journal } = run;
  const key = projectFileKey(path);
  const recorded = journal.fact(key) as ProjectFileFact | undefined;
  if (recorded !== undefined || run.readProjectFile === undefined) return recorded;
  const found = await orAborted(run.readProjectFile(path), signal);
  const before = journal.fact(key) as ProjectFileFact | undefined; // two sessions may have opened at once
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

function noteGiven({ name, projectFiles }: AgentDefinition, { journal }: DrivenRun): void {
  const key = givenKey(name);
  const value: GivenFact = { projectFiles };
  if (journal.isReplay || JSON.stringify(journal.fact(key)) === JSON.stringify(value)) return;
  journal.append({ type: 'fact', key, value });
}
