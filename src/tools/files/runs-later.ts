// Names in a workspace that decide what runs later without a person. The file tools and the sandbox of commands use the
// same list.

import { glob } from '../../base/text/glob.ts';

/** Files that editors, shells and servers run by themselves: a change of them always asks. */
const RUNS_BY_ITSELF = [
  '.circleci/**',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.devcontainer/**',
  '.envrc',
  '.forgejo/workflows/**',
  '.gitea/workflows/**',
  '.github/workflows/**',
  '.gitlab-ci.yml',
  '.husky/**',
  '.mcp.json',
  '.pre-commit-config.yaml',
  '.vscode/mcp.json',
  '.vscode/tasks.json',
  'lefthook.yml',
].map((pattern) => glob(`**/${pattern}`));

/** Folders of programs that are found by their names. */
const PROGRAMS = 'node_modules';

/** The segment of a path that says that programs lie there. `path` is in small letters. */
export const programsIn = (path: string): string | undefined => path.split('/').find((name) => name === PROGRAMS);

/** `path` is in small letters, relative to the workspace, with forward slashes. `hooks` are further folders. */
export function runsByItself(path: string, hooks: readonly string[] = []): boolean {
  if (RUNS_BY_ITSELF.some((one) => one.matches(path))) return true;
  return hooks.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** Names among them that are most often missing, and are kept from being made in the workspace. */
export const MISSING_NAMES: readonly string[] = [
  '.envrc',
  '.mcp.json',
  '.vscode/tasks.json',
  '.github/workflows',
  '.husky',
  '.devcontainer',
  PROGRAMS,
];
