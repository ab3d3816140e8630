// What a model says as it says it, without secrets. A secret may come in pieces, so the end of what was said is held
// back for as long as it may be the beginning of one.

import type { RedactedStream } from '../kernel/redacted.ts';
import type { Secrets } from './secrets.ts';

export type DeltaKind = 'text' | 'reasoning' | 'call';

export interface Deltas {
  delta(kind: DeltaKind, text: string, name?: string): void;
  /** Tells what was held back. */
  end(): void;
}

/** What is being said at the moment. */
interface Saying {
  readonly kind: DeltaKind;
  readonly name: string | undefined;
  readonly stream: RedactedStream | undefined;
  /** What was said while nobody listened. */
  unheard: string;
}

/** While nobody listens, what is said is held as well: whoever begins to, hears what is being said from its beginning. */
export function redactedDeltas(tell: Deltas['delta'], isHeard: () => boolean, secrets: Secrets | undefined): Deltas {
  let saying: Saying | undefined;
  const pass = ({ kind, name }: Saying, text: string): void => {
    if (text !== '') tell(kind, text, name);
  };
  const end = (): void => {
    const last = saying;
    saying = undefined;
    if (last === undefined || !isHeard()) return;
    const { stream, unheard } = last;
    pass(last, stream === undefined ? unheard : stream.push(unheard) + stream.end());
  };
  return {
    delta(kind, text, name) {
      if (saying !== undefined && (saying.kind !== kind || saying.name !== name)) end();
      saying ??= { kind, name, stream: secrets?.stream(), unheard: '' };
      saying.unheard += text;
      if (!isHeard()) return;
      const whole = saying.unheard;
      saying.unheard = '';
      pass(saying, saying.stream === undefined ? whole : saying.stream.push(whole));
    },
    end,
  };
}
