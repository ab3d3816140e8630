// The envelope between a parent and a helper's process: one JSON object a line on stdio, with a version.
//   parent → child   {v: 2, type: "start", correlation_id, job}       then stdin stays open; its end means: stop
//                    {v: 2, type: "verdict", id, approved, note?}     what a person answered
//   child → parent   {v: 2, type: "asking", turn, model, at}          a model call begins
//                    {v: 2, type: "called", call, text}               it is over; `text` is what the helper wrote so far
//                    {v: 2, type: "approve", id, call}                may it make this call? It waits for the verdict
//                    {v: 2, type: "result", output}                   the last one
// K1. Nothing that comes from a child is trusted: what is not an envelope is a violation with its JSON path.

import type { Verdict } from '../../kernel/effect.ts';
import { parseJson } from '../../kernel/json.ts';
import type { ToolCall } from '../../kernel/message.ts';
import type { Violation } from '../../kernel/schema.ts';
import type { SubagentCall } from '../../kernel/subagent.ts';

export const ENVELOPE_VERSION = 2;

export interface StartEnvelope {
  readonly v: typeof ENVELOPE_VERSION;
  readonly type: 'start';
  readonly correlation_id: string;
  readonly job: unknown;
}

export interface VerdictEnvelope extends Verdict {
  readonly v: typeof ENVELOPE_VERSION;
  readonly type: 'verdict';
  readonly id: number;
}

export type ChildEnvelope =
  | { readonly type: 'asking'; readonly turn: number; readonly model: string; readonly at: number }
  | { readonly type: 'called'; readonly call: SubagentCall; readonly text: string }
  | { readonly type: 'approve'; readonly id: number; readonly call: ToolCall }
  | { readonly type: 'result'; readonly output: unknown };

export const encodeStart = (correlation: string, job: unknown): string =>
  `${JSON.stringify({ v: ENVELOPE_VERSION, type: 'start', correlation_id: correlation, job } satisfies StartEnvelope)}\n`;

export const encodeVerdict = (id: number, { approved, note }: Verdict): string =>
  `${JSON.stringify({ v: ENVELOPE_VERSION, type: 'verdict', id, approved, ...(note !== undefined && { note }) } satisfies VerdictEnvelope)}\n`;

export const encodeChild = (envelope: ChildEnvelope): string =>
  `${JSON.stringify({ v: ENVELOPE_VERSION, ...envelope })}\n`;

export type Parsed<Envelope> = { readonly envelope: Envelope } | { readonly violations: readonly Violation[] };

export function parseStart(line: string): Parsed<StartEnvelope> {
  const read = parseObject(line);
  if ('violations' in read) return read;
  const { fields } = read;
  if (fields['type'] !== 'start') return wrong('$.type', 'must be "start"');
  if (typeof fields['correlation_id'] !== 'string') return wrong('$.correlation_id', 'must be a string');
  return { envelope: fields as unknown as StartEnvelope };
}

export function parseVerdict(line: string): Parsed<VerdictEnvelope> {
  const read = parseObject(line);
  if ('violations' in read) return read;
  const { fields } = read;
  if (fields['type'] !== 'verdict') return wrong('$.type', 'must be "verdict"');
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
      return settle(fields, [
        ['turn', isCount],
        ['model', isText],
        ['at', isCount],
      ]);
    case 'called': {
      const call = fields['call'];
      if (!isObject(call)) return wrong('$.call', 'must be an object');
      const violations = check(call, '$.call', CALL);
      return violations.length > 0 ? { violations } : settle(fields, [['text', isText]]);
    }
    case 'approve': {
      const call = fields['call'];
      if (!isObject(call)) return wrong('$.call', 'must be an object');
      const violations = check(call, '$.call', [
        ['id', isText],
        ['name', isText],
      ]);
      return violations.length > 0 ? { violations } : settle(fields, [['id', isCount]]);
    }
    case 'result':
      return 'output' in fields ? settle(fields, []) : wrong('$.output', 'must be given');
    default:
      return wrong('$.type', 'must be "asking", "called", "approve" or "result"');
  }
}

type Fields = Readonly<Record<string, unknown>>;
type Rule = readonly [name: string, holds: (value: unknown) => boolean];

const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isUsage = (value: unknown): boolean =>
  value === undefined || (isObject(value) && Object.values(value).every(isCount) && isCount(value['input']));
const optional =
  (rule: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || rule(value);

const CALL: readonly Rule[] = [
  ['turn', isCount],
  ['model', isText],
  ['status', (value) => value === 'ok' || value === 'failed' || value === 'in-doubt'],
  ['usage', isUsage],
  ['usd', optional(isCount)],
  ['counted', optional((value) => isObject(value) && isCount(value['tokens']) && optional(isCount)(value['usd']))],
  ['fault', optional(isText)],
  ['started_at', isCount],
  ['ms', optional(isCount)],
];

const check = (fields: Fields, at: string, rules: readonly Rule[]): readonly Violation[] =>
  rules.flatMap(([name, holds]) => (holds(fields[name]) ? [] : [{ path: `${at}.${name}`, message: 'is not valid' }]));

function settle(fields: Fields, rules: readonly Rule[]): Parsed<ChildEnvelope> {
  const violations = check(fields, '$', rules);
  return violations.length > 0 ? { violations } : { envelope: fields as unknown as ChildEnvelope };
}

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
