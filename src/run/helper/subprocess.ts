// A helper in a process of its own: started in a process group, spoken to on stdio, and ended with its whole group.
// P1. Whatever the child does, this resolves: with its output, or with what went wrong.
// P2. When it resolves, the child has ended and what it started has been killed. At an abort stdin ends, which asks the
//     child to go; then the group gets SIGTERM, then SIGKILL, each a moment after the other.
// P3. The child's output is capped: by line, in all, by how many model calls it may report, and by how many questions it may
//     have. A question ends with the child.
// P4. The child does not know what is secret here, so each of its lines is redacted before anything reads it.

import type { Verdict } from '../../kernel/effect.ts';
import type { ToolCall, ToolResult } from '../../kernel/message.ts';
import type { Redactor } from '../../kernel/redacted.ts';
import type { Violation } from '../../kernel/schema.ts';
import type { SubagentApproval, SubagentCall } from '../../kernel/subagent.ts';
import { redactedValue } from '../../secrets/redacted-value.ts';
import { LastWords } from '../../tools/last-words.ts';
import { ProcessGroup, type ServerCommand } from '../../tools/process-group.ts';
import { type ChildQuestion, encodeStart, encodeToolResult, encodeVerdict, parseChild } from './contract.ts';

export interface ChildOrder {
  readonly command: ServerCommand;
  readonly correlation: string;
  readonly job: unknown;
  /** How many bytes the child may write in all. */
  readonly capBytes: number;
  /** P4. Also for the end of what it writes to stderr. */
  readonly redactor: Redactor;
  /** Asks a person whether the child may make this call. Never throws. */
  ask(call: ToolCall, signal: AbortSignal): Promise<Verdict>;
  /** Makes a call for the child. Never throws. */
  make(call: ToolCall, signal: AbortSignal): Promise<ToolResult>;
}

type ChildEnd =
  | { readonly kind: 'result'; readonly output: unknown }
  | { readonly kind: 'not-started'; readonly message: string }
  /** It ended without a result. */
  | { readonly kind: 'silent'; readonly message: string }
  | { readonly kind: 'malformed'; readonly violations: readonly Violation[] }
  | { readonly kind: 'too-large'; readonly capBytes: number }
  | { readonly kind: 'aborted' };

export interface ChildStory {
  readonly end: ChildEnd;
  readonly calls: readonly SubagentCall[];
  readonly approvals: readonly SubagentApproval[];
  /** What the helper had written by its last report. */
  readonly text: string;
}

const patienceMs = 150;
const lastWordsMs = 500;
const maxCalls = 10_000;
const maxQuestions = 10_000;

export async function runChild(order: ChildOrder, signal: AbortSignal): Promise<ChildStory> {
  const log = openLog(order.redactor);
  if (signal.aborted) return log.story({ kind: 'aborted' });
  let group: ProcessGroup;
  try {
    group = new ProcessGroup(order.command, patienceMs);
  } catch (thrown) {
    return log.story({ kind: 'not-started', message: (thrown as Error).message }); // P1
  }
  const end = await follow(group, order, log, signal);
  await group.stop(); // P2
  return log.story(end);
}

/** Ends with the first of: a result, a malformed line, the end of the process, an abort. */
function follow(group: ProcessGroup, order: ChildOrder, log: Log, signal: AbortSignal): Promise<ChildEnd> {
  const { leader } = group;
  return new Promise((resolve) => {
    const over = new AbortController();
    const settle = (end: ChildEnd): void => {
      signal.removeEventListener('abort', onAbort);
      over.abort();
      resolve(end);
    };
    const ask = async ({ id, call }: ChildQuestion): Promise<void> => {
      const verdict = await order.ask(call, over.signal);
      if (over.signal.aborted) return;
      log.answered({ call, ...verdict });
      leader.stdin.write(encodeVerdict(id, verdict));
    };
    const make = async ({ id, call }: ChildQuestion): Promise<void> => {
      const result = await order.make(call, over.signal);
      if (!over.signal.aborted) leader.stdin.write(encodeToolResult(id, result));
    };
    const onAbort = (): void => settle({ kind: 'aborted' });
    signal.addEventListener('abort', onAbort, { once: true });

    const stderr = new LastWords(order.redactor);
    const silent = (how: string): void =>
      settle({
        kind: 'silent',
        message: `${how}${stderr.text === '' ? '.' : `; its last words:\n${stderr.text}`}`,
      });
    leader.once('error', (error) => settle({ kind: 'not-started', message: error.message }));
    leader.once('exit', (code, by) => {
      const how = by === null ? `It ended with exit code ${code}` : `It was ended by ${by}`;
      group.release();
      // Its last output may still be on its way, but a process that left the group can hold the pipe open for ever.
      leader.once('close', () => silent(how));
      setTimeout(() => silent(how), lastWordsMs).unref();
    });
    leader.stderr.setEncoding('utf8').on('data', (text: string) => stderr.hear(text));
    leader.stdin.on('error', () => {}); // the end of the child shows that it stopped reading
    leader.stdout.on(
      'data',
      lines(order.capBytes, {
        line: (line) => {
          const next = log.add(line);
          if (next === undefined) return;
          if ('kind' in next) settle(next);
          else if (next.type === 'approve') void ask(next);
          else void make(next);
        },
        overflow: () => settle({ kind: 'too-large', capBytes: order.capBytes }),
      }),
    );
    leader.stdin.write(encodeStart(order.correlation, order.job));
  });
}

interface Log {
  /** How the child ended, if this line ends it, or what it asks. */
  add(line: string): ChildEnd | ChildQuestion | undefined;
  answered(approval: SubagentApproval): void;
  story(end: ChildEnd): ChildStory;
}

function openLog(redactor: Redactor): Log {
  const calls: SubagentCall[] = [];
  const approvals: SubagentApproval[] = [];
  let asking: SubagentCall | undefined;
  let questions = 0;
  let text = '';
  return {
    answered: (approval) => void approvals.push(approval),
    add(line) {
      if (line.trim() === '') return undefined;
      const parsed = parseChild(line);
      if ('violations' in parsed) return { kind: 'malformed', violations: parsed.violations };
      const { envelope } = parsed;
      const clean = <Value>(value: Value): Value => redactedValue(value, redactor); // P4
      switch (envelope.type) {
        case 'asking': {
          const { session, turn, model, at } = envelope;
          asking = {
            ...(session !== undefined && { session }),
            turn,
            model: clean(model),
            status: 'in-doubt',
            started_at: at,
          };
          return undefined;
        }
        case 'called':
          asking = undefined;
          text = clean(envelope.text);
          calls.push(clean(envelope.call));
          if (calls.length > maxCalls) {
            return { kind: 'malformed', violations: [{ path: '$', message: `reports more than ${maxCalls} calls` }] };
          }
          return undefined;
        case 'approve':
        case 'tool':
          if (++questions > maxQuestions) {
            return { kind: 'malformed', violations: [{ path: '$', message: `asks more than ${maxQuestions} times` }] };
          }
          return { ...envelope, call: clean(envelope.call) };
        case 'result':
          return { kind: 'result', output: clean(envelope.output) };
      }
    },
    // A call is in doubt if the child began it and never reported its end. After a result no call is in doubt.
    story: (end) => ({
      end,
      calls: asking === undefined || end.kind === 'result' ? calls : [...calls, asking],
      approvals,
      text,
    }),
  };
}

/** P3. Splits what arrives into lines, and stops at the cap. */
function lines(capBytes: number, to: { line(text: string): void; overflow(): void }): (chunk: Buffer) => void {
  let pending: Buffer[] = [];
  let total = 0;
  return (chunk) => {
    total += chunk.length;
    if (total > capBytes) {
      pending = [];
      return to.overflow();
    }
    let rest = chunk;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      to.line(Buffer.concat([...pending, rest.subarray(0, at)]).toString('utf8'));
      pending = [];
      rest = rest.subarray(at + 1);
    }
    if (rest.length > 0) pending.push(rest);
  };
}
