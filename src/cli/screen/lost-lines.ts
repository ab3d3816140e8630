// The log of a command that serves others. Its reader may go away, or the disk be full: the command goes on, and lines that
// could not be written are counted.

import { shownText } from './output.ts';

let isServing = false;
let lost = 0;

/** Lets this process go on from now on when nobody reads its output. */
export function goOnWithoutReader(): void {
  isServing = true;
}

/** True if this process ends when its output cannot be written. */
export const needsReader = (): boolean => !isServing;

/** A line of the log, on stderr. */
export function logLine(text: string): void {
  try {
    process.stderr.write(`${shownText(text)}\n`, (failed) => {
      if (failed) lost++;
    });
  } catch {
    lost++; // a file that cannot be written throws at once
  }
}

export const lostLines = (): number => lost;
