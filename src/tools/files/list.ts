// list_files: what lies in a folder of the workspace, as paths that the other file tools take.

import { countedNoun, size } from '../../base/text/words.ts';
import { fail } from '../../kernel/fault.ts';
import { objectInput } from '../object-input.ts';
import type { Tool } from '../tool.ts';
import { comparedPaths } from './named-paths.ts';
import type { FileEntry } from './walk.ts';
import type { Workspace } from './workspace.ts';

const maxEntries = 500;
const maxDepth = 20;
const usualDepth = 2;

export const listFiles = (open: () => Promise<Workspace>): Tool => ({
  spec: {
    name: 'list_files',
    description:
      'Lists the files and folders of the workspace, or of one folder in it, with sizes. ' +
      'Dot-folders and node_modules are named but not entered.',
    parameters: objectInput({
      path: { type: 'string', description: 'A folder, relative to the workspace. Default: the workspace itself.' },
      depth: {
        type: 'integer',
        minimum: 1,
        maximum: maxDepth,
        description: `How many levels to show. Default: ${usualDepth}.`,
      },
    }),
  },
  repeat: 'safe',
  compared: async (input) => comparedPaths(input, await open()),
  async execute(input, { signal, admits }) {
    const { path = '.', depth = usualDepth } = input as { readonly path?: string; readonly depth?: number };
    const workspace = await open();
    const folder = await workspace.locate(path);
    admits?.({ path: [folder.path] });
    if (folder.kind !== 'folder') fail('tool/failed', `"${path}" is a file. Read it with read_file.`);
    const lines: string[] = [];
    for await (const entry of workspace.walk(folder, depth)) {
      signal.throwIfAborted();
      if (lines.length === maxEntries) {
        lines.push(`Only the first ${maxEntries} entries are shown. List a single folder, or give a smaller depth.`);
        break;
      }
      lines.push(await describe(entry, depth, folder.path, workspace));
    }
    return lines.length === 0 ? `The folder "${folder.path}" is empty.` : lines.join('\n');
  },
});

async function describe(entry: FileEntry, depth: number, below: string, workspace: Workspace): Promise<string> {
  switch (entry.kind) {
    case 'file':
      return `${entry.path}  ${sizeText(await workspace.sizeOf(entry))}`;
    case 'folder':
      return `${entry.path}/${level(entry.path, below) < depth ? '' : `  ${countedNoun(entry.children ?? 0, 'entry', 'entries')}, not shown`}`;
    case 'skipped':
      return `${entry.path}/  not entered`;
    case 'unreadable':
      return `${entry.path}/  may not be read`;
    case 'link':
      return `${entry.path}  a link`;
    case 'secret':
      return `${entry.path}  not readable: it may hold secrets`;
    case 'other':
      return `${entry.path}  not a regular file`;
  }
}

const level = (path: string, below: string): number =>
  path.split('/').length - (below === '.' ? 0 : below.split('/').length);

/** A file that has gone since the folder was read has no size. */
const sizeText = (bytes: number | undefined): string => (bytes === undefined ? 'gone' : size(bytes));
