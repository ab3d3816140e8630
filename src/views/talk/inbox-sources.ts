// The op that each message of an inbox came from: the broadcast, the announcement of a spawned run, or outside.

import type { InstantOp } from '../../journal/event.ts';
import type { Broadcast, InboxRef, Mail, SessionRef } from '../../kernel/effect.ts';
import { childPath, lastIndex, type OpPath, parentPath } from '../../kernel/path.ts';
import type { Lineage } from '../lineage.ts';

interface HeardMessage {
  readonly how: 'broadcast' | 'announcement' | 'message';
  readonly op: OpPath;
  /** The text of a message from outside. */
  readonly text?: string;
  readonly take: OpPath;
}

export class InboxSources {
  readonly #posts = new Map<string, OpPath>();
  readonly #announced = new Map<string, OpPath>();
  readonly #runs: Lineage;

  constructor(runs: Lineage) {
    this.#runs = runs;
  }

  post({ path, detail, value }: InstantOp): void {
    const { channel } = detail as { readonly channel: SessionRef };
    this.#posts.set(`${channel} ${(value as Broadcast).number}`, path);
  }

  /** The announcement of a spawned run is told as that run: a reader looks for its answer. */
  announce({ path, detail }: InstantOp): void {
    const { text } = detail as { readonly text: string };
    this.#announced.set(text, siblingRun(path, this.#runs) ?? path);
  }

  heardIn({ path: take, detail, value }: InstantOp): readonly HeardMessage[] {
    const { channel } = (detail as { readonly inbox: InboxRef }).inbox;
    const { messages, broadcasts = [] } = value as Mail;
    return [
      ...broadcasts.flatMap(({ number }): readonly HeardMessage[] => {
        const op = this.#posts.get(`${channel} ${number}`);
        return op === undefined ? [] : [{ how: 'broadcast', op, take }];
      }),
      ...messages.map(({ text }): HeardMessage => {
        const op = this.#announced.get(text);
        return op === undefined ? { how: 'message', op: take, text, take } : { how: 'announcement', op, take };
      }),
    ];
  }
}

/** The run of a task, by the path of its announcement, which follows it. */
function siblingRun(path: OpPath, runs: Lineage): OpPath | undefined {
  const task = parentPath(path);
  const run = task === undefined ? undefined : childPath(task, lastIndex(path) - 1);
  return run !== undefined && runs.at(run) !== undefined ? run : undefined;
}
