// The fields that an event must have before anybody reads it as one. A journal can be edited, cut or written by another
// program, and every reader relies on these fields: a command, a fold, the server, a resumed run.
// SHAPE-1. It is checked where an event leaves its store, in the form of today, so that nothing behind has to ask
//     again.
// SHAPE-2. Only the fields that readers rely on are checked: values that tools, models and programs chose may be
//     anything.

import type { InstantOp, OpEnd, RunEvent } from './event.ts';

type Holds = (value: unknown) => boolean;
type FieldChecks = Readonly<Record<string, Holds>>;

/** The mistake in an event, as a path and words. Undefined if there is none. */
export function eventProblem(event: RunEvent): string | undefined {
  if (event.repeats !== undefined) return '`repeats` names a text that does not stand before it';
  const wrong = wrongField(event, STAMP) ?? wrongField(event, { type: (type) => isText(type) && isKey(EVENTS, type) });
  if (wrong !== undefined) return wrong;
  return EVENTS[event.type]!(event as never);
}

const isText: Holds = (value) => typeof value === 'string';
const isTexts: Holds = (value) => Array.isArray(value) && value.every(isText);
const isModels: Holds = (value) => isTexts(value) || (isObject(value) && Object.values(value).every(isTexts));
const isNumber: Holds = (value) => typeof value === 'number' && Number.isFinite(value);
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isKey = (table: object, key: unknown): boolean => Object.hasOwn(table, key as PropertyKey);
const isFlag: Holds = (value) => typeof value === 'boolean';

const has =
  (fields: FieldChecks): Holds =>
  (value) =>
    isObject(value) && wrongField(value, fields) === undefined;
const maybe =
  (holds: Holds): Holds =>
  (value) =>
    value === undefined || holds(value);
const listOf =
  (holds: Holds): Holds =>
  (value) =>
    Array.isArray(value) && value.every(holds);

function wrongField(value: object, fields: FieldChecks, at = ''): string | undefined {
  for (const name in fields) {
    const given = (value as Readonly<Record<string, unknown>>)[name];
    if (fields[name]!(given)) continue;
    return `\`${at}${name}\` is ${given === undefined ? 'missing' : 'not what it must be'}`;
  }
  return undefined;
}

const STAMP: FieldChecks = { seq: isNumber, at: isNumber };
const isFault = has({ code: isText, message: isText });
const isCall = has({ id: isText, name: isText });
const isFiles = listOf(has({ digest: isText, type: isText, name: isText, bytes: isNumber }));
const isInput = has({ text: isText, files: maybe(isFiles) });
const isSpent = has({ model: isText });
const isRecord = has({ status: isText, started_at: isNumber, artifacts: Array.isArray, truncated: Array.isArray });
const isOutcome: Holds = (value) =>
  has({ kind: isText, record: maybe(isRecord) })(value) &&
  (!('fault' in (value as object)) || isFault((value as { readonly fault: unknown }).fault)) &&
  ((value as { readonly kind: string }).kind !== 'answered' || has({ text: isText, agent: maybe(isText) })(value));

/** A message, or the name of the op that holds it. */
const isMessage: Holds = (value) => {
  if (!has({ role: isText })(value)) return false;
  const { role, op } = value as { readonly role: string; readonly op?: unknown };
  if (op !== undefined) return isText(op);
  if (role === 'tool') return has({ call: isText, name: isText, result: has({ status: isText, text: isText }) })(value);
  return has(role === 'assistant' ? { text: isText, calls: listOf(isCall) } : { text: isText })(value);
};

const OPS: Readonly<Record<string, FieldChecks>> = {
  model: {
    session: isText,
    agent: isText,
    turn: isNumber,
    models: listOf(isText),
    added: listOf(isMessage),
  },
  tool: { agent: isText, call: isCall },
  run: { agent: isText, input: isInput, trigger: has({ kind: isText }) },
  say: { session: isText, text: isText },
  approval: { prompt: isText },
  'await-runs': { runs: listOf(isText) },
  'cancel-runs': { runs: listOf(isText) },
};

/** The value of an op, by its kind. */
const VALUES: Readonly<Record<string, Holds>> = {
  model: has({ message: has({ role: isText, text: isText, calls: listOf(isCall) }), spent: isSpent }),
  tool: has({ status: isText, text: isText }),
  run: isOutcome,
  say: isOutcome,
  approval: has({ approved: isFlag }),
};

function opEndProblem({ kind, result }: OpEnd): string | undefined {
  if (!result.ok) return wrongField(result, { fault: isFault }, 'result.');
  return wrongField(result, { value: VALUES[kind] ?? (() => true) }, 'result.');
}

const isOrder = has({ label: isText, agent: isText, after: listOf(isText) });
const isOffer = has({ tools: listOf(has({ name: isText })), approve: listOf(isText) });

/** Ops that are over as they begin. */
const INSTANTS: Readonly<Record<InstantOp['kind'], FieldChecks>> = {
  take: { value: has({ messages: listOf(isMessage) }) },
  post: { value: has({ number: isNumber, memberId: isText, message: isText }) },
  clock: {},
  close: {},
  parallel: {},
  spawn: { detail: has({ orders: listOf(isOrder) }), value: has({ receipts: listOf(has({ status: isText })) }) },
  begin: { detail: has({ run: isText }), value: has({ began: isFlag }) },
  announce: { detail: has({ run: isText, to: isText, text: isText }) },
  runs: { value: listOf(has({ run: isText })) },
  send: { detail: has({ run: isText, text: isText }) },
  preview: { detail: has({ call: isCall }), value: has({ kind: isText }) },
};

type EventCheck<Type extends RunEvent['type']> = (event: Extract<RunEvent, { type: Type }>) => string | undefined;

const isOf =
  (fields: FieldChecks): ((event: RunEvent) => string | undefined) =>
  (event) =>
    wrongField(event, fields);

const EVENTS: { readonly [Type in RunEvent['type']]: EventCheck<Type> } = {
  'run-start': isOf({
    run: isText,
    kernel: isNumber,
    agent: isText,
    input: isInput,
    folder: isText,
    texts: (value) => isObject(value) && Object.values(value).every(isText),
    models: maybe(isModels),
    forkedFrom: maybe(has({ run: isText, at: isText, events: isNumber, edited: maybe(isTexts) })),
  }),
  'op-start': (event) =>
    wrongField(event, { path: isText, op: has({ kind: (kind) => isKey(OPS, kind) }) }) ??
    wrongField(event.op, OPS[event.op.kind] ?? {}, 'op.'),
  attempt: isOf({
    path: isText,
    number: isNumber,
    spent: isSpent,
    fault: isFault,
    ms: isNumber,
    then: has({ kind: isText }),
  }),
  intent: isOf({ path: isText, change: has({ kind: isText, root: isText, path: isText }) }),
  'op-end': (event) =>
    wrongField(event, { path: isText, kind: isText, result: has({ ok: isFlag }) }) ?? opEndProblem(event),
  op: (event) =>
    wrongField(event, { path: isText, kind: (kind) => isText(kind) && isKey(INSTANTS, kind) }) ??
    wrongField(event, INSTANTS[event.kind]),
  fact: (event) =>
    wrongField(event, { key: isText }) ??
    (event.key.startsWith('agent:') ? wrongField(event, { value: isOffer }) : undefined),
  'run-resume': isOf({}),
  control: isOf({ message: has({ kind: isText }) }),
  'run-end': isOf({ outcome: isOutcome }),
  undo: isOf({ state: (state) => state === 'begun' || state === 'done', ops: listOf(isText) }),
};
