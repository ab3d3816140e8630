// The texts that the ops of a run under way have written so far, for readers that come in the middle. Bounded: of a
// longer text the end is kept.

import type { RunEvent } from '../../journal/event.ts';
import type { OpPath } from '../../kernel/path.ts';
import type { LiveEvent } from '../../world/world.ts';
import type { LiveSoFar } from '../protocol.ts';

const MOST_CHARACTERS = 65_536;
const MOST_OPS = 1000;

type LiveText = Extract<LiveEvent, { readonly text: string }>;

export function openLiveTexts() {
  const ops = new Map<OpPath, Map<string, LiveText>>();
  /** The last ones. */
  const ended = new Set<OpPath>();
  const noteEnd = (path: OpPath): void => {
    ended.add(path);
    const [oldest] = ended;
    if (ended.size > MOST_OPS && oldest !== undefined) ended.delete(oldest);
  };
  return {
    /** False if the op has ended: the text comes late from another process, and all of it is recorded. */
    add(event: LiveEvent): boolean {
      if (ended.has(event.path)) return false;
      if (event.type === 'waiting' || event.type === 'waited') return true;
      const op = ops.get(event.path) ?? new Map<string, LiveText>();
      if (op.size === 0) {
        if (ops.size >= MOST_OPS) return true;
        ops.set(event.path, op);
      }
      const key = event.type === 'call' ? `call ${event.name}` : event.type;
      const before = event.type === 'progress' ? '' : (op.get(key)?.text ?? '');
      op.set(key, { ...event, text: (before + event.text).slice(-MOST_CHARACTERS) });
      return true;
    },
    /** Forgets what is recorded by now. */
    settle(event: RunEvent): void {
      if (event.type === 'op-end') noteEnd(event.path);
      if (event.type === 'op-end' || event.type === 'attempt') ops.delete(event.path);
      else if (event.type === 'run-end' || event.type === 'run-resume') ops.clear();
    },
    /** One event for each op and kind of text, in place of all its deltas. */
    soFar: (): readonly LiveSoFar[] =>
      [...ops.values()].flatMap((op) => [...op.values()].map((one) => ({ ...one, whole: true as const }))),
  };
}
