// The tool source `files:write`: make, edit, delete and move files within one folder. Its tools are loaded when an agent
// first asks for them.

import type { Tool, ToolSource } from '../../tool.ts';
import type { WriteAccess } from './rules.ts';

export const FILES_WRITE = 'files:write';

export function filesWriteSource(folder: string, access: WriteAccess): ToolSource {
  let opened: Promise<readonly Tool[]> | undefined;
  return {
    name: FILES_WRITE,
    tools() {
      opened ??= import('./tools.ts').then(({ openWriteTools }) => openWriteTools(folder, access));
      return opened;
    },
    async close() {},
  };
}
