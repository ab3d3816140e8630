// Schemas that several routes use.

import type { JsonSchema } from '../../kernel/schema.ts';
import type { Field } from './route.ts';

export const TEXT = { type: 'string' } as const;
export const COUNT = { type: 'integer', minimum: 0 } as const;

/** An object with these keys. Requests may have no others; answers may gain some. */
export const exactly = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): Extract<JsonSchema, object> => ({ type: 'object', properties, required, additionalProperties: false });

export const having = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): Extract<JsonSchema, object> & { readonly properties: Readonly<Record<string, JsonSchema>> } => ({
  type: 'object',
  properties,
  required,
});

export const arrayOf = (items: JsonSchema): Extract<JsonSchema, object> => ({ type: 'array', items });

export const RUN_PARAM: Field = {
  schema: { type: 'string', minLength: 1, maxLength: 200 },
  description: 'Its id, a unique beginning of it, its label, or `last`.',
  required: true,
};

export const AGENT_PARAM: Field = {
  schema: { type: 'string', minLength: 1, maxLength: 500 },
  description: 'Its name. Where several cadres are served, with the prefix of its cadre; a slash in it is sent as %2F.',
  required: true,
};

export const OUTPUT_CONTRACT = exactly(
  { format: { enum: ['markdown', 'text', 'json'] }, schema: { type: ['object', 'boolean'] } },
  ['format'],
);

export const OUTCOME = having(
  {
    kind: {
      enum: ['answered', 'routed', 'left', 'exhausted', 'over-budget', 'timed-out', 'cancelled', 'failed'],
      description: 'Only `answered` is a success.',
    },
    text: TEXT,
    data: { description: 'The answer as a value, where it is JSON.' },
    fault: { type: 'object' },
    partial: { type: 'string', description: 'What was written before it broke off. Not an answer.' },
  },
  ['kind'],
);

export const FILES = arrayOf(
  exactly({ name: { type: 'string', minLength: 1, maxLength: 300 }, text: { type: 'string' } }, ['name', 'text']),
);

export const HISTORY = arrayOf(exactly({ role: { enum: ['user', 'assistant'] }, text: TEXT }, ['role', 'text']));

export const RUN_ROW = having(
  {
    run: TEXT,
    agent: TEXT,
    input: { type: 'object' },
    state: { enum: ['running', 'broken-off', 'ended'] },
    driver: { enum: ['this', 'other', 'none'] },
    prefix: { type: ['string', 'null'] },
    startedAt: { type: 'number' },
    endedAt: { type: 'number' },
    outcome: TEXT,
    label: TEXT,
    thread: TEXT,
    waiting: { type: 'integer', description: 'Calls that wait for a person.' },
    events: { type: 'integer' },
    usd: { type: 'number' },
    now: { type: 'string', description: 'What it does now.' },
    worker: { type: 'string', description: 'The worker that works on it.' },
    queued: { const: true, description: 'It waits for a worker.' },
    queuedWhy: { type: 'string', description: 'Why no worker has it.' },
  },
  ['run', 'agent', 'input', 'state', 'driver', 'prefix', 'startedAt', 'waiting', 'events'],
);

export const RUN_LIST = having({ items: arrayOf(RUN_ROW), next: TEXT }, ['items']);

export const ACCEPTED = having({ accepted: { enum: ['taken', 'waits'] } }, ['accepted']);
