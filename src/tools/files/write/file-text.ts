// A file as text that can be changed: what must stay as it is (byte order mark, line ends), and what cannot be text.

import { size } from '../../../base/text/words.ts';
import { fail } from '../../../kernel/fault.ts';
import { decode } from '../text.ts';
import { maxFileBytes, type PresentFile } from './place.ts';

const BYTE_ORDER_MARK = '\uFEFF';
const markBytes = Buffer.from(BYTE_ORDER_MARK);

export function textFile(
  { bytes }: PresentFile,
  path: string,
): {
  /** The text without a byte order mark. */
  readonly text: string;
  readonly hasMark: boolean;
} {
  const decoded = decode(bytes);
  if ('binary' in decoded)
    return fail('tool/failed', `"${path}" (${size(bytes.byteLength)}) is not a text file: ${decoded.binary}.`);
  return { text: decoded.text, hasMark: markBytes.equals(bytes.subarray(0, markBytes.length)) };
}

/** Throws a message for the model if the text cannot be a text file. */
export function textBytes(text: string, hasMark: boolean): Uint8Array {
  if (text.includes('\0')) fail('tool/failed', 'The text holds a NUL character, which text files do not have.');
  if (/\p{Surrogate}/u.test(text)) fail('tool/failed', 'The text holds half of a character (a lone surrogate).');
  const bytes = Buffer.from(hasMark ? BYTE_ORDER_MARK + text : text);
  if (bytes.byteLength > maxFileBytes)
    fail('tool/failed', `The file would have ${size(bytes.byteLength)}, and the limit is ${size(maxFileBytes)}.`);
  return bytes;
}

/** The line end that a text uses most. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1;
  const carried = text.split('\r\n').length - 1;
  return carried * 2 > all ? '\r\n' : '\n';
}

export const withLineEnds = (text: string, lineEnd: string): string =>
  lineEnd === '\r\n' ? text.replaceAll(/\r?\n/g, '\r\n') : text;

/**
 * Refuses marks of secrets: a model sees a mark in place of a secret, and a text that it writes with one has that mark.
 * A mark in a file would destroy the secret that it stands for.
 */
export function refuseMarks(text: string, before: string): void {
  const mark = text.match(/\[redacted:[^\]\n]{1,200}\]/g)?.find((one) => !before.includes(one));
  if (mark === undefined) return;
  fail(
    'tool/failed',
    `The text holds ${mark}, which stands for a secret or for something that looks like a key. It would be written as ` +
      'it stands. Leave that part of the file alone (edit_file changes other lines), or read the secret from the ' +
      'environment.',
  );
}
