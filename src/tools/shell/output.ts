// The output of a command, on both streams in the order in which it comes: redacted piece by piece, and kept up to a
// size.
// OUT-1. Of a long output the beginning and the end are kept, and the text says how much is missing.
// OUT-2. It is redacted before it is cut. If the command was ended, what may be half a secret at the end is left out.

import { StringDecoder } from 'node:string_decoder';
import { size } from '../../base/text/words.ts';
import { asRecorded, type RedactedStream, type RedactedText, type Redactor } from '../../kernel/redacted.ts';
import { redactedExcerpt } from '../cut.ts';

/** Characters of the beginning and of the end that are kept. */
const KEPT_OF_EACH = 1024 * 1024;
/** A command that writes more than this is ended. */
export const MOST_OUTPUT = 64 * 1024 * 1024;

export class CommandOutput {
  readonly #sources: Readonly<
    Record<'out' | 'err', { readonly decoder: StringDecoder; readonly stream: RedactedStream }>
  >;
  #head = '';
  /** Pieces of the end, and how many characters they have together. */
  #tail: string[] = [];
  #tailLength = 0;
  #bytes = 0;
  #left = 0;

  constructor(redactor: Redactor) {
    const source = () => ({ decoder: new StringDecoder('utf8'), stream: redactor.stream() });
    this.#sources = { out: source(), err: source() };
  }

  /** The last line that is whole, for those who watch. */
  lastLine = '';

  /** False if it is too much. */
  hear(from: 'out' | 'err', chunk: Buffer): boolean {
    this.#bytes += chunk.byteLength;
    const { decoder, stream } = this.#sources[from];
    const text = stream.push(decoder.write(chunk));
    this.#keep(text);
    this.lastLine = lastLineOf(text) ?? this.lastLine;
    return this.#bytes <= MOST_OUTPUT;
  }

  /** `whole`: the command ended by itself (OUT-2). */
  end(whole: boolean): string {
    if (whole)
      for (const { decoder, stream } of Object.values(this.#sources)) {
        this.#keep(stream.push(decoder.end()));
        this.#keep(stream.end());
      }
    const tail = this.#tail.join('');
    if (this.#left === 0) return (this.#head + tail).trimEnd();
    return `${this.#head}\n… ${size(this.#left)} of ${size(this.#bytes)} were not kept …\n${tail}`.trimEnd();
  }

  /** OUT-1. */
  #keep(text: RedactedText): void {
    const room = KEPT_OF_EACH - this.#head.length;
    const head = room > 0 ? redactedExcerpt(text, 0, room) : '';
    this.#head += head;
    const rest = text.slice(head.length);
    if (rest === '') return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    if (this.#tailLength <= 2 * KEPT_OF_EACH) return;
    const whole = this.#tail.join('');
    const kept = redactedExcerpt(asRecorded(whole), whole.length - KEPT_OF_EACH, whole.length);
    this.#left += whole.length - kept.length;
    this.#tail = [kept];
    this.#tailLength = kept.length;
  }
}

const LONGEST_LINE = 200;

function lastLineOf(text: RedactedText): string | undefined {
  const end = text.lastIndexOf('\n');
  if (end < 0) return undefined;
  const begin = text.lastIndexOf('\n', end - 1) + 1;
  const line = redactedExcerpt(text, begin, Math.min(end, begin + LONGEST_LINE)).trim();
  return line === '' ? undefined : line;
}
