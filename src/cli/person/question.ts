// One yes-or-no question in a terminal. What was typed before the question stands on the screen is not an answer to
// it, and is thrown away.
// Q1. Reading begins before the question is drawn, and keys are dropped until it is written.
// Q2. Each question reads through a stream of its own: what follows its answer is never kept for the next question.
// Q3. Ctrl+C is never dropped. A terminal that hands over single keys sends no signal for it.

import { clearScreenDown, moveCursor } from 'node:readline';
import { PassThrough } from 'node:stream';

/** What a question needs of a terminal; `process` is one. */
export interface Terminal {
  readonly stdin: Keyboard;
  readonly stderr: NodeJS.WriteStream;
}

export type Keyboard = Pick<NodeJS.ReadStream, 'on' | 'off' | 'resume' | 'pause' | 'setRawMode'>;

/** `interrupted` stands for Ctrl+C and for an aborted signal. */
export type YesOrNo = 'yes' | 'no' | 'interrupted';

const CTRL_C = 3;

export async function askYesOrNo(message: string, terminal: Terminal, signal: AbortSignal): Promise<YesOrNo> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const { stdin, stderr } = terminal;
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  const keys = keysOf(stdin);
  let shown = false;
  const hear = (chunk: Buffer): void => {
    if (shown) keys.write(chunk);
    else if (chunk.includes(CTRL_C)) interrupt(); // Q3
  };
  const prompt = () =>
    confirm({ message, initialValue: false, input: keys, output: stderr, signal: interrupted.signal });
  signal.addEventListener('abort', interrupt, { once: true });
  stdin.setRawMode(true); // before reading, so that a line without its end is read too
  stdin.on('data', hear);
  stdin.resume();
  try {
    const answer = await drawnLate(prompt, stderr);
    shown = true; // Q1
    const given = await answer.given;
    if (signal.aborted) erase(message, stderr);
    return isCancel(given) ? 'interrupted' : given ? 'yes' : 'no';
  } finally {
    signal.removeEventListener('abort', interrupt);
    stdin.off('data', hear);
    stdin.pause();
    stdin.setRawMode(false);
    keys.end();
  }
}

/** The rows of a prompt besides its message: the answers, its end, and the row of the cursor. */
const ROWS_BELOW = 3;
/** The text before the message. */
const MARGIN = 3;

/** A question that went away leaves nothing that looks as if it could be answered. The cursor stands below it. */
function erase(message: string, stderr: NodeJS.WriteStream): void {
  const rows = Math.ceil((message.length + MARGIN) / (stderr.columns || 80)) + ROWS_BELOW;
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

/** A stream that the prompt takes for the keyboard (Q2). */
function keysOf(stdin: Keyboard): NodeJS.ReadStream {
  const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => stdin.setRawMode(raw) });
  return keys as unknown as NodeJS.ReadStream;
}

/**
 * Waits for the end of a turn of the event loop. A turn that begins after reading has begun reads what the terminal
 * holds. The current turn may be past its reading, so it takes two to be sure.
 */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
