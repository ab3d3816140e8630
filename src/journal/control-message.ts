// Control messages as they lie in a queue. Anyone who can write into a store can write one, so it may be anything:
// it is taken only if every field is known and of its type.

import { explainJsonError, readJson } from '../base/text/json.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { fail } from '../kernel/fault.ts';
import type { RunId } from './event.ts';

export const MAX_MESSAGE_BYTES = 4 * 1_048_576;

const ID = /^[A-Za-z0-9_-]{1,64}$/;

const isMessageId = (id: string): boolean => ID.test(id);

type Check = (value: unknown, run: RunId) => boolean;

const isText: Check = (value) => typeof value === 'string';
const optional =
  (check: Check): Check =>
  (value, run) =>
    value === undefined || check(value, run);
const SAID: Readonly<Record<string, Check>> = {
  kind: isText,
  id: (value) => typeof value === 'string' && isMessageId(value),
  by: optional(isText),
};
/** The run itself, or one that it spawned. */
const isOfRun: Check = (value, run) => typeof value === 'string' && (value === run || value.startsWith(`${run}~`));

const FIELDS: Readonly<Record<ControlMessage['kind'], Readonly<Record<string, Check>>>> = {
  stop: { ...SAID, reason: isText },
  cancel: { ...SAID, to: optional(isOfRun), reason: isText },
  send: { ...SAID, to: optional(isOfRun), text: isText },
  verdict: {
    ...SAID,
    op: (value) => typeof value === 'string' && /^\d+(\.-?\d+)*$/.test(value),
    approved: (value) => typeof value === 'boolean',
    note: optional(isText),
    scope: optional((value) => value === 'run'),
    answer: optional(isText),
    seen: optional(isText),
  },
  'share-context': {
    ...SAID,
    context: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  },
};

export function parseMessage(
  text: string,
  run: RunId,
): { readonly message: ControlMessage } | { readonly wrong: string } {
  const parsed = readJson(text);
  if (!parsed.ok) return { wrong: `it ${explainJsonError(parsed)}` };
  if (typeof parsed.value !== 'object' || parsed.value === null) return { wrong: 'it is not an object' };
  const found = parsed.value as Readonly<Record<string, unknown>>;
  const fields = Object.hasOwn(FIELDS, String(found['kind'])) && FIELDS[found['kind'] as ControlMessage['kind']];
  if (!fields) return { wrong: `its kind is not one of ${Object.keys(FIELDS).join(', ')}` };
  for (const [name, check] of Object.entries(fields)) {
    const value = Object.hasOwn(found, name) ? found[name] : undefined;
    if (!check(value, run)) return { wrong: `"${name}" is missing or invalid` };
  }
  const unknown = Object.keys(found).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return { wrong: `it has an unknown field ${JSON.stringify(unknown.slice(0, 40))}` };
  const message = found as unknown as ControlMessage;
  if (message.kind === 'verdict' && message.scope !== undefined && !message.approved)
    return { wrong: '"scope" is for a yes, and this is a no' };
  return { message };
}

/** The text of a message. Throws `usage` for what `parseMessage` would not take. */
export function messageText(run: RunId, message: ControlMessage): string {
  const text = JSON.stringify(message);
  const parsed = parseMessage(text, run);
  if ('wrong' in parsed) fail('usage', `This message cannot be sent to run ${run}: ${parsed.wrong}.`);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_MESSAGE_BYTES)
    fail('usage', `A message to run ${run} has ${bytes} bytes, and the limit is ${MAX_MESSAGE_BYTES}. Send less.`);
  return text;
}
