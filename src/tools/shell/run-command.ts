// Runs one command to its end: in a process group of its own, with stdin closed, a deadline, and a cap on what it writes.
// When it returns, nothing that the command started in its group is left, and in a sandbox nothing at all.

import type { Redactor } from '../../kernel/redacted.ts';
import { ProcessGroup, type ServerCommand } from '../process-group.ts';
import { CommandOutput } from './output.ts';

interface CommandOrder {
  readonly command: ServerCommand;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  /** Shows a line to those who watch. */
  progress(line: string): void;
  /** Is told when a group begins and when nothing is left of it. */
  readonly groups: Set<ProcessGroup>;
}

type CommandEnd =
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

/** The time that a group gets to end after SIGTERM. */
const PATIENCE_MS = 500;
/**
 * The time for the last output of a command, which may still be on its way; a process that left the group can hold the
 * pipe open.
 */
const LAST_OUTPUT_MS = 500;
/** The pause between two lines to those who watch. */
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
    leader.stdin.end();
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
