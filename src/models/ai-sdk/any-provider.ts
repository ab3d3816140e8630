// Providers of the AI SDK that Cadre does not know by name: an instance that a program hands in, or one that a package
// makes. Versions 2, 3 and 4 of the SDK's contract are used through version 3. Pure.

import type { LanguageModelV2StreamPart, LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import type { ModelSettings } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import type { AiSdkModel } from '../provider-instance.ts';
import { THINKING_TOKENS } from '../reasoning.ts';
import type { RemoteKind } from '../settings.ts';

const VERSIONS: readonly string[] = ['v2', 'v3', 'v4'];

/** Version 3 has the same parts of version 4 that we use. Version 2 reports the end of a reply in another form. */
export function asV3(model: AiSdkModel, id: string): LanguageModelV3 {
  const version = model.specificationVersion;
  if (!VERSIONS.includes(version)) {
    return fail(
      'config/invalid',
      `provider "${id}" speaks version "${version}" of the AI SDK's contract, and this release of Cadre knows ` +
        `${VERSIONS.join(', ')}. Install a release of the package that speaks one of them.`,
    );
  }
  const known = model as unknown as LanguageModelV3;
  return version === 'v2' ? fromV2(known) : known;
}

function fromV2(model: LanguageModelV3): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: {},
    doGenerate: (options) => model.doGenerate(options),
    async doStream(options) {
      const result = await model.doStream(options);
      const parts = result.stream as unknown as ReadableStream<LanguageModelV2StreamPart>;
      return { ...result, stream: parts.pipeThrough(new TransformStream({ transform: toV3 })) };
    },
  };
}

function toV3(part: LanguageModelV2StreamPart, to: TransformStreamDefaultController<LanguageModelV3StreamPart>): void {
  if (part.type !== 'finish') return to.enqueue(part as LanguageModelV3StreamPart);
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = part.usage;
  const { finishReason } = part;
  to.enqueue({
    type: 'finish',
    finishReason: {
      unified: finishReason === 'unknown' ? 'other' : finishReason,
      raw: finishReason === 'unknown' ? undefined : finishReason,
    },
    usage: {
      inputTokens: { total: inputTokens, noCache: undefined, cacheRead: cachedInputTokens, cacheWrite: undefined },
      outputTokens: { total: outputTokens, text: undefined, reasoning: reasoningTokens },
    },
  });
}

/**
 * The vendor whose rules a model follows, by the name that its package gives itself: `openai.responses`,
 * `google.vertex.chat`.
 */
export function familyOf({ provider }: Pick<AiSdkModel, 'provider'>): RemoteKind {
  const parts = provider.split('.');
  if (parts.includes('anthropic')) return 'anthropic';
  if (parts[0] === 'openai' || parts[0] === 'google') return parts[0];
  return 'ai-sdk';
}

/** The first part of what a package calls itself, which is also the key of its own options. */
export const vendorOf = ({ provider }: Pick<AiSdkModel, 'provider'>): string => provider.split('.')[0] ?? provider;

/** The effort of reasoning for a model whose family has no setting of its own for it. */
export function reasoningFor(model: LanguageModelV3, kind: RemoteKind, { reasoning }: ModelSettings): object {
  if (kind !== 'ai-sdk' || reasoning === undefined) return {};
  if (vendorOf(model) === 'amazon-bedrock') return bedrockReasoning(model.modelId, reasoning);
  const version: string = model.specificationVersion;
  return version === 'v4' ? { reasoning } : { providerOptions: { [vendorOf(model)]: { reasoningEffort: reasoning } } };
}

/** Bedrock takes tokens for Anthropic's models, and an effort for the others. */
function bedrockReasoning(model: string, reasoning: NonNullable<ModelSettings['reasoning']>): object {
  if (reasoning === 'none') return {};
  const reasoningConfig = model.includes('anthropic')
    ? { type: 'enabled', budgetTokens: THINKING_TOKENS[reasoning] }
    : { maxReasoningEffort: reasoning };
  return { providerOptions: { bedrock: { reasoningConfig } } };
}
