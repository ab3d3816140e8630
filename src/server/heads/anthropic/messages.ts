// Anthropic's messages as what was said. A block that is not text is refused by its name and place.

import { z } from 'zod';
import type { ClientMessage } from '../conversation.ts';
import { shortValue } from '../fields.ts';
import { AN_OBJECT, partWords, TextSchema } from '../request-parts.ts';

/** The thoughts of an earlier answer are no part of the conversation. */
const Block = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('text'), text: TextSchema }),
    z.looseObject({ type: z.literal(['thinking', 'redacted_thinking']) }),
  ],
  { error: partWords },
);

export const BlockText = z.union([z.string(), z.array(Block)], { error: 'must be a text, or a list of blocks.' });

const ROLES = ['user', 'assistant', 'system'] as const;

const Message = z.looseObject(
  {
    role: z.enum(ROLES, { error: ({ input }) => `is ${shortValue(input)}. Known are: ${ROLES.join(', ')}.` }),
    content: BlockText,
  },
  { error: AN_OBJECT },
);

const SOME_MESSAGES = 'must be a list with messages.';
export const MessageList = z.array(Message, { error: SOME_MESSAGES }).min(1, { error: SOME_MESSAGES });

export function saidIn(
  messages: z.output<typeof MessageList>,
  system: z.output<typeof BlockText> | null | undefined,
): readonly ClientMessage[] {
  const said = messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  return system === undefined || system === null ? said : [{ role: 'system', text: textOf(system) }, ...said];
}

const textOf = (content: z.output<typeof BlockText>): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
