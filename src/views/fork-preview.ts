// The ops that a fork would take over, and the calls that it would make again.

import type { RestingWork } from '../base/text/steps.ts';
import type { RunEvent } from '../journal/event.ts';
import { opWords } from '../journal/op-words.ts';
import { eventsBefore } from '../journal/prefix.ts';
import type { OpPath } from '../kernel/path.ts';

export interface ForkPreview {
  readonly at: OpPath;
  /** Events taken over, the new run's start counted. */
  readonly events: number;
  /** Calls that were under way elsewhere at that moment, and would be made again. */
  readonly again: readonly { readonly path: OpPath; readonly words: string }[];
}

/** Throws `usage` where the run has no such op. */
export function* forkPreview(events: readonly RunEvent[], at: OpPath): RestingWork<ForkPreview> {
  const kept = new Set(yield* eventsBefore(events, at));
  const last = events.findLastIndex((event) => 'path' in event && event.path === at);
  const again: { readonly path: OpPath; readonly words: string }[] = [];
  for (const event of events.slice(0, Math.max(0, last))) {
    if (event.type === 'op-start' && event.path !== at && !kept.has(event))
      again.push({ path: event.path, words: opWords(event) });
    yield;
  }
  return { at, events: kept.size + 1, again };
}
