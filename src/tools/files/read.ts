// read_file: a text file of the workspace, by lines, or a picture or document. It says which lines it shows of how many, and how to read on.

import { mediaTypeOf } from '../../base/media/file-type.ts';
import { countedNoun, size } from '../../base/text/words.ts';
import { fail } from '../../kernel/fault.ts';
import { objectInput } from '../object-input.ts';
import type { Tool } from '../tool.ts';
import { comparedPaths } from './named-paths.ts';
import { decode, linesOf } from './text.ts';
import type { Workspace } from './workspace.ts';

const maxFileBytes = 10 * 1024 * 1024;
/** The size of the largest PDF that is shown. */
const maxShownBytes = 20 * 1024 * 1024;
const usualLines = 500;
/** The size is below the cap that `invoke` puts on a result, so that a page of a long file needs no handle. */
const pageBytes = 24 * 1024;

export const readFileTool = (open: () => Promise<Workspace>): Tool => ({
  spec: {
    name: 'read_file',
    description:
      'Reads a text file of the workspace. Long files come in pages of lines; the first line of the answer says which ' +
      'lines these are, how many there are, and how to read on.',
    parameters: objectInput(
      {
        path: { type: 'string', description: 'The file, relative to the workspace.' },
        from: { type: 'integer', minimum: 1, description: 'The first line to read. Default: 1.' },
        lines: { type: 'integer', minimum: 1, description: `How many lines at most. Default: ${usualLines}.` },
      },
      ['path'],
    ),
  },
  repeat: 'safe',
  compared: async (input) => comparedPaths(input, await open()),
  async execute(input, { redactor, admits }) {
    const {
      path,
      from = 1,
      lines = usualLines,
    } = input as { readonly path: string; readonly from?: number; readonly lines?: number };
    const workspace = await open();
    const file = await workspace.locate(path);
    admits?.({ path: [file.path] });
    if (file.kind === 'folder') fail('tool/failed', `"${path}" is a folder. List it with list_files.`);
    if (file.kind === 'other') fail('tool/failed', `"${path}" is not a regular file.`);
    const bytes = await workspace.read(file, maxShownBytes);
    const isShown = bytes !== undefined && mediaTypeOf(bytes) !== undefined;
    if (bytes === undefined || (!isShown && bytes.byteLength > maxFileBytes)) {
      return fail('tool/failed', `"${path}" is larger than ${size(maxFileBytes)}, which is the limit.`);
    }
    if (isShown) return { status: 'ok', text: `${file.path} is no text:`, files: [{ name: file.path, data: bytes }] };
    const decoded = decode(bytes);
    if ('binary' in decoded) {
      return fail('tool/failed', `"${path}" (${size(bytes.byteLength)}) is not a text file: ${decoded.binary}.`);
    }
    // A page must not begin or end within a secret of several lines.
    return page(file.path, linesOf(redactor.redact(decoded.text)), from, lines);
  },
});

function page(path: string, all: readonly string[], from: number, count: number): string {
  if (all.length === 0) return `${path} is empty.`;
  if (from > all.length) {
    return fail('tool/failed', `${path} has ${countedNoun(all.length, 'line')}: from must be at most ${all.length}.`);
  }
  const chosen: string[] = [];
  let bytes = 0;
  for (const line of all.slice(from - 1, from - 1 + count)) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > pageBytes && chosen.length > 0) break;
    chosen.push(line);
  }
  const to = from - 1 + chosen.length;
  const more = to < all.length ? ` Read on with from: ${to + 1}.` : '';
  return `${path}, lines ${from} to ${to} of ${all.length}.${more}\n\n${chosen.join('\n')}`;
}
