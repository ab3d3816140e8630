// The compactions of a run: what each one replaced, how it ended, and which later turns read that back.

import type { ModelDetail, OpEnd, OpStart, RunEvent } from '../../journal/event.ts';
import type { AgentName, CompactedTurns, ModelReply, SessionRef } from '../../kernel/effect.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { OpPath } from '../../kernel/path.ts';
import { READ_RESULT_NAME } from '../../kernel/session/session-tool.ts';
import { Lineage } from '../lineage.ts';

export interface Compaction {
  readonly op: OpPath;
  readonly agent: AgentName;
  readonly session: SessionRef;
  /** The turn that it followed. */
  readonly turn: number;
  readonly at: number;
  readonly replaces: CompactedTurns;
  /** `refused`: the reply was no such summary. Then, and where it failed, the session took its final turn. */
  readonly state: 'running' | 'done' | 'refused' | 'failed';
  readonly fault?: Fault;
  /** All that was replaced can be read by it. */
  readonly handle?: string;
  /** The message that stands in its place. */
  readonly text?: string;
  /** The calls of read_result that read it back. */
  readonly readBack: readonly { readonly op: OpPath; readonly turn: number }[];
}

export class CompactionFold {
  /** By the path of the op, in the order in which they began. */
  readonly all = new Map<OpPath, Compaction>();
  readonly #runs: Lineage = new Lineage();
  readonly #latest = new Map<SessionRef, OpPath>();
  readonly #turns = new Map<SessionRef, number>();

  add(event: RunEvent): void {
    this.#runs.add(event);
    if (event.type === 'op-end') this.#end(event);
    else if (event.type === 'op-start') this.#start(event);
  }

  #start({ path, at, op }: OpStart): void {
    if (op.kind === 'tool' && op.call.name === READ_RESULT_NAME) this.#read(path, op.call.arguments);
    if (op.kind !== 'model') return;
    const { agent, session, turn, compact } = op;
    if (compact === undefined) return this.#use(op);
    this.all.set(path, { op: path, agent, session, turn, at, replaces: compact, state: 'running', readBack: [] });
    this.#latest.set(session, path);
  }

  /** The next request has the summary, or does not. */
  #use({ session, turn, compacted }: ModelDetail): void {
    this.#turns.set(session, turn);
    const one = this.#change(this.#latest.get(session));
    this.#latest.delete(session);
    if (one === undefined || one.state !== 'done') return;
    this.all.set(one.op, compacted === undefined ? { ...one, state: 'refused' } : { ...one, text: compacted.text });
  }

  #end({ path, result }: OpEnd): void {
    const one = this.#change(path);
    if (one === undefined) return;
    const { handle } = (result.ok ? result.value : {}) as Partial<ModelReply>;
    const ended = result.ok
      ? { state: 'done' as const, ...(handle !== undefined && { handle }) }
      : { state: 'failed' as const, fault: result.fault };
    this.all.set(path, { ...one, ...ended });
  }

  #read(op: OpPath, given: unknown): void {
    const { handle } = (given ?? {}) as { readonly handle?: unknown };
    const session = this.#runs.above(op)?.session ?? '';
    for (const one of this.all.values()) {
      if (one.handle !== handle || one.session !== session) continue;
      this.all.set(one.op, { ...one, readBack: [...one.readBack, { op, turn: this.#turns.get(session) ?? 0 }] });
    }
  }

  readonly #change = (path: OpPath | undefined): Compaction | undefined =>
    path === undefined ? undefined : this.all.get(path);
}
