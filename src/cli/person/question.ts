// One question in a terminal: a key to press, or a line to write. What was typed before the question stands on the
// screen is not an answer to it, and is thrown away.
// QUESTION-1. Reading begins before the question is drawn, and keys are dropped until it is written.
// QUESTION-2. Each question reads through a stream of its own: what follows its answer is never kept for the next
//             question.
// QUESTION-3. Ctrl+C is never dropped. A terminal that hands over single keys sends no signal for it.
// QUESTION-4. The choices of an approval come half a second after its text, and keys are dropped until then: one that was
//             pressed twice, or meant for a question that went away, finds none. The page does the same (ARM-1).

import { clearScreenDown, moveCursor } from 'node:readline';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type * as Clack from '@clack/prompts';

/** The part of a terminal that a question needs; `process` is one. */
export interface Terminal {
  readonly stdin: Keyboard;
  readonly stderr: NodeJS.WriteStream;
}

type Keyboard = Pick<NodeJS.ReadStream, 'on' | 'off' | 'resume' | 'pause' | 'setRawMode'>;

/** A key and what it stands for. */
export interface Choice<Key extends string> {
  readonly value: Key;
  readonly label: string;
}

/** Stands for Ctrl+C and for an aborted signal. */
export const INTERRUPT_KEY = Symbol('interrupted');

const CTRL_C = 3;

/** The first choice is the answer of Enter. */
export function askKey<Key extends string>(
  message: string,
  choices: readonly [Choice<Key>, ...Choice<Key>[]],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Key | typeof INTERRUPT_KEY> {
  const options = [...choices] as unknown as { value: string; label: string }[];
  const prompt: Prompt = async ({ selectKey }, streams) => await selectKey({ message, options, ...streams });
  const rows = [message, ...choices.map(({ label }) => `  ${label}`)];
  return ask(prompt, rows, terminal, signal).then((given) => (given ?? choices[0].value) as Key | typeof INTERRUPT_KEY);
}

/** A line of text, which may be empty. */
export function askLine(
  message: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<string | typeof INTERRUPT_KEY> {
  const prompt: Prompt = async ({ text }, streams) => await text({ message, ...streams });
  return ask(prompt, [message, ''], terminal, signal).then((given) => (given ?? '') as string | typeof INTERRUPT_KEY);
}

/** One of a list, by its place. The first one is the answer of Enter. */
export function askOne(
  message: string,
  labels: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number | typeof INTERRUPT_KEY> {
  const options = labels.map((label, value) => ({ value, label }));
  const prompt: Prompt = async ({ select }, streams) => await select({ message, options, ...streams });
  return ask(prompt, [message, ...labels.map((label) => `  ${label}`)], terminal, signal).then(
    (given) => given as number | typeof INTERRUPT_KEY,
  );
}

const READING_MS = 500;

/** Once the text that stands on the screen can have been seen (QUESTION-4). Tells whether Ctrl+C was pressed meanwhile. */
export async function timeToRead({ stdin }: Terminal, signal: AbortSignal): Promise<typeof INTERRUPT_KEY | undefined> {
  const over = new AbortController();
  let isInterrupted = false;
  const hear = (chunk: Buffer): void => {
    if (!chunk.includes(CTRL_C)) return;
    isInterrupted = true;
    over.abort();
  };
  stdin.setRawMode(true);
  stdin.on('data', hear);
  stdin.resume();
  try {
    const ended = AbortSignal.any([signal, over.signal]);
    await pause(READING_MS, undefined, { signal: ended }).catch(() => {}); // an abort ends it early
    return isInterrupted ? INTERRUPT_KEY : undefined;
  } finally {
    stdin.off('data', hear);
    stdin.pause();
    stdin.setRawMode(false);
  }
}

interface PromptStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

type Prompt = (prompts: typeof Clack, streams: PromptStreams) => Promise<unknown>;

/** `rows` are the texts that the prompt draws, so that it can be erased. */
async function ask(
  prompt: Prompt,
  rows: readonly string[],
  { stdin, stderr }: Terminal,
  signal: AbortSignal,
): Promise<unknown> {
  const prompts = await import('@clack/prompts');
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  const keys = keysOf(stdin);
  let shown = false;
  const hear = (chunk: Buffer): void => {
    if (shown) keys.write(chunk);
    else if (chunk.includes(CTRL_C)) interrupt(); // QUESTION-3
  };
  const streams: PromptStreams = { input: keys, output: stderr, signal: interrupted.signal };
  signal.addEventListener('abort', interrupt, { once: true });
  stdin.setRawMode(true); // before reading, so that a line without its end is read too
  stdin.on('data', hear);
  stdin.resume();
  try {
    const answer = await drawnLate(() => prompt(prompts, streams), stderr);
    shown = true; // QUESTION-1
    if (signal.aborted) interrupt();
    const given = await answer.given;
    if (signal.aborted) erase(rows, stderr);
    return prompts.isCancel(given) ? INTERRUPT_KEY : given;
  } finally {
    signal.removeEventListener('abort', interrupt);
    stdin.off('data', hear);
    stdin.pause();
    stdin.setRawMode(false);
    keys.end();
  }
}

/** The rows of a prompt besides its texts: its end, and the row of the cursor. */
const ROWS_BELOW = 2;
/** The text before each row. */
const MARGIN = 3;

/** A question that went away leaves nothing that looks as if it could be answered. The cursor stands below it. */
function erase(texts: readonly string[], stderr: NodeJS.WriteStream): void {
  const width = stderr.columns || 80;
  const rows = texts.reduce((sum, text) => sum + Math.ceil((text.length + MARGIN) / width), ROWS_BELOW);
  moveCursor(stderr, 0, -rows);
  clearScreenDown(stderr);
}

/** A prompt draws itself when it is made. Its drawing is written once everything typed before it has been read. */
async function drawnLate<Given>(
  prompt: () => Promise<Given>,
  stderr: NodeJS.WriteStream,
): Promise<{ readonly given: Promise<Given> }> {
  stderr.cork();
  try {
    const given = prompt();
    await turn();
    await turn();
    return { given };
  } finally {
    stderr.uncork();
  }
}

/** A stream that the prompt takes for the keyboard (QUESTION-2). */
function keysOf(stdin: Keyboard): NodeJS.ReadStream {
  const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => stdin.setRawMode(raw) });
  return keys as unknown as NodeJS.ReadStream;
}

/**
 * Waits for the end of a turn of the event loop. A turn that begins after reading has begun reads what the terminal
 * holds. The current turn may be past its reading, so it takes two to be sure.
 */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
