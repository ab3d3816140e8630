// A person's yes to a tool call: given beforehand with --approve, asked for in a terminal, and denied without one.
// There is one question at a time, and the live view rests meanwhile. After Ctrl+C at a question no further one is
// asked in the same run.

import type { Approver } from '../../engine/assembly.ts';
import type { RunId } from '../../journal/event.ts';
import type { Verdict } from '../../kernel/effect.ts';
import type { ToolCallFrom } from '../../kernel/session-tool.ts';
import { approvalText } from '../render/approval-text.ts';
import { oneLine } from '../render/width.ts';
import { saidBy } from './person.ts';
import { askYesOrNo } from './question.ts';

/** `true` is yes to all; the others name tools (`echo`), tools of a source (`mcp:every/echo`), or sources. */
export type Beforehand = true | readonly string[];

export interface Questions {
  readonly canAsk: boolean;
  /** Runs the work with the screen to itself. */
  alone<Value>(ask: () => Promise<Value>): Promise<Value>;
  notice(text: string): void;
}

export function approver(beforehand: Beforehand, questions: () => Questions): Approver {
  let queue: Promise<unknown> = Promise.resolve();
  let interruptedRun: RunId | undefined;
  const interrupted = (run: RunId): void => {
    interruptedRun = run;
    process.emit('SIGINT'); // a prompt takes the keyboard, so Ctrl+C arrives there and not as a signal
  };
  return (prompt, about, signal, { run, op }) => {
    const { name = '', source = name, arguments: given } = about as Partial<ToolCallFrom>;
    if (beforehand === true || beforehand.some((entry) => isYesTo(entry, name, source))) {
      return Promise.resolve({ approved: true, note: 'Approved beforehand with --approve.' });
    }
    const { canAsk, alone, notice } = questions();
    if (!canAsk) {
      const ways = `--approve ${source} says yes beforehand, and with --detach the run waits for cadre approve`;
      notice(`denied: ${prompt}, and nobody is there to approve it (${ways})`);
      return Promise.resolve(NOBODY);
    }
    const asked = queue.then(() => {
      if (signal.aborted) return undefined;
      if (interruptedRun === run) return ENDING;
      const question = { prompt, given, elsewhere: `cadre approve ${run} ${op}` };
      return alone(() => ask(question, signal, () => interrupted(run)));
    });
    queue = asked.catch(() => {}); // the caller of this question sees the fault; the next question is asked anyway
    return asked;
  };
}

/** An entry that names a source is never a yes to a tool of another source. */
function isYesTo(entry: string, name: string, source: string): boolean {
  if (!isSourced(entry)) return entry === name || entry === lastPart(source);
  const [from] = source.split('/', 1);
  return entry === source || entry === from || entry === `${from}/${name}`;
}

/** Whether it names a source: `mcp:docs/search`, `mcp:docs`, `rest:weather`, `files/read_file`, `files`. */
export const isSourced = (name: string): boolean => /^(?:mcp:|rest:|files(?:\/|$))/.test(name);

export const lastPart = (name: string): string => name.slice(Math.max(name.lastIndexOf('/'), name.indexOf(':')) + 1);

const NOBODY: Verdict = {
  approved: false,
  note: 'Nobody is there to approve it. Run it in a terminal, or with --approve.',
};

const ENDING: Verdict = { approved: false, note: 'The run is ending, so nobody was asked.' };

interface Question {
  readonly prompt: string;
  /** The arguments of the call. */
  readonly given: unknown;
  /** The command that answers it from another terminal. */
  readonly elsewhere: string;
}

/** Undefined if the question went away: the run ends, or a person elsewhere has decided. */
async function ask(
  { prompt, given, elsewhere }: Question,
  signal: AbortSignal,
  interrupted: () => void,
): Promise<Verdict | undefined> {
  const { note } = await import('@clack/prompts');
  note(approvalText(given), oneLine(prompt), { output: process.stderr });
  const answer = await askYesOrNo(`Allow this call? (elsewhere: ${elsewhere})`, process, signal);
  if (signal.aborted) return undefined;
  if (answer === 'interrupted') {
    interrupted();
    return { approved: false, note: 'The person did not answer.' };
  }
  return answer === 'yes'
    ? { approved: true, ...saidBy() }
    : { approved: false, note: 'A person said no.', ...saidBy() };
}
