// The tokens that a model may spend on reasoning, by provider, and the length of a reply that follows from it. Pure;
// knows neither network nor budget. Anthropic's reasoning is counted beside `maxOutputTokens`: the sum of both is sent
// as the limit. Elsewhere it is a part of it. A model of an `ai-sdk` provider may be one of Anthropic's, so it is
// counted like one.

import type { ModelSettings } from '../kernel/effect.ts';
import type { RemoteKind } from './settings.ts';

type Reasoning = NonNullable<ModelSettings['reasoning']>;

export const THINKING_TOKENS: Readonly<Record<Reasoning, number>> = { none: 0, low: 2048, medium: 8192, high: 24_576 };

/** Output tokens of a reply where no setting gives a limit, without reasoning. */
const USUAL_OUTPUT = 4096;
/** The tokens that must be left for the text when a reply is made shorter. */
const LEAST_TEXT = 256;

const thinkingOf = ({ reasoning = 'none' }: ModelSettings): number => THINKING_TOKENS[reasoning];

const countsBeside = (kind: RemoteKind | undefined): kind is RemoteKind => kind === 'anthropic' || kind === 'ai-sdk';

/** The most output tokens that these settings can lead to, reasoning included. `usual` is the model's own limit. */
export function mostOutput(settings: ModelSettings, kind: RemoteKind | undefined, usual?: number): number {
  const said = settings.maxOutputTokens ?? usual;
  const thinking = kind === undefined ? 0 : thinkingOf(settings);
  if (countsBeside(kind)) return (said ?? USUAL_OUTPUT) + thinking;
  return said ?? USUAL_OUTPUT + thinking;
}

/**
 * The settings to send so that a reply has at most `most` output tokens, reasoning included. Where that leaves too
 * little for the text, the model is asked to reason less.
 */
export function settingsWithin(settings: ModelSettings, most: number, kind: RemoteKind | undefined): ModelSettings {
  if (!countsBeside(kind) && kind !== 'google') return { ...settings, maxOutputTokens: most };
  const thinks = lessReasoning(settings.reasoning, most, kind);
  const reasoning = thinks === undefined ? {} : { reasoning: thinks };
  const beside = countsBeside(kind) && thinks !== undefined ? THINKING_TOKENS[thinks] : 0;
  return { ...settings, ...reasoning, maxOutputTokens: most - beside };
}

function lessReasoning(wanted: Reasoning | undefined, most: number, kind: RemoteKind): Reasoning | undefined {
  if (wanted === undefined || wanted === 'none') return wanted;
  // Not every Google model can turn reasoning off.
  const steps: readonly Reasoning[] = kind === 'google' ? ['high', 'medium', 'low'] : ['high', 'medium', 'low', 'none'];
  const from = steps.slice(steps.indexOf(wanted));
  return from.find((step) => most - THINKING_TOKENS[step] >= LEAST_TEXT) ?? from.at(-1);
}
