// Journals written by hand: each call adds an event, with its place and a clock that ticks ten milliseconds.

import {
  type Attempt,
  EVENT_VERSION,
  type InstantOp,
  type OpDetail,
  type RunEvent,
  type StoredMessage,
  type UnstampedEvent,
} from '../../src/journal/event.ts';
import type { Trigger, Verdict } from '../../src/kernel/effect.ts';
import { type Fault, fault } from '../../src/kernel/fault.ts';
import { type AssistantMessage, okResult, type ToolCall, user } from '../../src/kernel/message.ts';
import type { Outcome } from '../../src/kernel/outcome.ts';
import type { CallSpend } from '../../src/kernel/usage.ts';

export interface ModelAsk {
  readonly session?: string;
  readonly agent?: string;
  readonly turn?: number;
  readonly added?: readonly StoredMessage[];
  readonly system?: string;
  readonly tools?: readonly string[];
  readonly folded?: readonly number[];
}

export const cheap: CallSpend = { model: 'acme/small', usage: { input: 100, output: 20 }, usd: 0.5 };
export const answer = (text: string): Outcome => ({ kind: 'answered', text });
export const call = (id: string, name: string, given: unknown = {}): ToolCall => ({ id, name, arguments: given });
export const overloaded: Fault = fault('model/server', '503');

export function journalByHand(agent = 'lead') {
  const events: RunEvent[] = [];
  const add = (event: UnstampedEvent): void => {
    events.push({ seq: events.length, at: 1000 + events.length * 10, ...event } as RunEvent);
  };
  const start = (path: string, op: OpDetail): void => add({ type: 'op-start', path, op, fingerprint: 'p' });
  const end = (path: string, kind: 'model' | 'tool' | 'run' | 'say' | 'approval', value: unknown): void =>
    add({ type: 'op-end', path, kind, result: { ok: true, value } });
  const book = {
    events,
    add,
    ask(path: string, { session = '0', agent: by = agent, turn = 1, added = [user('hi')], ...rest }: ModelAsk = {}) {
      start(path, { kind: 'model', session, agent: by, turn, models: ['acme/small', 'acme/large'], added, ...rest });
      return book;
    },
    reply(path: string, text: string, calls: readonly ToolCall[] = [], spent: CallSpend = cheap) {
      const message: AssistantMessage = { role: 'assistant', text, calls };
      end(path, 'model', { message, spent });
      return book;
    },
    fails(path: string, kind: 'model' | 'tool' | 'run', why: Fault) {
      add({ type: 'op-end', path, kind, result: { ok: false, fault: why } });
      return book;
    },
    attempt(
      path: string,
      number: number,
      then: Attempt['then'],
      spent: CallSpend = { model: 'acme/small' },
      why = overloaded,
    ) {
      // oxlint-disable-next-line unicorn/no-thenable -- it is what the event calls it, and it is not a function
      add({ type: 'attempt', path, number, spent, fault: why, ms: 5, then });
      return book;
    },
    tool(path: string, of: ToolCall, by = agent) {
      start(path, { kind: 'tool', agent: by, call: of });
      return book;
    },
    toolEnds(path: string, text: string, status: 'ok' | 'error' = 'ok') {
      end(path, 'tool', { ...okResult(text), status });
      return book;
    },
    run(path: string, of: string, trigger: Trigger = { kind: 'call' }, text = 'do it') {
      start(path, { kind: 'run', agent: of, input: { text }, trigger });
      return book;
    },
    runEnds(path: string, outcome: Outcome = answer('done')) {
      end(path, 'run', outcome);
      return book;
    },
    say(path: string, session: string, text: string) {
      start(path, { kind: 'say', session, text });
      return book;
    },
    sayEnds(path: string, outcome: Outcome = answer('said')) {
      end(path, 'say', outcome);
      return book;
    },
    signal(path: string, prompt: string, about: unknown = {}) {
      start(path, { kind: 'approval', prompt, about });
      return book;
    },
    signalEnds(path: string, verdict: Verdict) {
      end(path, 'approval', verdict);
      return book;
    },
    awaits(path: string, { runs, by }: { readonly runs: readonly string[]; readonly by?: string }) {
      start(path, { kind: 'await-runs', runs, need: runs.length, ...(by !== undefined && { by }) });
      return book;
    },
    instant(path: string, kind: InstantOp['kind'], detail: unknown, value: unknown) {
      add({ type: 'op', path, kind, detail, value });
      return book;
    },
    resume() {
      add({ type: 'run-resume' });
      return book;
    },
    over(outcome: Outcome = answer('all done')) {
      add({ type: 'run-end', outcome });
      return book;
    },
  };
  add({
    type: 'run-start',
    version: EVENT_VERSION,
    kernel: 1,
    run: 'r1',
    agent,
    input: { text: 'hi' },
    folder: '/agents',
    texts: {},
  });
  return book;
}
