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
  /** Made for who listens. */
  stream: RedactedStream | undefined;
  /** The text that arrived while no one listened. */
  unheard: string;
}

/** Also holds what arrives while no one listens, so that a new listener gets the current piece from its beginning. */
export const redactedDeltas = (tell: Deltas['delta'], isHeard: () => boolean, secrets: Secrets | undefined): Deltas =>
  new RedactedDeltas(tell, isHeard, secrets);

/** A class, because each call of a model has one. */
class RedactedDeltas implements Deltas {
  readonly #tell: Deltas['delta'];
  readonly #isHeard: () => boolean;
  readonly #secrets: Secrets | undefined;
  #saying: Saying | undefined;

  constructor(tell: Deltas['delta'], isHeard: () => boolean, secrets: Secrets | undefined) {
    this.#tell = tell;
    this.#isHeard = isHeard;
    this.#secrets = secrets;
  }

  delta(kind: Saying['kind'], text: string, name?: string): void {
    if (this.#saying !== undefined && (this.#saying.kind !== kind || this.#saying.name !== name)) this.end();
    const saying = (this.#saying ??= { kind, name, stream: undefined, unheard: '' });
    saying.unheard += text;
    if (!this.#isHeard()) return;
    const whole = saying.unheard;
    saying.unheard = '';
    const stream = this.#streamOf(saying);
    this.#pass(saying, stream === undefined ? whole : stream.push(whole));
  }

  end(): void {
    const last = this.#saying;
    this.#saying = undefined;
    if (last === undefined || !this.#isHeard()) return;
    const stream = this.#streamOf(last);
    this.#pass(last, stream === undefined ? last.unheard : stream.push(last.unheard) + stream.end());
  }

  #streamOf(saying: Saying): RedactedStream | undefined {
    saying.stream ??= this.#secrets?.stream();
    return saying.stream;
  }

  #pass({ kind, name }: Saying, text: string): void {
    if (text !== '') this.#tell(kind, text, name);
  }
}
