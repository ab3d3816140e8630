// The refusals of a run: a reply that would have ended its session and did not, and calls that were not made. A refused
// call has no op of its own. Its reason stands in the session's next request; of a session's last reply in a fact; of a
// write in its preview; of a spawn, a message or a broadcast in the op's value.
// REFUSED-1. A call was refused if its result is an error and nothing was done for it: no op lies at its place in the
//     turn, but for questions about the state.
// REFUSED-2. Each is told once. Journals of 0.2.0 have no fact of a last reply: the calls that it left out are told
//     there once the session has ended.

import { jsonValue } from '../../base/text/json.ts';
import {
  type InstantOp,
  type OpEnd,
  type OpStart,
  type RunEvent,
  resultsOf,
  type StoredMessage,
} from '../../journal/event.ts';
import type { ModelReply, SessionRef } from '../../kernel/effect.ts';
import type { ToolCall } from '../../kernel/message.ts';
import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import { childPath, type OpPath, ROOT } from '../../kernel/path.ts';
import { listViolations, type Violation } from '../../kernel/schema.ts';
import { FINAL_REPORT } from '../../kernel/session/final-report.ts';
import { mostCallsIn } from '../../kernel/session/notices.ts';
import type { Lineage } from '../lineage.ts';
import { leftOut } from './left-out.ts';
import { isExitCall, type OpenReply, openReply } from './open-reply.ts';
import { type OpRefusal, refusalOf } from './refused-op.ts';

/** An answer that did not end its session. */
export interface RefusedAnswer {
  /** The model op whose reply it was. */
  readonly path: OpPath;
  /** The reason for the refusal. */
  readonly why: string;
}

/** A call that was not made. */
export interface RefusedCall {
  /** The op that tried it, or its place among the calls of the reply, below the model op. */
  readonly path: OpPath;
  /** The model op whose reply made it. */
  readonly reply: OpPath;
  readonly agent: string;
  readonly call?: string;
  readonly name: string;
  readonly why: string;
  /** The time at which it was made. */
  readonly at: number;
  /** Some of the runs that it asked for were spawned. */
  readonly partly?: true;
}

interface RefusalListener {
  answer?(refused: RefusedAnswer): void;
  call?(refused: RefusedCall): void;
}

/** True for what is done with an answer after it was taken: it is judged, or its items are begun. */
const worksOnAnswer = ({ op }: OpStart): boolean =>
  (op.kind === 'run' || op.kind === 'tool') && (op.trigger?.kind === 'judge' || op.trigger?.kind === 'each');

/** `runs` has been given the event already. */
export class Refusals {
  readonly #tell: RefusalListener;
  readonly #runs: Lineage;
  /** The latest reply of each session that nothing has followed yet. */
  readonly #replies = new Map<SessionRef, OpenReply>();
  /** Requests that have no answer yet. */
  readonly #asked = new Map<OpPath, Extract<OpStart['op'], { kind: 'model' }>>();
  readonly #tools = new Map<SessionRef, readonly string[]>();

  constructor(tell: RefusalListener, runs: Lineage) {
    this.#tell = tell;
    this.#runs = runs;
  }

  add(event: RunEvent): void {
    switch (event.type) {
      case 'op-start':
        if (event.op.kind === 'model' && event.op.compact !== undefined) return; // it tells the session nothing
        if (worksOnAnswer(event)) this.#take(this.#runs.above(event.path)?.session ?? ROOT);
        return event.op.kind === 'model' ? this.#ask(event, event.op) : this.#replyAt(event.path)?.begin(event);
      case 'op':
        return this.#instant(event);
      case 'op-end':
        return this.#end(event);
      case 'fact':
        return this.#results(resultsOf(event), event.value);
      case 'run-end':
        return this.#over(ROOT, event.outcome);
      default:
    }
  }

  #replyAt(path: OpPath): OpenReply | undefined {
    if (this.#replies.size === 0) return undefined;
    const run = this.#runs.above(path);
    const open = this.#replies.get(run?.session ?? ROOT);
    return open?.place === (run?.path ?? ROOT) ? open : undefined;
  }

  #ask(event: OpStart, op: Extract<OpStart['op'], { kind: 'model' }>): void {
    const open = this.#take(op.session);
    if (op.tools !== undefined) this.#tools.set(op.session, op.tools);
    this.#asked.set(event.path, op);
    if (open !== undefined) this.#told(open, op.added);
  }

  #take(session: SessionRef): OpenReply | undefined {
    const open = this.#replies.get(session);
    this.#replies.delete(session);
    return open;
  }

  #end({ path, at, kind, result }: OpEnd): void {
    if (kind === 'model') {
      const asked = this.#asked.get(path);
      this.#asked.delete(path);
      if (asked === undefined || !result.ok) return;
      const { session, agent } = asked;
      const { message } = result.value as ModelReply;
      const place = this.#runs.above(path)?.path ?? ROOT;
      const offered = this.#tools.get(session) ?? [];
      this.#replies.set(session, openReply({ path, place, agent, at, calls: message.calls, offered }));
    } else if (kind === 'run' || kind === 'say') {
      if (result.ok) this.#over(path, result.value as Outcome);
    }
  }

  #instant(event: InstantOp): void {
    const open = this.#replyAt(event.path);
    if (open === undefined) return;
    const refused = refusalOf(event);
    open.did(event, refused);
    if (refused !== undefined) this.#tellOp(open, event.path, refused);
  }

  #tellOp(open: OpenReply, path: OpPath, { call, ...refused }: OpRefusal): void {
    const index = call === undefined ? -1 : open.calls.findIndex(({ id }) => id === call);
    const own = call === undefined || index < 0 ? { path } : { path: childPath(open.path, index), call };
    this.#tellCall(open, { ...refused, ...own });
  }

  #tellCall({ path: reply, agent, at }: OpenReply, one: Omit<RefusedCall, 'reply' | 'agent' | 'at'>): void {
    this.#tell.call?.({ ...one, reply, agent, at });
  }

  #results(reply: OpPath | undefined, value: unknown): void {
    const session = reply === undefined ? undefined : (this.#runs.above(reply)?.session ?? ROOT);
    const open = session === undefined ? undefined : this.#replies.get(session);
    if (session === undefined || open?.path !== reply || open === undefined) return;
    this.#replies.delete(session);
    this.#told(open, value as readonly StoredMessage[]);
  }

  /** Takes in the results that the session is told of its last reply. */
  #told(open: OpenReply, added: readonly StoredMessage[]): void {
    if (open.calls.length === 0) {
      const notice = added.find((message) => message.role === 'user');
      const why = notice === undefined ? 'a plain reply' : `a plain reply: ${notice.text}`;
      return this.#tell.answer?.({ path: open.path, why });
    }
    const answers: string[] = [];
    for (const { index, call, text } of open.errors(added)) {
      if (isExitCall(call)) answers.push(`${call.name}: ${text}`);
      const why = open.reasonIfRefused(index, text);
      if (why !== undefined) this.#tellAt(open, index, call, reasonIn(why, open.calls.length));
    }
    if (answers.length > 0) this.#tell.answer?.({ path: open.path, why: answers.join('\n') });
  }

  #tellAt(open: OpenReply, index: number, { id, name }: ToolCall, why: string): void {
    this.#tellCall(open, { path: childPath(open.path, index), call: id, name, why });
  }

  /** The session has ended, and nothing told it about its last reply. */
  #over(path: OpPath, outcome: Outcome | undefined): void {
    const open = this.#take(this.#runs.at(path)?.session ?? path);
    if (open === undefined) return;
    const isOwn = outcome !== undefined && isBroken(outcome) && outcome.agent === this.#runs.at(path)?.agent;
    const violations = isOwn ? (outcome.fault.details?.['violations'] as readonly Violation[] | undefined) : undefined;
    if (violations !== undefined)
      this.#tell.answer?.({ path: open.path, why: `${FINAL_REPORT}: ${listViolations(violations)}` });
    for (const { index, call, why } of leftOut(open, violations)) this.#tellAt(open, index, call, why); // REFUSED-2
  }
}

/** `made` is how many calls the reply made. */
function reasonIn(text: string, made: number): string {
  const most = mostCallsIn(text);
  if (most !== undefined) return `The reply made ${made} calls, and maxToolCallsPerTurn allows ${most}.`;
  return fieldIn(text) ?? text;
}

/** Some tools answer in JSON. */
function fieldIn(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined;
  const answer = jsonValue(text.split('\n', 1)[0] ?? '');
  const { error, content } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  return typeof error === 'string' ? error : typeof content === 'string' ? content : undefined;
}
