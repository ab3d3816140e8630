// Names in a workspace that decide what runs later without a person. The file tools and the sandbox of commands use the
// same list.

import { glob } from '../../base/text/glob.ts';

/**
 * Files and folders that editors, shells, servers of CI, assistants and package managers run by themselves: a change of
 * them always asks.
 */
const RUNS_BY_ITSELF = [
  '.appveyor.yml',
  '.buildkite',
  '.circleci',
  '.cirrus.yml',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.codex/config.toml',
  '.cursor/hooks.json',
  '.cursor/mcp.json',
  '.devcontainer',
  '.devcontainer.json',
  '.drone.yml',
  '.envrc',
  '.forgejo/workflows',
  '.gemini/settings.json',
  '.gitea/workflows',
  '.github/actions',
  '.github/workflows',
  '.gitlab-ci.yml',
  '.husky',
  '.lefthook.yaml',
  '.lefthook.yml',
  '.mcp.json',
  '.mise.toml',
  '.pnpmfile.cjs',
  '.pre-commit-config.yaml',
  '.travis.yml',
  '.vscode/mcp.json',
  '.vscode/settings.json',
  '.vscode/tasks.json',
  '.woodpecker',
  '.woodpecker.yml',
  '.yarn/plugins',
  '.yarn/releases',
  '.yarnrc.yml',
  '.zed/settings.json',
  '.zed/tasks.json',
  'Jenkinsfile',
  'appveyor.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'cloudbuild.yaml',
  'lefthook.yaml',
  'lefthook.yml',
  'mise.toml',
];

const MATCHERS = RUNS_BY_ITSELF.map((name) => glob(`**/${name.toLowerCase()}`));

/** Folders of programs that are found by their names. */
const PROGRAMS = 'node_modules';

/** The segment of a path that says that programs lie there. `path` is in small letters. */
export const programsIn = (path: string): string | undefined => path.split('/').find((name) => name === PROGRAMS);

/** `path` is in small letters, relative to the workspace, with forward slashes. `hooks` are further folders. */
export function runsByItself(path: string, hooks: readonly string[] = []): boolean {
  if (MATCHERS.some((one) => one.matches(path))) return true;
  return hooks.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** Names of folders that are kept from being made in the workspace, and of files that everybody knows. */
export const MISSING_NAMES: readonly string[] = [
  '.envrc',
  '.mcp.json',
  '.vscode/tasks.json',
  '.github/workflows',
  '.husky',
  '.devcontainer',
  PROGRAMS,
];

/** The others: what a command makes there is set aside when it ends. */
export const SET_ASIDE_NAMES: readonly string[] = RUNS_BY_ITSELF.filter((name) => !MISSING_NAMES.includes(name));
