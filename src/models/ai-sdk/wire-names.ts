// Names of tools and ids of calls in the form that a provider takes. A conversation may have begun at another provider,
// which accepted more, or the model may have called a tool that does not exist.
// WIRE-1. What the provider accepts is sent as it is.
// WIRE-2. For anything else its usable part is sent, with a digest of the whole: the same every time, and no two alike.
// WIRE-3. What was sent before is sent the same way when the conversation has grown, so that caches stay valid.

import { createHash } from 'node:crypto';
import type { ProviderRequest } from '../provider.ts';
import type { RemoteKind } from '../settings.ts';

const NAMES: Readonly<Record<RemoteKind, RegExp>> = {
  openai: /^[a-zA-Z0-9_-]{1,64}$/,
  anthropic: /^[a-zA-Z0-9_-]{1,128}$/,
  google: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
  'openai-compatible': /^[a-zA-Z0-9_-]{1,64}$/,
  'ai-sdk': /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
};

const IDS: Readonly<Record<RemoteKind, RegExp>> = {
  openai: /^[\x21-\x7e]{1,64}$/,
  anthropic: /^[a-zA-Z0-9_-]+$/,
  google: /^[\x21-\x7e]{1,64}$/,
  'openai-compatible': /^[\x21-\x7e]{1,40}$/,
  'ai-sdk': /^[a-zA-Z0-9_-]{1,40}$/,
};

/** The shortest of all limits, so that one form fits everywhere. */
const LONGEST = 40;

/** The forms that are sent in place of texts, one for each. */
export class WireForms {
  readonly #fits: RegExp;
  readonly #sent = new Map<string, string>();
  readonly #origin = new Map<string, string>();

  constructor(fits: RegExp) {
    this.#fits = fits;
  }

  /** The form that is sent for `text`. Texts that must stay distinct have different keys. */
  sent(text: string, key = text): string {
    const known = this.#sent.get(key);
    if (known !== undefined) return known;
    let form = this.#fits.test(text) ? text : usable(text, key, 0);
    for (let round = 1; this.#origin.has(form); round++) form = usable(text, key, round);
    this.#sent.set(key, form);
    this.#origin.set(form, text);
    return form;
  }

  /** The text that a returned form stands for. */
  meant(form: string): string {
    return this.#origin.get(form) ?? form;
  }
}

function usable(text: string, key: string, round: number): string {
  const mark = createHash('sha256').update(`${round} ${key}`).digest('hex').slice(0, 12);
  const letters = text.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - mark.length - 2);
  return `${/^[a-zA-Z_]/.test(letters) ? '' : '_'}${letters}_${mark}`;
}

/** The tools on offer come first: they keep their names whatever was called before. */
export function toolNames({ tools, messages }: ProviderRequest, kind: RemoteKind): WireForms {
  const names = new WireForms(NAMES[kind]);
  for (const { name } of tools) names.sent(name);
  for (const message of messages) {
    if (message.role === 'assistant') for (const { name } of message.calls) names.sent(name);
  }
  return names;
}

export const callIds = (kind: RemoteKind): WireForms => new WireForms(IDS[kind]);
