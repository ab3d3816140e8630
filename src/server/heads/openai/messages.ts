// OpenAI's messages, of chat completions and of responses, as what was said. A part that is neither a text nor a file is
// refused by its name and place.

import { z } from 'zod';
import type { InputFile } from '../../../engine/files/take-files.ts';
import type { ClientMessage } from '../conversation.ts';
import { invalid, shortValue } from '../fields.ts';
import { fileOfDataUrl, refuseNamedFile, unnamedFile } from '../inline-files.ts';
import { AN_OBJECT, partWords, TextSchema } from '../request-parts.ts';

const ROLES = { system: 'system', developer: 'system', user: 'user', assistant: 'assistant' } as const;
const ROLE_NAMES = Object.keys(ROLES) as readonly (keyof typeof ROLES)[];
/** Messages of these roles are about tools of the client. */
const TOOL_ROLES = ['tool', 'function'] as const;

const Part = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal(['text', 'input_text', 'output_text']), text: TextSchema }),
    z.looseObject({ type: z.literal('refusal'), refusal: TextSchema }),
    z.looseObject({
      type: z.literal('image_url'),
      image_url: z.looseObject({ url: TextSchema }, { error: AN_OBJECT }),
    }),
    z.looseObject({ type: z.literal('file'), file: z.looseObject({}, { error: AN_OBJECT }) }),
    z.looseObject({ type: z.literal('input_image'), image_url: TextSchema.nullish() }),
    z.looseObject({ type: z.literal('input_file') }),
  ],
  { error: partWords },
);

const MESSAGE = {
  role: z
    .enum([...ROLE_NAMES, ...TOOL_ROLES], {
      error: ({ input }) => `is ${shortValue(input)}. Known are: ${ROLE_NAMES.join(', ')}.`,
    })
    .meta({ enum: [...ROLE_NAMES] }),
  content: z.union([z.string(), z.array(Part)], { error: 'must be a text, or a list of parts.' }).nullish(),
  refusal: TextSchema.nullish(),
  name: z.unknown().optional(),
  tool_calls: z.unknown().optional(),
};

const WireMessage = z.looseObject(MESSAGE, { error: AN_OBJECT });
type WireMessage = z.output<typeof WireMessage>;

const NO_CLIENT_TOOLS = 'an agent has its own tools, and its conversation with a client consists of text and files.';

const OTHER_ITEM = {
  error: ({ input }: { readonly input?: unknown }) =>
    `is of the type ${shortValue(input)}. Only messages can be used: ${NO_CLIENT_TOOLS}`,
};

const Item = z.union(
  [
    z.looseObject({ type: z.literal('message', OTHER_ITEM).optional(), ...MESSAGE }),
    z.looseObject({ type: z.literal('reasoning', OTHER_ITEM) }),
  ],
  { error: AN_OBJECT },
);

const SOME_MESSAGES = 'must be a list with messages.';
export const ChatMessages = z.array(WireMessage, { error: SOME_MESSAGES }).min(1, { error: SOME_MESSAGES });

const TEXT_OR_MESSAGES = 'must be a text, or a list with messages.';
export const ResponseInput = z.union([z.string(), z.array(Item).min(1, { error: TEXT_OR_MESSAGES })], {
  error: TEXT_OR_MESSAGES,
});

/** The messages of a chat completion. */
export const chatMessages = (messages: readonly WireMessage[]): readonly ClientMessage[] =>
  messages.map((one, index) => messageIn(one, `messages[${index}]`));

/** The input of a response: a text, or a list of messages. What an earlier answer thought is no part of it. */
export function responseMessages(
  input: z.output<typeof ResponseInput>,
  instructions: string | null | undefined,
): readonly ClientMessage[] {
  const first = typeof instructions === 'string' ? [{ role: 'system', text: instructions } as const] : [];
  if (typeof input === 'string') return [...first, { role: 'user', text: input }];
  const said = input.flatMap((one, index) =>
    one.type === 'reasoning' ? [] : [messageIn(one as WireMessage, `input[${index}]`)],
  );
  return [...first, ...said];
}

function messageIn({ role, content, refusal, name, tool_calls: calls }: WireMessage, at: string): ClientMessage {
  if (role === 'tool' || role === 'function' || (Array.isArray(calls) && calls.length > 0))
    return invalid(at, `is about a tool of the client: ${NO_CLIENT_TOOLS}`);
  const text = textIn(content ?? refusal ?? '');
  const files = typeof content === 'string' ? [] : filesIn(content ?? [], `${at}.content`);
  const said = typeof name === 'string' && name !== '' && text !== '' ? `${name}: ${text}` : text;
  return { role: ROLES[role], text: said, ...(files.length > 0 && { files }) };
}

const filesIn = (content: readonly z.output<typeof Part>[], at: string): readonly InputFile[] =>
  content.flatMap((part, index) => fileIn(part, `${at}[${index}]`, index) ?? []);

function fileIn(part: z.output<typeof Part>, at: string, index: number): InputFile | undefined {
  switch (part.type) {
    case 'image_url':
      return fileOfDataUrl(part.image_url.url, `${at}.image_url.url`, index);
    case 'file':
      return fileWith(part.file, `${at}.file`, index);
    case 'input_image':
      refuseNamedFile(part, ['file_id'], at);
      return fileOfDataUrl(part.image_url ?? '', `${at}.image_url`, index);
    case 'input_file':
      return fileWith(part, at, index);
    default:
      return undefined;
  }
}

/** Some clients send bare base64. */
function fileWith(file: Readonly<Record<string, unknown>>, at: string, index: number): InputFile {
  refuseNamedFile(file, ['file_id', 'file_url'], at);
  const { file_data: data, filename } = file;
  const name = typeof filename === 'string' && filename !== '' ? filename : undefined;
  if (typeof data !== 'string')
    return invalid(`${at}.file_data`, 'is missing: the file as data:application/pdf;base64,…');
  if (/^[a-z]+:/i.test(data.slice(0, 12))) return fileOfDataUrl(data, `${at}.file_data`, index, name);
  return { name: name ?? unnamedFile('', index), data };
}

const textIn = (content: string | readonly z.output<typeof Part>[]): string =>
  typeof content === 'string'
    ? content
    : content
        .flatMap((part) => {
          if (part.type === 'refusal') return [part.refusal];
          return part.type === 'text' || part.type === 'input_text' || part.type === 'output_text' ? [part.text] : [];
        })
        .join('\n');
