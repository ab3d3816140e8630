// The runs that this process answered last, by the conversation that a client has after them. It spares a look into the
// store, and nothing depends on it.

import { createHash } from 'node:crypto';
import { NewestMap } from '../../base/text/newest-map.ts';
import type { ThreadId } from '../../engine/threads/thread.ts';
import type { RunId } from '../../journal/event.ts';
import type { History } from '../../kernel/effect.ts';

/** Conversations in memory. Older ones are looked up in the store. */
const REMEMBERED = 5_000;

export class AnsweredRuns {
  readonly #known = new NewestMap<string, { readonly run: RunId; readonly thread: ThreadId }>(REMEMBERED);

  /** `agent` is its name with the prefix of its cadre. */
  find(agent: string, said: History) {
    return this.#known.get(digestOf(agent, said));
  }

  add(agent: string, said: History, answered: { readonly run: RunId; readonly thread: ThreadId }): void {
    this.#known.set(digestOf(agent, said), answered);
  }
}

const digestOf = (agent: string, said: History): string => {
  const hash = createHash('sha256').update(agent);
  for (const { role, text, files = [] } of said) {
    hash.update(`\0${role}\0`).update(text.trim());
    for (const file of files) hash.update(`\0${file.digest}`);
  }
  return hash.digest('base64');
};
