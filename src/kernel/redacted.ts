// Text whose secrets were removed, as a type of its own. Half a secret cannot be found, so only such text may be
// cut: functions that shorten text take `RedactedText`, and the compiler enforces the order.

declare const redacted: unique symbol;

/** Made by a `Redactor`, or read from a record that was redacted before it was written. */
export type RedactedText = string & { readonly [redacted]: true };

export interface Redactor {
  redact(text: string): RedactedText;
  /** Redacts text that comes in pieces. */
  stream(): RedactedStream;
}

export interface RedactedStream {
  /** Returns the text that may be shown: the end is held back for as long as it may be the beginning of a secret. */
  push(text: string): RedactedText;
  /**
   * Returns the rest that is held back, as the end of the text. Not for text that was cut off: it may end in half a
   * secret.
   */
  end(): RedactedText;
}

/** The redactor of a program that knows no secrets. */
export const NOTHING_SECRET: Redactor = {
  redact: (text) => text as RedactedText,
  stream: () => ({ push: (text) => text as RedactedText, end: () => '' as RedactedText }),
};

/** Says that this text came from a record or a conversation, which hold redacted text only. */
export const asRecorded = (text: string): RedactedText => text as RedactedText;
