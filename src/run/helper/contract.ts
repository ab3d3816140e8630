// The envelope between a parent and the process that calls a helper's models: one JSON object a line on stdio, with a
// version.
//   parent → child   {v: 4, type: "start", correlation_id, job}       then stdin stays open; its end means: stop
//                    {v: 4, type: "call", id, model, request}         call this model
//                    {v: 4, type: "stop", id}                         the reply is not waited for any more
//   child → parent   {v: 4, type: "event", id, event}                 what the model sends, to the end of its reply
// ENVELOPE-1. Nothing that comes from a child is trusted: what is not an envelope is a violation with its JSON path, and of
//             an envelope only the fields that stand here are taken.
// ENVELOPE-2. A fault of a child is one of a model call. It can name no other, so it decides nothing but how its call ends.

import { type JsonObject, parseJson } from '../../base/text/json.ts';
import { FAULTS, type FaultCode } from '../../kernel/fault.ts';
import type { Violation } from '../../kernel/schema.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { ModelEvent, ProviderRequest } from '../../models/provider.ts';

const ENVELOPE_VERSION = 4;

export type ParentEnvelope =
  | { readonly type: 'start'; readonly correlation_id: string; readonly job: unknown }
  | { readonly type: 'call'; readonly id: number; readonly model: string; readonly request: ProviderRequest }
  | { readonly type: 'stop'; readonly id: number };

interface ChildEnvelope {
  readonly type: 'event';
  readonly id: number;
  readonly event: ModelEvent;
}

export const encodeEnvelope = (envelope: ParentEnvelope | ChildEnvelope): string =>
  `${JSON.stringify({ v: ENVELOPE_VERSION, ...envelope })}\n`;

type ParsedLine<Envelope> = { readonly envelope: Envelope } | { readonly violations: readonly Violation[] };

/** A line of the parent, which is our own program: only its form is checked. */
export function parseParent(line: string): ParsedLine<ParentEnvelope> {
  const read = parseObject(line);
  if ('violations' in read) return read;
  const { fields } = read;
  const rules = Object.hasOwn(PARENT, String(fields['type']))
    ? PARENT[fields['type'] as ParentEnvelope['type']]
    : undefined;
  if (rules === undefined) return wrong('$.type', 'must be "start", "call" or "stop"');
  const violations = check(fields, '$', rules);
  return violations.length > 0 ? { violations } : { envelope: fields as unknown as ParentEnvelope };
}

/** ENVELOPE-1. */
export function parseChild(line: string): ParsedLine<ChildEnvelope> {
  const read = parseObject(line);
  if ('violations' in read) return read;
  const { fields } = read;
  if (fields['type'] !== 'event') return wrong('$.type', 'must be "event"');
  const { id, event } = fields;
  if (!isCount(id)) return wrong('$.id', 'is not valid');
  if (!isObject(event)) return wrong('$.event', 'must be an object');
  const violations = eventViolations(event);
  return violations.length > 0
    ? { violations }
    : { envelope: { type: 'event', id: id as number, event: pickedEvent(event) as unknown as ModelEvent } };
}

type FieldRule = readonly [name: string, holds: (value: unknown) => boolean];

const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const optional =
  (rule: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || rule(value);

const USAGE = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const satisfies readonly (keyof Usage)[];

const isUsage = (value: unknown): boolean =>
  isObject(value) &&
  isCount(value['input']) &&
  isCount(value['output']) &&
  USAGE.every((name) => optional(isCount)(value[name]));

/** ENVELOPE-2. */
const isModelFault = (code: unknown): boolean =>
  typeof code === 'string' && Object.hasOwn(FAULTS, code as FaultCode) && MODEL_FAULT.test(code);

const MODEL_FAULT = /^(?:model\/|config\/|context\/overflow$|cancelled$|internal$)/;

const PARENT: Readonly<Record<ParentEnvelope['type'], readonly FieldRule[]>> = {
  start: [['correlation_id', isText]],
  call: [
    ['id', isCount],
    ['model', isText],
    ['request', isObject],
  ],
  stop: [['id', isCount]],
};

const DELTA: readonly FieldRule[] = [['text', isText]];
const CALL_DELTA: readonly FieldRule[] = [['name', isText], ...DELTA];
const FINISH = ['stop', 'tool-calls', 'length', 'content-filter'];

const EVENT: Readonly<Record<ModelEvent['type'], readonly FieldRule[]>> = {
  'text-delta': DELTA,
  'reasoning-delta': DELTA,
  'call-delta': CALL_DELTA,
  'reply-end': [
    ['message', isObject],
    ['finish', (value) => FINISH.includes(value as string)],
    ['usage', optional(isUsage)],
    ['usd', optional(isCount)],
  ],
  'reply-fault': [
    ['fault', isObject],
    ['usage', optional(isUsage)],
    ['retryAfterMs', optional(isCount)],
  ],
};

const MESSAGE: readonly FieldRule[] = [
  ['role', (value) => value === 'assistant'],
  ['text', isText],
  ['calls', Array.isArray],
  ['reasoning', optional(isText)],
  ['echo', () => true],
];

const TOOL_CALL: readonly FieldRule[] = [
  ['id', isText],
  ['name', isText],
  ['arguments', () => true],
  ['malformed', optional(isText)],
];

const FAULT: readonly FieldRule[] = [
  ['code', isModelFault],
  ['message', isText],
  ['details', optional(isObject)],
];

function eventViolations(event: JsonObject): readonly Violation[] {
  const { type, message, fault } = event;
  const rules = Object.hasOwn(EVENT, String(type)) ? EVENT[type as ModelEvent['type']] : undefined;
  if (rules === undefined) return [{ path: '$.event.type', message: 'is not an event of a model' }];
  const found = check(event, '$.event', rules);
  if (found.length > 0) return found;
  if (isObject(fault)) return check(fault, '$.event.fault', FAULT);
  if (!isObject(message)) return [];
  const calls = (Array.isArray(message['calls']) ? message['calls'] : []) as readonly unknown[];
  return [
    ...check(message, '$.event.message', MESSAGE),
    ...calls.flatMap((call, index) => {
      const path = `$.event.message.calls[${index}]`;
      return isObject(call) ? check(call, path, TOOL_CALL) : [{ path, message: 'must be an object' }];
    }),
  ];
}

function pickedEvent(event: JsonObject): JsonObject {
  const { message, fault, usage } = event;
  const rules = EVENT[event['type'] as ModelEvent['type']];
  return {
    ...picked(event, ['type', ...namesOf(rules)]),
    ...(isObject(usage) && { usage: picked(usage, USAGE) }),
    ...(isObject(fault) && { fault: picked(fault, namesOf(FAULT)) }),
    ...(isObject(message) && {
      message: {
        ...picked(message, namesOf(MESSAGE)),
        calls: (message['calls'] as readonly JsonObject[]).map((call) => picked(call, namesOf(TOOL_CALL))),
      },
    }),
  };
}

const namesOf = (rules: readonly FieldRule[]): readonly string[] => rules.map(([name]) => name);

const check = (fields: JsonObject, at: string, rules: readonly FieldRule[]): readonly Violation[] =>
  rules.flatMap(([name, holds]) => (holds(fields[name]) ? [] : [{ path: `${at}.${name}`, message: 'is not valid' }]));

/** The fields of these names that are there, and no others. */
const picked = (fields: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]]] : [])));

function parseObject(line: string): { readonly fields: JsonObject } | { readonly violations: readonly Violation[] } {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    return wrong('$', 'is not JSON'); // the child may print anything; the violation reports it
  }
  if (!isObject(value)) return wrong('$', 'must be an object');
  if (value['v'] !== ENVELOPE_VERSION) return wrong('$.v', `must be ${ENVELOPE_VERSION}`);
  return { fields: value };
}

const wrong = (path: string, message: string): { readonly violations: readonly Violation[] } => ({
  violations: [{ path, message }],
});
