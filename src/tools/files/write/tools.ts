// The tools of `files:write`. Every change is recorded before it is made, and a person is asked unless the agent is
// trusted with it.

import { resolve } from 'node:path';
import { objectInput } from '../../object-input.ts';
import type { Tool, ToolContext } from '../../tool.ts';
import { comparedPaths } from '../named-paths.ts';
import { openWorkspace } from '../workspace.ts';
import { deleteFile, moveFile, usableTarget, type WritableWorkspace } from './changing.ts';
import { editFile } from './edit.ts';
import { previewDelete, previewMove } from './preview.ts';
import { type WriteAccess, writeRules } from './rules.ts';
import { writeFile } from './write.ts';

export async function openWriteTools(folder: string, access: WriteAccess): Promise<readonly Tool[]> {
  const workspace = await openWritable(folder, access);
  const tools = [writeFile(workspace), editFile(workspace), deleteTool(workspace), moveTool(workspace)];
  return tools.map((tool) => askingFirst(tool, workspace));
}

/** RULES-3. A call that was not asked about asks if it leads to such a file. */
const askingFirst = (tool: Tool, workspace: WritableWorkspace): Tool => ({
  ...tool,
  compared: (input) => comparedPaths(input, { root: workspace.rules.view.root, given: resolve(workspace.given) }),
  async execute(input, context) {
    if (context.basis === undefined && (await leadsToAsked(input as Partial<MoveInput>, workspace, context))) {
      const asks = await tool.preview?.(input, context);
      if (asks?.basis !== undefined) return { asks };
    }
    return tool.execute(input, context);
  },
});

async function leadsToAsked(
  { path, to }: Partial<MoveInput>,
  workspace: WritableWorkspace,
  context: ToolContext,
): Promise<boolean> {
  for (const one of [path, to]) {
    if (one === undefined) continue;
    const target = await usableTarget(one, workspace, context, 'followed').catch(() => undefined); // the tool says why
    if (target !== undefined && workspace.rules.alwaysAsks(target.path)) return true;
  }
  return false;
}

/** Throws `tool/source` if the folder cannot be used. */
export async function openWritable(folder: string, access: WriteAccess): Promise<WritableWorkspace> {
  const { root } = await openWorkspace(folder);
  return { given: folder, rules: await writeRules(root, access) };
}

const deleteTool = (workspace: WritableWorkspace): Tool => ({
  spec: {
    name: 'delete_file',
    description: 'Deletes a file of the workspace. Folders are not deleted.',
    parameters: objectInput({ path: { type: 'string', description: 'The file, relative to the workspace.' } }, [
      'path',
    ]),
  },
  repeat: 'decided',
  asks: 'unless-trusted',
  preview: (input, context) => previewDelete((input as { readonly path: string }).path, workspace, context),
  execute: (input, context) => deleteFile((input as { readonly path: string }).path, workspace, context),
});

interface MoveInput {
  readonly path: string;
  readonly to: string;
}

const moveTool = (workspace: WritableWorkspace): Tool => ({
  spec: {
    name: 'move_file',
    description: 'Moves or renames a file of the workspace, and makes the folders above its new place.',
    parameters: objectInput(
      {
        path: { type: 'string', description: 'The file, relative to the workspace.' },
        to: { type: 'string', description: 'Its new path. Nothing may be there yet.' },
      },
      ['path', 'to'],
    ),
  },
  repeat: 'decided',
  asks: 'unless-trusted',
  preview(input, context) {
    const { path, to } = input as MoveInput;
    return previewMove(path, to, workspace, context);
  },
  execute(input, context) {
    const { path, to } = input as MoveInput;
    return moveFile(path, to, workspace, context);
  },
});
