// Parts of a request that several protocols have, with the words for what is wrong with them.

import { z } from 'zod';
import { isFields, shortValue } from './fields.ts';
import { accepts, honours, requires } from './parameters.ts';

export const AN_OBJECT = 'must be an object.';
const A_TEXT = 'must be a text.';

export const TextSchema = z.string({ error: A_TEXT });
export const FlagSchema = z.boolean({ error: 'must be true or false.' });

/** For an object that has one of several types: `words` say what is wrong with another type. */
export const typeWords =
  (words: (type: string) => string) =>
  ({ code, input }: { readonly code?: string; readonly input?: unknown }): string =>
    code === 'invalid_type' ? AN_OBJECT : words(shortValue(isFields(input) ? input['type'] : undefined));

export const partWords = typeWords((type) => `is of the type ${type}. Agents take text, pictures and PDF files.`);

export const MODEL_SETTINGS = "the agent's file says how its models are asked";
export const NO_TOOLS = 'an agent has the tools that its file names, and no others.';

/** Parameters of every protocol. */
export const COMMON = {
  model: requires(
    'the name of the agent',
    z.string({ error: ({ input }) => (input === undefined ? 'is missing. It is the name of an agent.' : A_TEXT) }),
  ),
  stream: honours('the answer is sent as it is written', FlagSchema),
  temperature: accepts(MODEL_SETTINGS),
  top_p: accepts(MODEL_SETTINGS),
};

export const metadataWith = (others: string) =>
  honours(
    `\`metadata.thread\` names the thread; ${others}`,
    z.looseObject({ thread: TextSchema.nullish() }, { error: AN_OBJECT }),
  );

/** The tools of a client. `Tool` is one of them. */
export const clientTools = <Tool extends z.ZodType>(means: string, tool: Tool) =>
  honours(means, z.array(tool, { error: 'must be a list of objects.' }));

/** Reads a client's choice of tools: a word, or the name of one. */
export const toolChoice = (means: string) =>
  honours(
    means,
    z.union([z.string(), z.looseObject({})], { error: ({ input }) => `is ${shortValue(input)}, which is not known.` }),
  );
