// The answer that a judge must give, whatever its own file says: in a loop, and in tests.

import type { JsonSchema, OutputContract } from '../../kernel/schema.ts';

/** `good` says what the flag means to this judge. */
export const verdictContract = (good: string): OutputContract & { readonly schema: JsonSchema } => ({
  format: 'json',
  schema: {
    type: 'object',
    properties: {
      good: { type: 'boolean', description: good },
      why: { type: 'string', minLength: 1, description: 'The reason, in one or two sentences.' },
    },
    required: ['good', 'why'],
    additionalProperties: false,
  },
});

/** The finding of a judge, in the recorded result of its op: an agent's outcome, or the result of a command. */
export function judgeVerdict(result: unknown): { readonly good: boolean; readonly why: string } | undefined {
  const { data, judged, text } = (result ?? {}) as {
    readonly data?: unknown;
    readonly judged?: { readonly good: boolean; readonly end: string };
    readonly text?: string;
  };
  if (judged !== undefined) return { good: judged.good, why: [judged.end, text].filter(Boolean).join('\n') };
  const { good, why } = (data ?? {}) as { readonly good?: unknown; readonly why?: unknown };
  return typeof good === 'boolean' && typeof why === 'string' ? { good, why } : undefined;
}
