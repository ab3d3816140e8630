// Live events are told between two events of a run, to those who watch it. The page reads these too, so nothing of Node
// is imported here.

import type { OpPath } from '../kernel/path.ts';

/** Something that happens between two events. It is shown and never stored. */
export type LiveEvent =
  | { readonly type: 'text'; readonly path: OpPath; readonly text: string }
  | { readonly type: 'reasoning'; readonly path: OpPath; readonly text: string }
  | { readonly type: 'call'; readonly path: OpPath; readonly name: string; readonly text: string }
  | { readonly type: 'progress'; readonly path: OpPath; readonly text: string }
  /**
   * The op waits, until `waited`: for one of the model calls that `limits.concurrency` allows at once, for one of those
   * that the named provider takes, or for the named tool sources to open. A run waits under its own path.
   */
  | {
      readonly type: 'waiting';
      readonly path: OpPath;
      readonly for: 'slot' | 'provider' | 'tools';
      readonly names: readonly string[];
    }
  | { readonly type: 'waited'; readonly path: OpPath };
