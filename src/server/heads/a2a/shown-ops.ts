// The question of a task that each client was shown last. A message that names no op is an answer to that and to
// nothing else. It is kept in memory: after a restart, and in another process, a client asks for the task again or
// names the op.

import { NewestMap } from '../../../base/text/newest-map.ts';
import type { RunId } from '../../../journal/event.ts';
import type { AnsweredOp } from '../person-question.ts';

/** Tasks in memory. A client that was shown an older one asks for it again. */
const REMEMBERED = 10_000;

export class ShownOps {
  readonly #last = new NewestMap<string, AnsweredOp>(REMEMBERED);

  last(client: string, task: RunId): AnsweredOp | undefined {
    return this.#last.get(keyOf(client, task));
  }

  /** Undefined: the client was shown that the task waits for nobody. */
  note(client: string, task: RunId, shown: AnsweredOp | undefined): void {
    if (shown === undefined) this.#last.delete(keyOf(client, task));
    else this.#last.set(keyOf(client, task), shown);
  }
}

const keyOf = (client: string, task: RunId): string => JSON.stringify([client, task]);
