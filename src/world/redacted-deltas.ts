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

/** While nobody listens, what is said is held as well: whoever begins to, hears what is being said from its beginning. */
export function redactedDeltas(tell: Deltas['delta'], isHeard: () => boolean, secrets: Secrets | undefined): Deltas {
  let held: { readonly kind: DeltaKind; readonly name: string | undefined; readonly text: string } | undefined;
  const redact = (text: string): string => secrets?.redact(text) ?? text;
  const end = (): void => {
    const last = held;
    held = undefined;
    if (last !== undefined && isHeard()) tell(last.kind, redact(last.text), last.name);
  };
  return {
    delta(kind, text, name) {
      if (held !== undefined && (held.kind !== kind || held.name !== name)) end();
      const whole = held === undefined ? text : held.text + text;
      const isLong = whole.length > LONGEST_HELD;
      const cut = isLong ? whole.length : isHeard() ? (secrets?.safeLength(whole) ?? whole.length) : 0;
      held = cut < whole.length ? { kind, name, text: cut === 0 ? whole : whole.slice(cut) } : undefined;
      if (cut > 0 && isHeard()) tell(kind, redact(whole.slice(0, cut)), name);
    },
    end,
  };
}
