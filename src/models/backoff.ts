// The pause before the next attempt: exponential, with a jitter that is derived from the call itself, so that parallel
// sessions spread out and the same call always waits the same time. Nothing is random.

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** We do not wait for a server that asks for more than this. */
export const PATIENCE_MS = 60_000;

export function backoffMs(session: string, turn: number, attempt: number, retryAfterMs?: number): number {
  const step = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
  const spread = fraction(`${session}/${turn}/${attempt}`);
  if (retryAfterMs === undefined) return Math.round(step * (0.75 + spread / 2));
  // Never earlier than asked for, and not all at the same moment.
  return Math.round(retryAfterMs + Math.min(step, retryAfterMs / 4) * spread);
}

/** FNV-1a, as a number from 0 to 1. */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) / 2 ** 32;
}
