// The paths of a workspace that may be changed. A refusal is a message for the model.
// RULES-1. `.git` and stores are never changed. What else is closed can be opened by `files.write.allow` in cadre.yaml:
//     Cadre's own files (agents, cadre.yaml, scripts, functions, programs of MCP servers), node_modules, and names that
//     hold secrets.
// RULES-2. A file that would be taken for an agent is as closed as an agent's file: it would be one in the next run.
// RULES-3. A change of what runs by itself (hooks, CI, tasks of editors) is made only after a person saw it, trusted or
//     not.

import { dirname, join } from 'node:path';
import { glob } from '../../../base/text/glob.ts';
import { secretIn } from '../../../base/text/secret-names.ts';
import { gitSettings } from '../git-settings.ts';
import { hiddenFiles, isInStore } from '../hidden.ts';
import { programsIn, runsByItself } from '../runs-later.ts';
import type { WorkspaceView } from '../walk.ts';

export interface WriteAccess {
  /** Files of Cadre that are closed unless allowed: absolute. */
  readonly own: readonly string[];
  /** Folders of stores, which are always closed: absolute. */
  readonly stores: readonly string[];
  /** Paths that are open although they would be closed, relative to the workspace; `*` and `**` stand for names. */
  readonly allow: readonly string[];
  /** True if a file at this absolute path with this text would be an agent. */
  isAgent(path: string, text: string): boolean;
}

export interface WriteRules {
  readonly view: WorkspaceView;
  /** The reason why a path may not be changed. It is relative to the workspace and without links. */
  refusal(path: string): Promise<string | undefined>;
  /** True if a change of it is always asked about (RULES-3). */
  alwaysAsks(path: string): boolean;
  /** The reason why a file may not get this text. */
  textRefusal(path: string, text: string): string | undefined;
  /** True if the name says that the file may hold secrets, so that its text is not kept. */
  mayHoldSecrets(path: string): boolean;
}

export async function writeRules(root: string, access: WriteAccess): Promise<WriteRules> {
  const stores = await hiddenFiles(root, access.stores);
  const own = await hiddenFiles(root, access.own);
  const git = await gitSettings(root);
  const allowed = access.allow.map(glob);
  const isAllowed = (path: string): boolean => allowed.some((one) => one.matches(path));
  const view: WorkspaceView = {
    root,
    isHidden: (path) => stores.isHidden(path),
    hiddenPaths: [...stores.hiddenPaths, ...own.hiddenPaths],
  };
  return {
    view,
    async refusal(path) {
      const segments = path.split('/').map(comparable);
      if (segments.includes('.git') || git.files.includes(segments.join('/')))
        return `"${path}" is part of a Git repository's own data and settings, which are never changed.`;
      const absolute = join(root, path);
      if (stores.isHidden(absolute) || segments.includes('.cadre') || (await isInStore(root, absolute)))
        return `"${path}" is part of a store of runs, which is never changed.`;
      if (isAllowed(path)) return undefined;
      if (own.isHidden(absolute) || segments.at(-1) === 'cadre.yaml')
        return `"${path}" belongs to Cadre itself (an agent, its configuration, what stands in prompts, or code that it runs), so agents do not change it. ${ALLOW}`;
      if (programsIn(segments.join('/')) !== undefined)
        return `"${path}" is not changed: programs in node_modules run later. ${ALLOW}`;
      const secret = secretIn(segments.join('/'), 'file');
      return secret === undefined
        ? undefined
        : `"${path}" is not changed: "${secret}" may hold secrets. Do what you need another way. ${ALLOW}`;
    },
    alwaysAsks: (path) => runsByItself(path.split('/').map(comparable).join('/'), git.hooks),
    textRefusal(path, text) {
      if (isAllowed(path) || !access.isAgent(join(root, path), text)) return undefined;
      return `"${path}" would be an agent file, because it is Markdown that begins with ---. Agents do not make agents. ${ALLOW}`;
    },
    mayHoldSecrets: (path) => secretIn(comparable(path), 'file') !== undefined,
  };
}

const ALLOW = 'A person can allow it with files.write.allow in cadre.yaml.';

/** A name as some file systems compare it: without case, and without characters that leave no trace. */
const comparable = (name: string): string =>
  name
    .replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .normalize('NFC')
    .toLowerCase();

/** The folders above a path that are given as relative to the workspace, the outermost first. */
export function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [...foldersAbove(folder), folder];
}
