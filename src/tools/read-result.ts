// read_result: reads back, by range or by search, what was too long for the conversation.

import { countedNoun } from '../base/text/words.ts';
import { fail } from '../kernel/fault.ts';
import type { FileRef } from '../kernel/file-ref.ts';
import type { ToolSpec } from '../kernel/message.ts';
import { asRecorded, type RedactedText } from '../kernel/redacted.ts';
import { unknownHandle } from '../kernel/session/notices.ts';
import { READ_RESULT_NAME } from '../kernel/session/session-tool.ts';
import { cutAfter, cutBefore, type RedactedBytes, redactedBytes, redactedExcerpt } from './cut.ts';
import { objectInput } from './object-input.ts';
import type { Tool } from './tool.ts';

const usualLength = 16 * 1024;
/** The length is below the cap of a result, so that a text that is read back is not capped again. */
const maxLength = 24 * 1024;
const maxFound = 40;
const around = 120;

/** A result as the record has it, with the files that it shows. */
export interface KeptResult {
  readonly text: RedactedText;
  readonly files?: readonly FileRef[];
}

/** `load` answers undefined for a handle it does not know. */
export const readResultTool = (load: (handle: string) => Promise<KeptResult | undefined>): Tool => ({
  spec: {
    name: READ_RESULT_NAME,
    description:
      'Reads a long text that was replaced by a handle. Gives the part that begins at byte "from", or with "search" ' +
      'the places where a text occurs, with their byte offsets.',
    parameters: objectInput(
      {
        handle: { type: 'string', description: 'The handle that stood in place of the text.' },
        from: { type: 'integer', minimum: 0, description: 'The byte to begin at. Default: 0.' },
        length: {
          type: 'integer',
          minimum: 1,
          description: `How many bytes, at most ${maxLength}. Default: ${usualLength}.`,
        },
        search: {
          type: 'string',
          minLength: 1,
          description: 'Find this text instead, at or after "from". Without capitals in it, case does not matter.',
        },
      },
      ['handle'],
    ),
  },
  repeat: 'safe',
  async execute(input) {
    const {
      handle,
      from = 0,
      length = usualLength,
      search,
    } = input as {
      readonly handle: string;
      readonly from?: number;
      readonly length?: number;
      readonly search?: string;
    };
    const kept = await load(handle);
    if (kept === undefined) {
      return fail('tool/failed', unknownHandle(handle));
    }
    const { text, files } = kept;
    const bytes = redactedBytes(text);
    if (from >= bytes.length) {
      return fail('tool/failed', `The text has ${bytes.length} bytes: from must be less than that.`);
    }
    if (search !== undefined) return find(bytes, from, search);
    const part = range(bytes, from, Math.min(length, maxLength));
    return files === undefined ? part : { status: 'ok', text: part, files };
  },
});

function range(bytes: RedactedBytes, from: number, length: number): string {
  const start = cutBefore(bytes, from);
  const cut = cutBefore(bytes, start + length);
  const end = cut > start ? cut : cutAfter(bytes, start + 1);
  const more = end < bytes.length ? ` Read on with from: ${end}.` : ' This is the end.';
  return `Bytes ${start} to ${end} of ${bytes.length}.${more}\n\n${bytes.toString('utf8', start, end)}`;
}

function find(bytes: RedactedBytes, from: number, search: string): string {
  const text = asRecorded(bytes.toString('utf8', cutBefore(bytes, from)));
  const offset = bytes.length - Buffer.byteLength(text);
  // Folding case must not move offsets: letters whose other case has another length stay as they are.
  const fold = search === search.toLowerCase() ? text.replace(/[A-Z\u00c0-\u00de]/g, (c) => c.toLowerCase()) : text;
  const shown: string[] = [];
  let count = 0;
  let seen = 0;
  let seenBytes = offset;
  for (let at = fold.indexOf(search); at >= 0; at = fold.indexOf(search, at + search.length)) {
    count++;
    if (shown.length === maxFound) continue;
    seenBytes += Buffer.byteLength(text.slice(seen, at));
    seen = at;
    shown.push(`byte ${seenBytes}: ${surroundings(text, at, search.length)}`);
  }
  if (count === 0) return `${JSON.stringify(search)} does not occur in the ${bytes.length - offset} bytes searched.`;
  const note = count > shown.length ? ` The first ${shown.length} are shown; search on with a later from.` : '';
  return [`${countedNoun(count, 'place')}.${note} Read one with from.`, ...shown].join('\n');
}

function surroundings(text: RedactedText, at: number, length: number): string {
  const start = Math.max(0, at - around);
  const end = Math.min(text.length, at + length + around);
  const line = redactedExcerpt(text, start, end).replace(/\s+/g, ' ');
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`;
}

/** The spec that models see. It does not depend on `load`. */
export const READ_RESULT: ToolSpec = readResultTool(async () => undefined).spec;
