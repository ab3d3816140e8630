// Runs one command to its end: in a process group of its own, with stdin closed, a deadline, and a cap on what it writes.
// When it returns, nothing that the command started in its group is left, and in a sandbox nothing at all.
// RUN-1. A command begins when the guard of its group stands: its shell waits for a line first. If we are killed before, the
//     line never comes, and nothing is run that nobody would end.

import type { Redactor } from '../../kernel/redacted.ts';
import { ProcessGroup, type ServerCommand } from '../process-group.ts';
import { CommandOutput } from './output.ts';

/** A shell that runs the script after the first line of its stdin (RUN-1). */
export const waitingShell = (script: string): Pick<ServerCommand, 'command' | 'args'> => ({
  command: '/bin/sh',
  args: ['-c', 'read -r _ && exec /bin/sh -c "$1"', 'sh', script],
});

export interface CommandOrder {
  /** Begins with `waitingShell`, perhaps in a sandbox. */
  readonly command: ServerCommand;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  /** Shows a line to those who watch. */
  progress(line: string): void;
  /** Is told when a group begins and when nothing is left of it. */
  readonly groups: Set<ProcessGroup>;
}

export type CommandEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly name: string }
  | { readonly kind: 'late' }
  | { readonly kind: 'too-much' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'not-started'; readonly why: string };

export interface CommandStory {
  readonly end: CommandEnd;
  readonly output: string;
  readonly ms: number;
}

/** How long a group gets to end after SIGTERM. */
const PATIENCE_MS = 500;
/** What the command wrote last may still be on its way, but a process that left the group can hold the pipe open. */
const LAST_OUTPUT_MS = 500;
/** How often those who watch get a line. */
const PROGRESS_MS = 250;

export async function runCommand(order: CommandOrder): Promise<CommandStory> {
  const { command, signal, redactor, groups } = order;
  signal.throwIfAborted();
  const began = performance.now();
  const group = new ProcessGroup(command, PATIENCE_MS);
  groups.add(group);
  const output = new CommandOutput(redactor);
  try {
    const end = await endOf(group, output, order);
    if (end.kind === 'aborted' || end.kind === 'too-much') group.kill();
    if (end.kind !== 'not-started') await group.stop();
    const whole = end.kind === 'exit';
    return { end, output: output.end(whole), ms: performance.now() - began };
  } finally {
    groups.delete(group);
  }
}

/** The first of: the end of the leader, the deadline, an abort, too much output. */
function endOf(group: ProcessGroup, output: CommandOutput, order: CommandOrder): Promise<CommandEnd> {
  const { timeoutMs, signal, progress } = order;
  const { leader } = group;
  return new Promise((resolve) => {
    const settle = (end: CommandEnd): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(end);
    };
    let nextProgress = 0;
    const timer = setTimeout(() => settle({ kind: 'late' }), timeoutMs);
    const onAbort = (): void => settle({ kind: 'aborted' });
    signal.addEventListener('abort', onAbort, { once: true });
    leader.stdin.on('error', () => {}); // it may be gone before its stdin is closed
    leader.stdin.end('\n'); // RUN-1
    const hear = (from: 'out' | 'err') => (chunk: Buffer) => {
      if (!output.hear(from, chunk)) settle({ kind: 'too-much' });
      if (output.lastLine === '' || performance.now() < nextProgress) return;
      nextProgress = performance.now() + PROGRESS_MS;
      progress(output.lastLine);
    };
    leader.stdout.on('data', hear('out'));
    leader.stderr.on('data', hear('err'));
    leader.once('error', (error) => settle({ kind: 'not-started', why: error.message }));
    leader.once('exit', (code, by) => {
      const end: CommandEnd = by === null ? { kind: 'exit', code: code ?? 1 } : { kind: 'signal', name: by };
      group.release(); // what it left behind would hold the pipes open
      leader.once('close', () => settle(end));
      setTimeout(() => settle(end), LAST_OUTPUT_MS).unref();
    });
  });
}
