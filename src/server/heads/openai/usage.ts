// The usage of a run's whole tree, in OpenAI's words.

import type { Totals } from '../../../views/costs/totals.ts';

export const chatUsage = ({ input, output, cacheRead, reasoning }: Totals) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cacheRead },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

export const responseUsage = ({ input, output, cacheRead, reasoning }: Totals) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cacheRead },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});
