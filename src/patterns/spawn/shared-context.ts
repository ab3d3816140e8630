// Shared context: JSON values that a family works from. When a run starts they are resolved once, to a snapshot that
// never changes: the parent's values, then the keys given, then the results it refers to. A second snapshot holds what
// earlier runs of the family were given: the run can read it, and its prompt does not show it.

import type { Routine } from '../../kernel/effect.ts';
import { errorResult, okResult, type ToolResult } from '../../kernel/message.ts';
import type { SessionTool } from '../../kernel/session/session-tool.ts';
import type { SharedContext, SharedHandles } from '../../kernel/spawned.ts';
import type { Wrap } from '../pattern.ts';
import { jsonLine } from '../quote-text.ts';
import type { Way } from './pass-on.ts';

export const SHARED_CONTEXT = 'shared_context';

export const MOST_BYTES = 65_536;
const DEEPEST = 32;
/** Bytes for the note that replaces a result that does not fit. */
const NOTE_BYTES = 512;

/** A key stands at the beginning of a line in a prompt: one word or several, and nothing that could end the line. */
const KEY = /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,127}$/u;
const REFERENCE = 'reference';

/** Reads the context that a spawn shares, or says what is wrong with it. */
export function readShared(
  given: unknown,
  parent: SharedContext = {},
):
  | {
      readonly own: SharedContext;
      /** The labels of the runs whose results it takes in. */
      readonly references: readonly string[];
    }
  | { readonly error: string } {
  if (!isPlain(given)) return { error: 'sharedContext must be an object of JSON values.' };
  const wrong = wrongIn(given, 'sharedContext', 0);
  if (wrong !== undefined) return { error: wrong };
  const references: string[] = [];
  const own: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const label = key.startsWith('$') ? key.slice(1) : undefined;
    if (label !== undefined && value !== REFERENCE)
      return {
        error: `sharedContext.${key}: a key that begins with $ refers to a run, so its value is "${REFERENCE}".`,
      };
    if (!KEY.test(label ?? key))
      return {
        error: `sharedContext: ${JSON.stringify(key.slice(0, 80))} cannot be a key. Use letters, digits, _ . -`,
      };
    if (label !== undefined && isHostile(label)) return { error: refused('sharedContext', key) };
    if (label === undefined) own[key] = value;
    else references.push(label);
  }
  const size = bytesOf({ ...parent, ...own }) + references.length * NOTE_BYTES;
  if (size > MOST_BYTES)
    return { error: `sharedContext has ${size} bytes with what is inherited; ${MOST_BYTES} are allowed.` };
  return { own, references };
}

export interface ReferredResult {
  readonly label: string;
  readonly value: unknown;
  /** The way to read all of it, if it does not fit. */
  readonly way: Way;
}

/** The shared context of a run, and the handles of values that it holds only in part. */
export interface Snapshot {
  readonly values: SharedContext;
  readonly handles: SharedHandles;
}

/** The snapshot of a run that starts. The value of a reference is cut if it does not fit, and says so. */
export function snapshot(
  parent: Snapshot | undefined,
  own: SharedContext,
  referred: readonly ReferredResult[],
): Snapshot {
  const merged: Record<string, unknown> = { ...parent?.values, ...own };
  const handles: Record<string, string> = { ...parent?.handles };
  for (const key of Object.keys(own)) delete handles[key];
  for (const { label } of referred) {
    delete merged[label];
    delete handles[label];
  }
  const room = Math.floor((MOST_BYTES - bytesOf(merged)) / Math.max(1, referred.length));
  for (const one of referred) merged[one.label] = fitting(one, room - bytesOf(one.label) - 2, handles);
  return { values: merged, handles };
}

/** No key can have this name, so it hides none. */
const LEFT_OUT = '(left out)';

/** The first value of each key that is not there already, as far as they fit; undefined if there is none. */
export function collectShared(found: readonly ReferredResult[], own: SharedContext = {}): Snapshot | undefined {
  const all: Record<string, unknown> = {};
  const handles: Record<string, string> = {};
  let room = MOST_BYTES - NOTE_BYTES;
  let left = 0;
  for (const one of found) {
    if (Object.hasOwn(own, one.label) || Object.hasOwn(all, one.label)) continue;
    const frame = bytesOf(one.label) + 2;
    const size = bytesOf(one.value);
    const value = room < Math.min(size, NOTE_BYTES) + frame ? undefined : fitting(one, room - frame, handles);
    if (value === undefined) left += 1;
    else {
      all[one.label] = value;
      room -= bytesOf(value) + frame;
    }
  }
  if (left > 0) all[LEFT_OUT] = `Further keys: ${left}. Together they may have ${MOST_BYTES} bytes.`;
  return Object.keys(all).length === 0 ? undefined : { values: all, handles };
}

/** Notes the handle of what it cuts. */
function fitting({ label, value, way }: ReferredResult, room: number, handles: Record<string, string>): unknown {
  const size = bytesOf(value);
  if (size <= room) return value;
  if (way.handle !== undefined) handles[label] = way.handle;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const note = ` [… cut: ${size} bytes. ${way.words} …]`;
  let kept = Math.max(0, room - bytesOf(note));
  while (kept > 0 && bytesOf(text.slice(0, kept)) > room - bytesOf(note)) kept = Math.floor(kept * 0.9);
  return text.slice(0, kept).replace(/[\ud800-\udbff]$/, '') + note;
}

/** The form in the system prompt. A value is JSON on one line, so that it cannot look like another line. */
export const sharedContextText = (shared: SharedContext): string =>
  ['[Shared Context]:', ...Object.entries(shared).map(([key, value]) => `- ${key}: ${jsonLine(value)}`)].join('\n');

/** Reads the snapshots of the session that it is given to, and no others: its own keys first, then its family's. */
export function sharedContextTool(own: SharedContext = {}, family: SharedContext = {}): SessionTool {
  const shared: SharedContext = { ...own, ...family, ...own };
  return {
    spec: {
      name: SHARED_CONTEXT,
      description: 'Read what your family of runs shares: one key, or all of it as JSON.',
      parameters: {
        type: 'object',
        properties: { key: { type: 'string', description: 'Leave it out for all keys.' } },
        additionalProperties: false,
      },
    },
    readOnly: true,
    *run(call): Routine<ToolResult> {
      const { key } = (call.arguments ?? {}) as { readonly key?: string };
      if (key === undefined) return okResult(jsonLine(shared));
      if (Object.hasOwn(shared, key)) return okResult(jsonLine(shared[key]));
      return errorResult(`There is no key ${JSON.stringify(key)}. Known: ${Object.keys(shared).join(', ') || 'none'}.`);
    },
  };
}

/** Names that every object has. As keys they could reach its prototype. */
const isHostile = (key: string): boolean => key in {} || key === 'prototype';

const refused = (path: string, key: string): string => `${path}: the key ${JSON.stringify(key)} is refused.`;

function wrongIn(value: unknown, path: string, depth: number): string | undefined {
  if (depth > DEEPEST) return `${path} is nested deeper than ${DEEPEST} levels.`;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${path} is not a JSON number.`;
  if (Array.isArray(value))
    return firstOf(value.map((item, index) => () => wrongIn(item, `${path}[${index}]`, depth + 1)));
  if (!isPlain(value)) return `${path} is not a JSON value.`;
  return firstOf(
    Object.entries(value).map(([key, item]) => () => {
      if (isHostile(key)) return refused(path, key);
      return wrongIn(item, `${path}.${key.slice(0, 40)}`, depth + 1);
    }),
  );
}

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check();
    if (found !== undefined) return found;
  }
  return undefined;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const above: unknown = Object.getPrototypeOf(value);
  return above === null || above === Object.prototype;
}

/** The size of its JSON in UTF-8. */
export function bytesOf(value: unknown): number {
  const text = JSON.stringify(value) ?? '';
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** `reader` is read_result, with which a session reads results that it got only in part. */
export const withSharedContext =
  (reader: SessionTool | undefined): Wrap =>
  (inner) =>
  (input) => {
    const { shared, family, handles, sharedHandles } = input.request;
    const isGiven = handles !== undefined || sharedHandles !== undefined;
    const isReader = reader !== undefined && (input.trigger.kind === 'spawn' || isGiven);
    const isSharing = shared !== undefined || family !== undefined;
    if (!isSharing && !isReader) return inner(input);
    const tools = [
      ...(input.tools ?? []),
      ...(isReader ? [reader] : []),
      ...(isSharing ? [sharedContextTool(shared, family)] : []),
    ];
    if (shared === undefined) return inner({ ...input, tools });
    const preamble = [input.preamble, sharedContextText(shared)].filter((part) => part !== undefined).join('\n\n');
    return inner({ ...input, preamble, tools });
  };
