// The view that the file tools of a cadre have of the workspace, with the files that they may change.

import { existsSync, realpathSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { CadreDefinition } from '../../definition/definition.ts';
import { CONFIG_FILE } from '../../definition/definition.ts';
import { agentChoice } from '../../definition/read/agent-choice.ts';
import { opensFrontmatter } from '../../definition/read/frontmatter.ts';
import { pathsOfEntry, SKILL_FILE } from '../../definition/skill-paths.ts';
import type { WriteAccess } from '../../tools/files/write/rules.ts';
import { ownCode } from './own-code.ts';

/** The folder that agents see with `files`, what in it they do not see, and what they may not change. */
export interface FilesView {
  readonly workspace: string;
  readonly hidden: readonly string[];
  readonly access: WriteAccess;
  /** Those of the closed files that runs read into prompts, whether they are there yet or not. */
  readonly read: readonly string[];
}

export function filesView(cadre: CadreDefinition, workspace: string, store: string | undefined): FilesView {
  const { folder, config, texts } = cadre;
  const models = Object.values(config.providers).flatMap(({ script, recording }) => [script, recording]);
  const own = [config.file ?? join(folder, CONFIG_FILE), ...models].filter((path) => path !== undefined);
  const stores = [store, config.store.dir].filter((path) => path !== undefined);
  const read = readIntoPrompts(cadre, workspace);
  let code: readonly string[] | undefined;
  const access: WriteAccess = {
    get own() {
      code ??= ownCode(cadre, workspace); // read only where something may be changed
      return [...own, ...[...texts.keys()].map((file) => join(folder, file)), ...code, ...read];
    },
    stores,
    allow: config.writable ?? [],
    isAgent: (path, text) =>
      path.endsWith('.md') && isTaken(path, cadre) && (basename(path) === SKILL_FILE || opensFrontmatter(text)),
  };
  return { workspace, hidden: [...own, ...stores], access, read };
}

/** Files and folders of the workspace that stand in prompts. A skill that is not there yet may be the first of its name. */
const readIntoPrompts = ({ agents }: CadreDefinition, workspace: string): readonly string[] => {
  const paths = [...agents.values()].flatMap(({ projectFiles, skills }) => [
    ...projectFiles,
    ...(skills?.use.flatMap(pathsOfEntry) ?? []),
  ]);
  return [...new Set(paths.map((path) => join(workspace, path)))];
};

/** True if the next load of the cadre would look at this file. */
function isTaken(path: string, { folder, texts }: CadreDefinition): boolean {
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  if (!path.startsWith(real + sep)) return false;
  const text = texts.get(CONFIG_FILE);
  const choice = agentChoice(text === undefined ? undefined : { file: CONFIG_FILE, text }, folder);
  return choice.takes(relative(real, path).split(sep).join('/'));
}
