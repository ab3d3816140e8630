// The folder that a person gives the tools with --workspace.

import { resolve } from 'node:path';
import type { RunStart } from '../../journal/event.ts';
import { fail } from '../../kernel/fault.ts';
import { isFolder } from './stats.ts';

export interface WorkspaceOptions {
  readonly workspace?: string;
}

/** Absolute. Undefined if none was named. Throws `usage` if it is not a folder. */
export function workspaceFrom({ workspace }: WorkspaceOptions): string | undefined {
  if (workspace === undefined) return undefined;
  const path = resolve(workspace);
  if (!isFolder(path)) fail('usage', `--workspace ${workspace} is not a folder.`);
  return path;
}

/** The folders that may be the workspace of a recorded run. */
export const workspaces = ({ workspace: recorded }: Pick<RunStart, 'workspace'>, options: WorkspaceOptions) => ({
  recorded,
  given: workspaceFrom(options),
  here: process.cwd(),
});
