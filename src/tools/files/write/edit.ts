// edit_file: replaces one passage of a text file. The passage must occur exactly once.

import { countedNoun } from '../../../base/text/words.ts';
import { fail } from '../../../kernel/fault.ts';
import { objectInput } from '../../object-input.ts';
import type { Tool, ToolContext } from '../../tool.ts';
import { type Remake, remake, type WritableWorkspace } from './changing.ts';
import { lineEndOf, refuseMarks, textBytes, textFile, withLineEnds } from './file-text.ts';
import { nearestLine, placesOf } from './passage.ts';
import type { PresentFile } from './place.ts';
import { previewRemake } from './preview.ts';

interface EditInput {
  readonly path: string;
  readonly old_text: string;
  readonly new_text: string;
}

export const editFile = (workspace: WritableWorkspace): Tool => ({
  spec: {
    name: 'edit_file',
    description:
      'Replaces one passage of a text file of the workspace by another. The passage must occur exactly once in the file, ' +
      'white space included: give enough lines around what changes. Read the file first.',
    parameters: objectInput(
      {
        path: { type: 'string', description: 'The file, relative to the workspace.' },
        old_text: { type: 'string', minLength: 1, description: 'The passage as it stands in the file.' },
        new_text: { type: 'string', description: 'What takes its place. Empty: the passage is removed.' },
      },
      ['path', 'old_text', 'new_text'],
    ),
  },
  repeat: 'decided',
  asks: 'unless-trusted',
  preview(input, context) {
    return previewRemake(remakeOf(input as EditInput, context), workspace, context);
  },
  execute(input, context) {
    return remake(remakeOf(input as EditInput, context), workspace, context);
  },
});

const remakeOf = ({ path, ...passage }: EditInput, context: Pick<ToolContext, 'redactor'>): Remake => ({
  kind: 'edit',
  path,
  make: (before, shown) => edited(before, shown, passage, context),
});

/** The bytes of a file with its passage replaced, and what to tell the model. */
function edited(
  before: PresentFile | undefined,
  path: string,
  { old_text: old, new_text: replacement }: Omit<EditInput, 'path'>,
  { redactor }: Pick<ToolContext, 'redactor'>,
): { readonly bytes: Uint8Array; readonly told: string } {
  if (before === undefined) return fail('tool/failed', `There is no "${path}". Make a new file with write_file.`);
  const { text, hasMark } = textFile(before, path);
  if (old === replacement) return fail('tool/failed', 'old_text and new_text are the same.');
  refuseMarks(replacement, text);
  const passage = text.includes(old) ? old : withLineEnds(old, '\r\n');
  const places = placesOf(text, passage);
  const [at] = places;
  if (at === undefined) return fail('tool/failed', notFound(path, redactor.redact(text), old));
  if (places.length > 1)
    return fail(
      'tool/failed',
      `old_text occurs ${places.length} times in ${path}: ${linesOf(text, places)}. Give more of the lines around the place that you mean.`,
    );
  const lineEnd = /\r?\n/.exec(passage)?.[0] ?? lineEndOf(text);
  const made = withLineEnds(replacement, lineEnd);
  const whole = text.slice(0, at) + made + text.slice(at + passage.length);
  const line = lineAt(text, at);
  const [was, is] = [countedNoun(linesIn(passage), 'line'), countedNoun(made === '' ? 0 : linesIn(made), 'line')];
  return { bytes: textBytes(whole, hasMark), told: `Edited ${path} at line ${line}: ${was} replaced by ${is}.` };
}

function notFound(path: string, text: string, old: string): string {
  const near = nearestLine(text, old);
  const hint = near === undefined ? '' : ` The nearest line is line ${near.line}:\n${near.text}\n`;
  const isMarked = text.includes('[redacted:')
    ? ' Text in [redacted:…] stands for a secret, and cannot be matched.'
    : '';
  return `old_text does not occur in ${path}.${hint}${hint === '' ? ' ' : ''}Read the file again and copy the passage exactly.${isMarked}`;
}

const shownPlaces = 10;

function linesOf(text: string, places: readonly number[]): string {
  const lines = places.slice(0, shownPlaces).map((at) => lineAt(text, at));
  const more = places.length > shownPlaces ? ', …' : '';
  return `on ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more}`;
}

const lineAt = (text: string, at: number): number => linesIn(text.slice(0, at)) + (text[at - 1] === '\n' ? 1 : 0) || 1;

/** A last line without a line break counts. */
const linesIn = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
