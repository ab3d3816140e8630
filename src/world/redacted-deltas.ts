// What a model says as it says it, without secrets. A secret may come in pieces, so the end of what was said is held
// back for as long as it may be the beginning of one.

import type { Secrets } from './secrets.ts';

export type DeltaKind = 'text' | 'reasoning' | 'call';

export interface Deltas {
  delta(kind: DeltaKind, text: string, name?: string): void;
  /** Tells what was held back. */
  end(): void;
}

/** From here on, what is held back is told: it is longer than any key. */
const LONGEST_HELD = 32_768;

export function redactedDeltas(tell: Deltas['delta'], secrets: Secrets | undefined): Deltas {
  if (secrets === undefined) return { delta: tell, end() {} };
  let held: { readonly kind: DeltaKind; readonly name: string | undefined; readonly text: string } | undefined;
  const end = (): void => {
    const last = held;
    held = undefined;
    if (last !== undefined) tell(last.kind, secrets.redact(last.text), last.name);
  };
  return {
    delta(kind, text, name) {
      if (held !== undefined && (held.kind !== kind || held.name !== name)) end();
      const whole = (held?.text ?? '') + text;
      const cut = whole.length > LONGEST_HELD ? whole.length : secrets.safeLength(whole);
      held = cut < whole.length ? { kind, name, text: whole.slice(cut) } : undefined;
      if (cut > 0) tell(kind, secrets.redact(whole.slice(0, cut)), name);
    },
    end,
  };
}
