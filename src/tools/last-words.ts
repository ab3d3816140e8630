// The end of what a process says on stderr, for the message of a failure: redacted first, then cut.

import { asRecorded, type RedactedStream, type RedactedText, type Redactor } from '../kernel/redacted.ts';
import { redactedExcerpt } from './cut.ts';

const kept = 2000;

export class LastWords {
  readonly #stream: RedactedStream;
  #said: RedactedText = asRecorded('');

  constructor(redactor: Redactor) {
    this.#stream = redactor.stream();
  }

  hear(text: string): void {
    this.#add(this.#stream.push(text));
  }

  /** The end of what was said so far, as far as it is kept. */
  get text(): string {
    this.#add(this.#stream.end());
    return this.#said.trim();
  }

  #add(text: RedactedText): void {
    const whole = asRecorded(this.#said + text);
    this.#said = redactedExcerpt(whole, whole.length - kept, whole.length);
  }
}
