// The view that the file tools of a cadre have of the workspace, with the files that they may change.

import { type Dirent, existsSync, readdirSync, realpathSync } from 'node:fs';
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
  /** Those of the closed files that runs and their programs read, whether they are there yet or not. */
  readonly read: readonly string[];
}

export function filesView(cadre: CadreDefinition, workspace: string, store: string | undefined): FilesView {
  const { folder, config, texts } = cadre;
  const models = Object.values(config.providers).flatMap(({ script, recording }) => [script, recording]);
  const own = [config.file ?? join(folder, CONFIG_FILE), ...models].filter((path) => path !== undefined);
  const stores = [store, config.store.dir].filter((path) => path !== undefined);
  let files: readonly string[] | undefined;
  const read = (): readonly string[] =>
    (files ??= [...readIntoPrompts(cadre, workspace), ...ownCode(cadre, workspace)]);
  const access: WriteAccess = {
    get own() {
      return [...own, ...[...texts.keys()].map((file) => join(folder, file)), ...read()];
    },
    stores,
    allow: config.writable ?? [],
    isAgent: (path, text) =>
      path.endsWith('.md') && isTaken(path, cadre) && (basename(path) === SKILL_FILE || opensFrontmatter(text)),
  };
  return {
    workspace,
    hidden: [...own, ...stores],
    access,
    get read() {
      return read(); // looked for only where something may be changed
    },
  };
}

/**
 * Files and folders of the workspace that stand in prompts. A skill that is not there yet may be the first of its name, and a
 * link in a folder of skills leads to one that lies elsewhere.
 */
function readIntoPrompts({ agents }: CadreDefinition, workspace: string): readonly string[] {
  const all = [...agents.values()];
  const files = all.flatMap(({ projectFiles }) => projectFiles).map((path) => join(workspace, path));
  const entries = new Set(all.flatMap(({ skills }) => skills?.use ?? []));
  const folders = [...new Set([...entries].flatMap(pathsOfEntry))].map((path) => join(workspace, path));
  const linked = folders.flatMap(linksIn).filter((path) => !`${workspace}${sep}`.startsWith(`${path}${sep}`));
  return [...new Set([...files, ...folders, ...linked])];
}

/** The ends of the links in a folder, whatever they lead to: a SKILL.md may come there later. */
function linksIn(folder: string): readonly string[] {
  return entriesOf(folder)
    .map(({ name }) => join(folder, name))
    .flatMap((path) => (existsSync(path) ? [realpathSync(path)] : []));
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
  } catch {
    return []; // not there, or not to be read: then there is no skill in it
  }
}

/** True if the next load of the cadre would look at this file. */
function isTaken(path: string, { folder, texts }: CadreDefinition): boolean {
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  if (!path.startsWith(real + sep)) return false;
  const text = texts.get(CONFIG_FILE);
  const choice = agentChoice(text === undefined ? undefined : { file: CONFIG_FILE, text }, folder);
  return choice.takes(relative(real, path).split(sep).join('/'));
}
