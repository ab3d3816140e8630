// A person's yes to a tool call: given beforehand with --approve, asked for in a terminal, and denied where nobody is
// there. One question at a time, the live view resting meanwhile. After Ctrl+C at a question no further one is asked in the
// same run.

import type { Approver } from '../engine/assembly.ts';
import type { Verdict } from '../kernel/effect.ts';
import type { ToolCallFrom } from '../kernel/session-tool.ts';
import { askYesOrNo } from './question.ts';
import { approvalText } from './render/approval-text.ts';
import { oneLine } from './render/width.ts';

/** `true` is yes to all; the others are names of tools (`echo`), of tools of a source (`mcp:every/echo`), or sources. */
export type Beforehand = true | readonly string[];

export interface Questions {
  readonly canAsk: boolean;
  /** The same object for all questions of a run. */
  readonly run: object;
  /** Runs with the screen to itself. */
  alone<Value>(ask: () => Promise<Value>): Promise<Value>;
  notice(text: string): void;
}

export function approver(beforehand: Beforehand, questions: () => Questions): Approver {
  let queue: Promise<unknown> = Promise.resolve();
  let interruptedRun: object | undefined;
  const interrupted = (run: object): void => {
    interruptedRun = run;
    process.emit('SIGINT'); // a prompt takes the keyboard, so Ctrl+C arrives there and not as a signal
  };
  return (prompt, about, signal) => {
    const { name = '', source = name, arguments: given } = about as Partial<ToolCallFrom>;
    if (beforehand === true || beforehand.some((entry) => isYesTo(entry, name, source))) {
      return Promise.resolve({ approved: true, note: 'Approved beforehand with --approve.' });
    }
    const { canAsk, run, alone, notice } = questions();
    if (!canAsk) {
      notice(`denied: ${prompt}, and nobody is there to approve it (--approve ${source} says yes beforehand)`);
      return Promise.resolve(NOBODY);
    }
    const asked = queue.then(() => {
      if (interruptedRun === run || signal.aborted) return ENDING;
      return alone(() => ask(prompt, given, signal, () => interrupted(run)));
    });
    queue = asked.catch(() => {}); // whoever waits for this answer sees the fault; the next question is asked anyway
    return asked;
  };
}

/** An entry that names a source is never a yes to a tool of another one. */
function isYesTo(entry: string, name: string, source: string): boolean {
  if (!isSourced(entry)) return entry === name || entry === lastPart(source);
  const [from] = source.split('/', 1);
  return entry === source || entry === from || entry === `${from}/${name}`;
}

/** Does it name a source: `mcp:docs/search`, `mcp:docs`, `rest:weather`, `files/read_file`, `files`? */
export const isSourced = (name: string): boolean => /^(?:mcp:|rest:|files(?:\/|$))/.test(name);

export const lastPart = (name: string): string => name.slice(Math.max(name.lastIndexOf('/'), name.indexOf(':')) + 1);

const NOBODY: Verdict = {
  approved: false,
  note: 'Nobody is there to approve it. Run it in a terminal, or with --approve.',
};

const ENDING: Verdict = { approved: false, note: 'The run is ending, so nobody was asked.' };

async function ask(prompt: string, given: unknown, signal: AbortSignal, interrupted: () => void): Promise<Verdict> {
  const { note } = await import('@clack/prompts');
  note(approvalText(given), oneLine(prompt), { output: process.stderr });
  const answer = await askYesOrNo('Allow this call?', process, signal);
  if (answer === 'interrupted') {
    if (!signal.aborted) interrupted();
    return { approved: false, note: 'The person did not answer.' };
  }
  return answer === 'yes' ? { approved: true } : { approved: false, note: 'A person said no.' };
}
