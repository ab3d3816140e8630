// A value as JSON, with keys, texts and numbers told apart. What is very long is cut, and says so.

import type { ComponentChildren } from 'preact';
import { escapeUnseen } from '../../../src/base/text/escape-unseen.ts';

const LONGEST = 20_000;
const MOST = 400;

/** Parses text that may be JSON. Undefined: it is not. Only objects and lists count: `17` is a text like any other. */
export function parsedJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export const JsonText = ({ value }: { readonly value: unknown }) => (
  <div class="text code" tabIndex={0}>
    {shown(value, 0, JSON.stringify)}
  </div>
);

/** The arguments of a call: characters that cannot be seen are written as escapes, as where a person is asked. */
export const CallArguments = ({ given }: { readonly given: unknown }) => (
  <div class="text code" tabIndex={0}>
    {shown(given, 0, (text) => escapeUnseen(JSON.stringify(text)))}
  </div>
);

function shown(value: unknown, depth: number, quoted: (text: string) => string): ComponentChildren {
  if (typeof value === 'string') return <bdi class="j-text">{quoted(cutText(value))}</bdi>;
  if (typeof value === 'number' || typeof value === 'boolean') return <span class="j-num">{String(value)}</span>;
  if (value === null || typeof value !== 'object')
    return <span class="j-num">{value === null ? 'null' : 'undefined'}</span>;
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return isList ? '[]' : '{}';
  const inner = '  '.repeat(depth + 1);
  return (
    <>
      {isList ? '[' : '{'}
      {entries.slice(0, MOST).map(([key, one], index) => (
        <span key={key}>
          {`\n${inner}`}
          {!isList && (
            <>
              <span class="j-key">{quoted(key)}</span>
              {': '}
            </>
          )}
          {shown(one, depth + 1, quoted)}
          {index < entries.length - 1 && ','}
        </span>
      ))}
      {entries.length > MOST && `\n${inner}… ${entries.length - MOST} more`}
      {`\n${'  '.repeat(depth)}`}
      {isList ? ']' : '}'}
    </>
  );
}

const cutText = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… ${text.length - LONGEST} more characters`;
