// The cap of a result that is too long for a conversation: a head and a tail stay, the whole is kept under a handle,
// and the text says so with the sizes, which are bytes of UTF-8.

import type { ToolResult } from '../kernel/message.ts';
import type { RedactedText } from '../kernel/redacted.ts';
import { cutAfter, cutBefore, redactedBytes } from './cut.ts';

/** The head's share of the room beside the note. */
const headShare = 2 / 3;
const mostBytesPerUnit = 3;

/** True if it needs no cap, however its letters are written in UTF-8. */
export const isShort = (text: string, capBytes: number): boolean => text.length * mostBytesPerUnit <= capBytes;

export async function capText(
  result: ToolResult & { readonly text: RedactedText },
  capBytes: number,
  keep: (text: RedactedText) => Promise<string>,
): Promise<ToolResult> {
  const { text } = result;
  if (isShort(text, capBytes)) return result;
  const size = Buffer.byteLength(text);
  if (size <= capBytes) return result;
  const handle = await keep(text);
  const whole = redactedBytes(text);
  const room = Math.max(0, capBytes - Buffer.byteLength(note(handle, size, 2 * size, size)));
  const head = cutBefore(whole, Math.floor(room * headShare));
  const tail = cutAfter(whole, size - Math.floor(room * (1 - headShare)));
  return {
    status: result.status,
    text: whole.toString('utf8', 0, head) + note(handle, head, tail, size) + whole.toString('utf8', tail),
    handle,
    bytes: size,
  };
}

/** The end of a text that is too long. What reads it says that the rest is kept under the handle. */
export async function endOfText<Result extends ToolResult & { readonly text: RedactedText }>(
  result: Result,
  capBytes: number,
  keep: (text: RedactedText) => Promise<string>,
): Promise<Omit<Result, 'text'> & ToolResult> {
  const whole = redactedBytes(result.text);
  if (whole.length <= capBytes) return result;
  const text = whole.toString('utf8', cutAfter(whole, whole.length - capBytes));
  return { ...result, text, handle: await keep(result.text), bytes: whole.length };
}

const note = (handle: string, head: number, tail: number, size: number): string =>
  `\n\n[${tail - head} of ${size} bytes are left out here. The whole text is kept as "${handle}". ` +
  `Read on with read_result({"handle": "${handle}", "from": ${head}}), ` +
  `or find a place in it with read_result({"handle": "${handle}", "search": "…"}).]\n\n`;
