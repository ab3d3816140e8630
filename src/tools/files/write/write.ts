// write_file: makes a text file, or replaces the whole text of one.

import { countedNoun } from '../../../base/text/words.ts';
import { fail } from '../../../kernel/fault.ts';
import { objectInput } from '../../object-input.ts';
import type { Tool } from '../../tool.ts';
import { linesOf } from '../text.ts';
import { type Remake, remake, type WritableWorkspace } from './changing.ts';
import { lineEndOf, refuseMarks, textBytes, textFile, withLineEnds } from './file-text.ts';
import type { PresentFile } from './place.ts';
import { previewRemake } from './preview.ts';

interface WriteInput {
  readonly path: string;
  readonly content: string;
  readonly overwrite?: boolean;
}

export const writeFile = (workspace: WritableWorkspace): Tool => ({
  spec: {
    name: 'write_file',
    description:
      'Makes a text file in the workspace, with the folders above it. A file that exists is replaced only with ' +
      'overwrite: true; to change a part of one, use edit_file.',
    parameters: objectInput(
      {
        path: { type: 'string', description: 'The file, relative to the workspace.' },
        content: { type: 'string', description: 'The whole text of the file.' },
        overwrite: { type: 'boolean', description: 'Replaces the file if it exists. Default: false.' },
      },
      ['path', 'content'],
    ),
  },
  repeat: 'decided',
  asks: 'unless-trusted',
  preview(input, context) {
    return previewRemake(remakeOf(input as WriteInput), workspace, context);
  },
  execute(input, context) {
    return remake(remakeOf(input as WriteInput), workspace, context);
  },
});

const remakeOf = ({ path, ...wanted }: WriteInput): Remake => ({
  kind: 'write',
  path,
  make: (before, shown) => contentsFor(before, shown, wanted),
});

/** The bytes that a file gets, and what to tell the model. */
function contentsFor(
  before: PresentFile | undefined,
  path: string,
  { content, overwrite = false }: Omit<WriteInput, 'path'>,
): { readonly bytes: Uint8Array; readonly told: string } {
  const size = countedNoun(linesOf(content).length, 'line');
  if (before === undefined) {
    refuseMarks(content, '');
    return { bytes: textBytes(content, false), told: `Made ${path} with ${size}.` };
  }
  if (!overwrite) {
    return fail(
      'tool/failed',
      `"${path}" exists already. Change a part of it with edit_file, or replace it whole with overwrite: true.`,
    );
  }
  const { text, hasMark } = textFile(before, path);
  refuseMarks(content, text);
  const kept = withLineEnds(content.replace(/^\uFEFF/, ''), lineEndOf(text));
  return {
    bytes: textBytes(kept, hasMark),
    told: `Replaced ${path}: ${countedNoun(linesOf(text).length, 'line')} by ${size}.`,
  };
}
