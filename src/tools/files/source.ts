// The tool source `files`: list, read and search within one folder. It writes nothing.

import type { ToolSource } from '../tool.ts';
import { listFiles } from './list.ts';
import { readFileTool } from './read.ts';
import { searchFiles } from './search.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

/** `hidden` are absolute paths of files and folders that are not in the tools' view. */
export function filesSource(folder: string, hidden: readonly string[] = []): ToolSource {
  let opened: Promise<Workspace> | undefined;
  const open = (): Promise<Workspace> => {
    opened ??= openWorkspace(folder, hidden);
    return opened;
  };
  const tools = [listFiles(open), readFileTool(open), searchFiles(open)];
  return {
    name: 'files',
    async tools() {
      await open();
      return tools;
    },
    async close() {},
  };
}
