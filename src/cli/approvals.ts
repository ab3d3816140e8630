// A person's yes to a tool call: given beforehand with --approve, asked for in a terminal, and denied where nobody is
// there. One question at a time, the live view resting meanwhile. After Ctrl+C at a question no further one is asked.

import type { Approver } from '../engine/assembly.ts';
import type { Verdict } from '../kernel/effect.ts';
import type { ToolCall } from '../kernel/message.ts';
import { askYesOrNo } from './question.ts';
import { approvalText } from './render/approval-text.ts';
import { oneLine } from './render/width.ts';

/** `true` is yes to all; names are those of tools, alone or after their source: `echo`, `mcp:every/echo`. */
export type Beforehand = true | readonly string[];

export interface Questions {
  readonly canAsk: boolean;
  /** Runs with the screen to itself. */
  alone<Value>(ask: () => Promise<Value>): Promise<Value>;
  notice(text: string): void;
}

export function approver(beforehand: Beforehand, questions: () => Questions): Approver {
  let queue: Promise<unknown> = Promise.resolve();
  let isInterrupted = false;
  const interrupted = (): void => {
    isInterrupted = true;
    process.emit('SIGINT'); // a prompt takes the keyboard, so Ctrl+C arrives there and not as a signal
  };
  return (prompt, about, signal) => {
    const { name = '', arguments: given } = about as Partial<ToolCall>;
    if (beforehand === true || beforehand.some((entry) => entry.slice(entry.lastIndexOf('/') + 1) === name)) {
      return Promise.resolve({ approved: true, note: 'Approved beforehand with --approve.' });
    }
    const { canAsk, alone, notice } = questions();
    if (!canAsk) {
      notice(`denied: ${prompt}, and nobody is there to approve it (--approve ${name} says yes beforehand)`);
      return Promise.resolve(NOBODY);
    }
    const asked = queue.then(() => {
      if (isInterrupted || signal.aborted) return ENDING;
      return alone(() => ask(prompt, given, signal, interrupted));
    });
    queue = asked.catch(() => {}); // whoever waits for this answer sees the fault; the next question is asked anyway
    return asked;
  };
}

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
