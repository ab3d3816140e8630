// The one place that writes to stdout and stderr. Text comes from models, tools, files and journals, so all of it is
// made harmless here, and only the styles that `paint` has marked become escape sequences. Only whole lines are
// written, so that a command for a CI service cannot be put together from parts.

import { fstatSync } from 'node:fs';
import { escapeControl, escapeControlJson, withoutCommands, withoutCommandsJson } from './escape-control.ts';
import { isCi, restyle } from './terminal.ts';

/** Prints to stdout, for a person. */
export const print = (text: string): void => writeTo(process.stdout, text);

/** On stderr. */
export const notify = (text: string): void => writeTo(process.stderr, text);

export function writeTo(stream: Pick<NodeJS.WriteStream, 'write'>, text: string): void {
  stream.write(`${shownText(text)}\n`);
}

/** A text as it is written. */
export function shownText(text: string): string {
  const shown = restyle(escapeControl(text));
  return isCi() ? withoutCommands(shown) : shown;
}

/** JSON on stdout. The value stays what it was: what a terminal or a CI service would act on is escaped. */
export function printJson(json: string): void {
  const shown = escapeControlJson(json);
  process.stdout.write(`${isCi() ? withoutCommandsJson(shown) : shown}\n`);
}

/** Writes real workflow commands. Their maker has escaped what they hold. */
export const printCommands = (commands: string): void => void process.stdout.write(`${escapeControl(commands)}\n`);

/**
 * The answer of a run on stdout. A program gets it byte for byte, a terminal without what it would act on. A CI service
 * reads the pipe of each step for commands, so there they lose their effect; a file gets them as they are.
 */
export function printAnswer({
  text,
  data,
}: {
  readonly text: string;
  /** The answer as data, where it is JSON. */
  readonly data?: unknown;
}): void {
  if (process.stdout.isTTY === true) {
    if (data === undefined) print(withoutLastBreak(text));
    else printJson(JSON.stringify(data, null, 2));
    return;
  }
  const read = isCi() && !fstatSync(process.stdout.fd).isFile();
  const shown = !read ? text : data === undefined ? withoutCommands(text) : withoutCommandsJson(text);
  process.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`);
}

/** A diff. A program gets it byte for byte, so that it can be applied. */
export function printDiff(lines: readonly string[]): void {
  if (process.stdout.isTTY === true) print(lines.join('\n'));
  else printAnswer({ text: `${lines.join('\n')}\n` });
}

const withoutLastBreak = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text);

/** A line of a picture that is drawn in place. It takes one row, whatever it holds. */
export const rowOf = (line: string): string => restyle(escapeControl(line).replaceAll(/[\n\t]/g, ' '));
