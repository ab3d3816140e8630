// The catalog record of `chat`. It leads to no other agent: the patterns that ran it give their agent the tools to ask again.

import type { Pattern } from '../record.ts';
import { triggersOf } from '../trigger-traits.ts';
import { ASK_CLARIFICATION, DISMISS } from './clarification.ts';

export const chatPattern: Pattern<true> = {
  key: 'chat',
  keySpec: {
    form: { kind: 'flag' },
    guidance: 'true: may be asked for clarification after it answered.',
    fallback: false,
    mayBeDefault: true,
    configOf: (value) => value === true || undefined,
  },
  layer: 'within',
  triggers: triggersOf(),
  reserves: [ASK_CLARIFICATION, DISMISS],
  edges: () => [],
  // The tools to ask it again are those of its callers.
  describe: () => ({ mark: 'chat', tools: [] }),
};
