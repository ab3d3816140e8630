// The expectation that a person words for the answer of a run, as the file of the test will have it. Pure.

import type { Outcome, SaveTest } from '../../../../src/server/protocol.ts';

export const EXPECTED = ['contains', 'equals', 'json', 'judge'] as const;
export type Expected = (typeof EXPECTED)[number];

export const EXPECTED_NAMES: Readonly<Record<Expected, string>> = {
  contains: 'the answer contains',
  equals: 'the answer equals',
  json: 'JSON paths',
  judge: 'judged by an agent',
};

export interface Worded {
  readonly kind: Expected;
  readonly text: string;
  /** The agent that judges. */
  readonly judge: string;
}

const isPlain = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** A good answer proposes itself, or the values that stand in it; a bad one nothing. */
export function proposed(outcome: Outcome, mark: 'good' | 'bad'): Pick<Worded, 'kind' | 'text'> {
  if (mark === 'bad' || !('text' in outcome)) return { kind: 'contains', text: '' };
  const data = 'data' in outcome ? outcome.data : undefined;
  if (data === undefined) return { kind: 'equals', text: outcome.text };
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    return { kind: 'equals', text: JSON.stringify(data) };
  const values = Object.entries(data).filter(([key, value]) => isPlain(value) && /^[A-Za-z_]\w*$/.test(key));
  return { kind: 'json', text: values.map(([key, value]) => `$.${key}: ${JSON.stringify(value)}`).join('\n') };
}

/** Undefined as long as something is missing. `isJson`: the answer is a value. */
export function expectationOf({ kind, text, judge }: Worded, isJson: boolean): SaveTest['expect'] | undefined {
  if (text.trim() === '') return undefined;
  switch (kind) {
    case 'contains':
      return { answer: { contains: [text.trim()] } };
    case 'equals':
      return { answer: { equals: isJson ? valueOf(text) : text } };
    case 'json': {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      const pairs = lines.map((line) => /^\s*(\$[^:]*?)\s*:\s*(.*)$/.exec(line));
      if (pairs.some((pair) => pair === null)) return undefined;
      return { answer: { json: Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', valueOf(pair?.[2] ?? '')])) } };
    }
    case 'judge':
      return judge === '' ? undefined : { judge: { agent: judge, rubric: text.trim() } };
  }
}

/** A text that is no JSON is meant as a text. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.trim();
  }
}
