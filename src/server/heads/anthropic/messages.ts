// Anthropic's messages as what was said. A block that is neither a text nor a file is refused by its name and place.

import { z } from 'zod';
import type { InputFile } from '../../../engine/files/take-files.ts';
import type { ClientMessage } from '../conversation.ts';
import { invalid, shortValue } from '../fields.ts';
import { refuseNamedFile, unnamedFile } from '../inline-files.ts';
import { AN_OBJECT, partWords, TextSchema } from '../request-parts.ts';

/** The thoughts of an earlier answer are no part of the conversation. */
const Block = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('text'), text: TextSchema }),
    z.looseObject({ type: z.literal(['thinking', 'redacted_thinking']) }),
    z.looseObject({ type: z.literal(['image', 'document']), source: z.looseObject({}, { error: AN_OBJECT }) }),
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
  const said = messages.map(({ role, content }, index) => {
    const files = typeof content === 'string' ? [] : filesIn(content, `messages[${index}].content`);
    return { role, text: textOf(content), ...(files.length > 0 && { files }) };
  });
  if (Array.isArray(system) && filesIn(system, 'system').length > 0)
    return invalid('system', 'has a file in it. Only messages of the user have files.');
  return system === undefined || system === null ? said : [{ role: 'system', text: textOf(system) }, ...said];
}

const filesIn = (content: readonly z.output<typeof Block>[], at: string): readonly InputFile[] =>
  content.flatMap((block, index) =>
    block.type === 'image' || block.type === 'document' ? [fileIn(block, `${at}[${index}]`, index)] : [],
  );

function fileIn(
  { source, title }: { readonly source: Readonly<Record<string, unknown>>; readonly title?: unknown },
  at: string,
  index: number,
): InputFile {
  refuseNamedFile(source, ['url', 'file_id'], `${at}.source`);
  const { type, data, media_type: mediaType } = source;
  if ((type !== 'base64' && type !== 'text') || typeof data !== 'string')
    return invalid(`${at}.source`, 'must be of the type base64 or text, with `data`.');
  const named = typeof title === 'string' && title !== '' ? title : undefined;
  const name = named ?? unnamedFile(typeof mediaType === 'string' ? mediaType : '', index);
  return { name, data: type === 'text' ? Buffer.from(data) : data };
}

const textOf = (content: z.output<typeof BlockText>): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
