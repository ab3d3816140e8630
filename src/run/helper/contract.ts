// The envelope between a parent and a helper's process: one JSON object a line on stdio, with a version.
//   parent → child   {v: 3, type: "start", correlation_id, job}       then stdin stays open; its end means: stop
//                    {v: 3, type: "verdict", id, approved, note?}     what a person answered
//                    {v: 3, type: "tool-result", id, result}          what a tool answered
//   child → parent   {v: 3, type: "asking", turn, model, at}          a model call begins
//                    {v: 3, type: "called", call, text}               it is over; `text` is what the helper wrote so far
//                    {v: 3, type: "approve", id, call}                may it make this call? It waits for the verdict
//                    {v: 3, type: "tool", id, call}                   the parent makes this call, and answers with its result
//                    {v: 3, type: "result", output}                   the last one
// K1. Nothing that comes from a child is trusted: what is not an envelope is a violation with its JSON path, and of an
//     envelope only the fields that stand here are taken.

import type { Verdict } from '../../kernel/effect.ts';
import { FAULTS, type FaultCode } from '../../kernel/fault.ts';
import { parseJson } from '../../kernel/json.ts';
import type { ToolCall, ToolResult } from '../../kernel/message.ts';
import type { OpPath } from '../../kernel/path.ts';
import type { Violation } from '../../kernel/schema.ts';
import type { SubagentCall } from '../../kernel/subagent.ts';
import type { Count, Usage } from '../../kernel/usage.ts';

const ENVELOPE_VERSION = 3;

interface StartEnvelope {
  readonly v: typeof ENVELOPE_VERSION;
  readonly type: 'start';
  readonly correlation_id: string;
  readonly job: unknown;
}

interface VerdictEnvelope extends Verdict {
  readonly v: typeof ENVELOPE_VERSION;
  readonly type: 'verdict';
  readonly id: number;
}

interface ToolResultEnvelope {
  readonly v: typeof ENVELOPE_VERSION;
  readonly type: 'tool-result';
  readonly id: number;
  readonly result: ToolResult;
}

/** `approve`: may it make this call? `tool`: make this call. */
export interface ChildQuestion {
  readonly type: 'approve' | 'tool';
  readonly id: number;
  readonly call: ToolCall;
}

export type ChildEnvelope =
  | {
      readonly type: 'asking';
      readonly session?: OpPath;
      readonly turn: number;
      readonly model: string;
      readonly at: number;
    }
  | { readonly type: 'called'; readonly call: SubagentCall; readonly text: string }
  | ChildQuestion
  | { readonly type: 'result'; readonly output: unknown };

export const encodeStart = (correlation: string, job: unknown): string =>
  `${JSON.stringify({ v: ENVELOPE_VERSION, type: 'start', correlation_id: correlation, job } satisfies StartEnvelope)}\n`;

export const encodeVerdict = (id: number, { approved, note }: Verdict): string =>
  `${JSON.stringify({ v: ENVELOPE_VERSION, type: 'verdict', id, approved, ...(note !== undefined && { note }) } satisfies VerdictEnvelope)}\n`;

export const encodeToolResult = (id: number, result: ToolResult): string =>
  `${JSON.stringify({ v: ENVELOPE_VERSION, type: 'tool-result', id, result } satisfies ToolResultEnvelope)}\n`;

export const encodeChild = (envelope: ChildEnvelope): string =>
  `${JSON.stringify({ v: ENVELOPE_VERSION, ...envelope })}\n`;

type Parsed<Envelope> = { readonly envelope: Envelope } | { readonly violations: readonly Violation[] };

export function parseStart(line: string): Parsed<StartEnvelope> {
  const read = parseObject(line);
  if ('violations' in read) return read;
  const { fields } = read;
  if (fields['type'] !== 'start') return wrong('$.type', 'must be "start"');
  if (typeof fields['correlation_id'] !== 'string') return wrong('$.correlation_id', 'must be a string');
  return { envelope: fields as unknown as StartEnvelope };
}

export function parseAnswer(line: string): Parsed<VerdictEnvelope | ToolResultEnvelope> {
  const read = parseObject(line);
  if ('violations' in read) return read;
  const { fields } = read;
  if (fields['type'] === 'tool-result') {
    if (!isObject(fields['result'])) return wrong('$.result', 'must be an object');
    const violations = [...check(fields, '$', [['id', isCount]]), ...check(fields['result'], '$.result', RESULT)];
    return violations.length > 0 ? { violations } : { envelope: fields as unknown as ToolResultEnvelope };
  }
  if (fields['type'] !== 'verdict') return wrong('$.type', 'must be "verdict" or "tool-result"');
  const violations = check(fields, '$', [
    ['id', isCount],
    ['approved', (value) => typeof value === 'boolean'],
    ['note', optional(isText)],
  ]);
  return violations.length > 0 ? { violations } : { envelope: fields as unknown as VerdictEnvelope };
}

/** K1. */
export function parseChild(line: string): Parsed<ChildEnvelope> {
  const read = parseObject(line);
  if ('violations' in read) return read;
  const { fields } = read;
  switch (fields['type']) {
    case 'asking':
      return taken(check(fields, '$', ASKING), () => picked(fields, ['type', 'session', 'turn', 'model', 'at']));
    case 'called': {
      const call = fields['call'];
      if (!isObject(call)) return wrong('$.call', 'must be an object');
      const violations = [...check(call, '$.call', CALL), ...check(fields, '$', [['text', isText]])];
      return taken(violations, () => ({ ...picked(fields, ['type', 'text']), call: pickedCall(call) }));
    }
    case 'approve':
    case 'tool': {
      const call = fields['call'];
      if (!isObject(call)) return wrong('$.call', 'must be an object');
      const violations = [...check(call, '$.call', TOOL_CALL), ...check(fields, '$', [['id', isCount]])];
      const names = ['id', 'name', 'arguments', 'malformed'];
      return taken(violations, () => ({ ...picked(fields, ['type', 'id']), call: picked(call, names) }));
    }
    case 'result':
      return 'output' in fields
        ? taken([], () => picked(fields, ['type', 'output']))
        : wrong('$.output', 'must be given');
    default:
      return wrong('$.type', 'must be "asking", "called", "approve", "tool" or "result"');
  }
}

type Fields = Readonly<Record<string, unknown>>;
type Rule = readonly [name: string, holds: (value: unknown) => boolean];

const isText = (value: unknown): boolean => typeof value === 'string';
/** Below the helper's own session, whatever a child sends. */
const isPath = (value: unknown): boolean => typeof value === 'string' && /^0(\.\d{1,9}){0,64}$/.test(value);
const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const optional =
  (rule: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || rule(value);

/** An object of amounts: those that `needed` names must be there. */
const amounts =
  (needed: readonly string[], names: readonly string[]) =>
  (value: unknown): boolean =>
    isObject(value) &&
    needed.every((name) => isCount(value[name])) &&
    names.every((name) => optional(isCount)(value[name]));

const USAGE = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const satisfies readonly (keyof Usage)[];
const COUNTED = ['tokens', 'usd'] as const satisfies readonly (keyof Count)[];

const ASKING: readonly Rule[] = [
  ['session', optional(isPath)],
  ['turn', isCount],
  ['model', isText],
  ['at', isCount],
];

const CALL: readonly Rule[] = [
  ['session', optional(isPath)],
  ['turn', isCount],
  ['model', isText],
  ['status', (value) => value === 'ok' || value === 'failed' || value === 'in-doubt'],
  ['usage', optional(amounts(['input', 'output'], USAGE))],
  ['usd', optional(isCount)],
  ['counted', optional(amounts(['tokens'], COUNTED))],
  ['fault', optional((value) => isText(value) && Object.hasOwn(FAULTS, value as FaultCode))],
  ['started_at', isCount],
  ['ms', optional(isCount)],
];

const TOOL_CALL: readonly Rule[] = [
  ['id', isText],
  ['name', isText],
  ['malformed', optional(isText)],
];

const RESULT: readonly Rule[] = [
  ['status', (value) => value === 'ok' || value === 'error'],
  ['text', isText],
  ['handle', optional(isText)],
  ['bytes', optional(isCount)],
];

const check = (fields: Fields, at: string, rules: readonly Rule[]): readonly Violation[] =>
  rules.flatMap(([name, holds]) => (holds(fields[name]) ? [] : [{ path: `${at}.${name}`, message: 'is not valid' }]));

/** The fields of these names that are there, and no others. */
const picked = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]]] : [])));

function pickedCall(call: Fields): Fields {
  const { usage, counted } = call;
  return {
    ...picked(
      call,
      CALL.map(([name]) => name),
    ),
    ...(isObject(usage) && { usage: picked(usage, USAGE) }),
    ...(isObject(counted) && { counted: picked(counted, COUNTED) }),
  };
}

const taken = (violations: readonly Violation[], envelope: () => Fields): Parsed<ChildEnvelope> =>
  violations.length > 0 ? { violations } : { envelope: envelope() as unknown as ChildEnvelope };

function parseObject(line: string): { readonly fields: Fields } | { readonly violations: readonly Violation[] } {
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

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const wrong = (path: string, message: string): { readonly violations: readonly Violation[] } => ({
  violations: [{ path, message }],
});
