// The question of a task that each client was shown last. A message that names no op is an answer to that and to
// nothing else. It is kept in memory: after a restart, and in another process, a client asks for the task again or
// names the op.

import type { RunId } from '../../../journal/event.ts';
import type { AnsweredOp } from '../person-question.ts';

/** Tasks in memory. A client that was shown an older one asks for it again. */
const REMEMBERED = 10_000;

export class ShownOps {
  readonly #last = new Map<string, AnsweredOp>();

  last(client: string, task: RunId): AnsweredOp | undefined {
    return this.#last.get(keyOf(client, task));
  }

  /** Undefined: the client was shown that the task waits for nobody. */
  note(client: string, task: RunId, shown: AnsweredOp | undefined): void {
    const key = keyOf(client, task);
    this.#last.delete(key);
    if (shown === undefined) return;
    this.#last.set(key, shown);
    if (this.#last.size <= REMEMBERED) return;
    for (const oldest of this.#last.keys()) return void this.#last.delete(oldest);
  }
}

const keyOf = (client: string, task: RunId): string => JSON.stringify([client, task]);
