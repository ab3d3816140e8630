// The output of a model as it arrives, without secrets. A secret may come in pieces, so the end of the output is held
// back for as long as it may be the beginning of one.

import type { RedactedStream } from '../kernel/redacted.ts';
import type { Secrets } from './secrets.ts';

export interface Deltas {
  delta(kind: 'text' | 'reasoning' | 'call', text: string, name?: string): void;
  /** Passes on what was held back. */
  end(): void;
}

/** The piece of output that is arriving now. */
interface Saying {
  readonly kind: 'text' | 'reasoning' | 'call';
  readonly name: string | undefined;
  readonly stream: RedactedStream | undefined;
  /** The text that arrived while no one listened. */
  unheard: string;
}

/** Also holds what arrives while no one listens, so that a new listener gets the current piece from its beginning. */
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
