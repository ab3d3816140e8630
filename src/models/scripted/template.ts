// The placeholders of a script: `{{input}}`, `{{last}}`, `{{result.read_file}}`, `{{match.1}}`, `{{turn}}`,
// `{{agent}}`, `{{history}}`, `{{files}}`. They look values up and do nothing else: no code, no loops, no files. `\{{` is a literal `{{`.

import { parseJson } from '../../base/text/json.ts';
import { didYouMean } from '../../base/text/nearest.ts';
import { fail } from '../../kernel/fault.ts';
import { fileWords } from '../../kernel/file-ref.ts';
import { filesWithin, type Message } from '../../kernel/message.ts';
import type { ProviderRequest } from '../provider.ts';

/** The values that a placeholder can look up. */
export interface TemplateScope {
  readonly request: ProviderRequest;
  /** The message that the step's `when.last` was found in, else the last one. */
  readonly last: Message | undefined;
  /** The captures of the step's regular expression. */
  readonly match?: RegExpExecArray;
}

const PLACEHOLDER = /\\\{\{|\{\{([^{}]*)\}\}/g;

/** The placeholders, each with its meaning. The reference prints this table. */
export const PLACEHOLDERS = {
  input: "the session's first message, after any history",
  last: 'the last message, or the one that `when: { last }` or `when: { tool }` found',
  result: 'the latest result of a tool: `{{result.read_file}}`',
  match: 'what a group of the regular expression in `when` captured: `{{match.1}}`, `{{match.name}}`',
  turn: 'the turn of the session',
  agent: 'the agent that asks',
  history: 'the conversation before this run, one message a line',
  files: 'the files that the model is shown, one a line',
} as const;
type Root = keyof typeof PLACEHOLDERS;
const ROOTS = Object.keys(PLACEHOLDERS);

export const hasPlaceholders = (value: unknown): boolean => anyString(value, (text) => text.includes('{{'));

/** The mistake in the placeholders of a text, or undefined. */
export function templateProblem(text: string, hasRegex: boolean): string | undefined {
  for (const [whole, inner] of text.matchAll(PLACEHOLDER)) {
    if (inner === undefined) continue;
    const [root = '', ...path] = inner.trim().split('.');
    if (!isRoot(root)) {
      return `${whole} is not a placeholder.${didYouMean(root, ROOTS)} Known: ${ROOTS.map((name) => `{{${name}}}`).join(', ')}. Write \\{{ for a literal {{.`;
    }
    if (root === 'result' && path[0] === undefined) return `${whole} needs the name of a tool: {{result.read_file}}.`;
    if (root === 'match' && !hasRegex) {
      return `${whole} needs a regular expression in this step's "when": when: { last: "/order (\\d+)/" }.`;
    }
  }
  return undefined;
}

/** A placeholder as it was written, and what it asks for. */
interface Placeholder {
  readonly whole: string;
  readonly root: Root;
  readonly path: readonly string[];
}

export function render(text: string, scope: TemplateScope): string {
  let rendered = '';
  for (const piece of piecesOf(text)) {
    const value = typeof piece === 'string' ? piece : lookUp(piece, scope);
    rendered += typeof value === 'string' ? value : JSON.stringify(value);
  }
  return rendered;
}

const MOST_KEPT = 1000;
const kept = new Map<string, readonly (string | Placeholder)[]>();

/** A text is split once, because a script says the same texts many times. */
function piecesOf(text: string): readonly (string | Placeholder)[] {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const pieces: (string | Placeholder)[] = [];
  let end = 0;
  for (const found of text.matchAll(PLACEHOLDER)) {
    const [whole, inner] = found;
    pieces.push(text.slice(end, found.index), inner === undefined ? '{{' : placeholder(inner, whole));
    end = found.index + whole.length;
  }
  pieces.push(text.slice(end));
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(text, pieces);
  return pieces;
}

function placeholder(inner: string, whole: string): Placeholder {
  const [root = '', ...path] = inner.trim().split('.');
  return { whole, root: root as Root, path };
}

/** Renders every string inside. A string that is one placeholder with a JSON path becomes the value itself. */
export function renderValue(value: unknown, scope: TemplateScope): unknown {
  if (typeof value === 'string') {
    const alone = /^\{\{([^{}]*)\}\}$/.exec(value);
    return alone?.[1] === undefined ? render(value, scope) : lookUp(placeholder(alone[1], value), scope);
  }
  if (Array.isArray(value)) return value.map((item) => renderValue(item, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderValue(item, scope)]));
}

export function textOf(message: Message): string {
  return message.role === 'tool' ? message.result.text : message.text;
}

function lookUp({ root, path, whole }: Placeholder, scope: TemplateScope): unknown {
  const { request } = scope;
  switch (root) {
    case 'agent':
      return request.agent;
    case 'turn':
      return request.turn;
    case 'history':
      return historyText(request);
    case 'files':
      return shownText(request);
    case 'input':
      return dig(firstText(request), path, whole);
    case 'last':
      return dig(scope.last && textOf(scope.last), path, whole);
    case 'result':
      return dig(resultOf(request, path[0] ?? ''), path.slice(1), whole);
    case 'match': {
      const [group = '0'] = path;
      const captured = /^\d+$/.test(group) ? scope.match?.[Number(group)] : scope.match?.groups?.[group];
      return captured ?? missing(whole, `the expression captured no group ${group}`);
    }
  }
}

/** The text itself, or the value at a path in it when it is read as JSON. */
function dig(text: string | undefined, path: readonly string[], whole: string): unknown {
  if (text === undefined) return missing(whole, 'there is no such message or result');
  if (path.length === 0) return text;
  let value = parse(text, whole);
  for (const key of path) {
    const inside = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    if (!inside) return missing(whole, `the JSON it looks into has no "${key}"`);
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function parse(text: string, whole: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return missing(whole, `what it looks into is not JSON: ${text.length > 80 ? `${text.slice(0, 80)}…` : text}`);
  }
}

const missing = (whole: string, why: string): never =>
  fail('model/unscripted', `the placeholder ${whole} of the script has no value: ${why}.`);

const isRoot = (name: string): name is Root => (ROOTS as readonly string[]).includes(name);

/** The session's own first message, without what was said before its run. */
export function firstText({ messages, history = 0 }: ProviderRequest): string | undefined {
  const first = messages[history];
  return first === undefined ? undefined : textOf(first);
}

/** The conversation before the run, one line per message. */
const historyText = ({ messages, history = 0 }: ProviderRequest): string =>
  messages
    .slice(0, history)
    .map((message) => `${message.role}: ${textOf(message)}`)
    .join('\n');

/** The files that the model is shown, one line each. */
const shownText = ({ messages }: ProviderRequest): string =>
  messages
    .flatMap((message) => filesWithin(message))
    .map(fileWords)
    .join('\n');

function resultOf(request: ProviderRequest, tool: string): string | undefined {
  for (let index = request.messages.length - 1; index >= 0; index--) {
    const message = request.messages[index];
    if (message?.role === 'tool' && message.name === tool) return message.result.text;
  }
  return undefined;
}

function anyString(value: unknown, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') return test(value);
  if (Array.isArray(value)) return value.some((item) => anyString(item, test));
  return typeof value === 'object' && value !== null && Object.values(value).some((item) => anyString(item, test));
}
