// The first difference between two JSON values, in words: the path of the place, and both sides with some context.

import { printable } from './width.ts';

interface PartingPlace {
  /** `$.added[0].text` */
  readonly path: string;
  readonly recorded: unknown;
  readonly now: unknown;
}

/** The first place in the order of keys; undefined if the two are equal. */
export function firstDifference(recorded: unknown, now: unknown, path = '$'): PartingPlace | undefined {
  if (Object.is(recorded, now)) return undefined;
  if (!isBranch(recorded) || !isBranch(now) || Array.isArray(recorded) !== Array.isArray(now)) {
    return { path, recorded, now };
  }
  const keys = [...new Set([...Object.keys(recorded), ...Object.keys(now)])];
  for (const key of keys) {
    const step = Array.isArray(recorded) ? `[${key}]` : `.${key}`;
    const found = firstDifference(get(recorded, key), get(now, key), `${path}${step}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

type JsonBranch = Readonly<Record<string, unknown>> | readonly unknown[];

const isBranch = (value: unknown): value is JsonBranch => typeof value === 'object' && value !== null;

const get = (from: JsonBranch, key: string): unknown =>
  Object.hasOwn(from, key) ? (from as Readonly<Record<string, unknown>>)[key] : undefined;

/** Two lines, one for each side, each shortened around the first difference. */
export function differenceLines(
  { path, recorded, now }: PartingPlace,
  width: number,
  names: readonly [string, string] = ['recorded', 'now'],
): readonly string[] {
  const [one, other] = [names[0].padEnd(8), names[1].padEnd(8)];
  const room = Math.max(30, width - 12);
  if (typeof recorded !== 'string' || typeof now !== 'string') {
    return [`at        ${path}`, `${one}  ${shortened(recorded, room)}`, `${other}  ${shortened(now, room)}`];
  }
  const at = firstDifferentCharacter(recorded, now);
  const line = recorded.slice(0, at).split('\n').length;
  const where = recorded.includes('\n') || now.includes('\n') ? `${path}, line ${line}` : path;
  const [before, after, caret] = aligned(recorded, now, at, room);
  return [`at        ${where}`, `${one}  ${before}`, `${other}  ${after}`, `          ${caret}`];
}

function firstDifferentCharacter(left: string, right: string): number {
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at++;
  return at;
}

/** Both texts from a little before the difference on, and a caret under it. */
function aligned(recorded: string, now: string, at: number, room: number): readonly [string, string, string] {
  const lead = Math.min(at, Math.floor(room / 3));
  const from = at - lead;
  const cut = (text: string): string => {
    const end = from + room - 2;
    return `${from > 0 ? '…' : ''}${visible(text.slice(from, end))}${text.length > end ? '…' : ''}`;
  };
  const caret = `${' '.repeat(visible(recorded.slice(from, at)).length + (from > 0 ? 1 : 0))}^`;
  return [cut(recorded), cut(now), caret];
}

const visible = (text: string): string => printable(text.replaceAll('\t', ' ')).replaceAll('\n', '⏎');

function shortened(value: unknown, room: number): string {
  if (value === undefined) return '(nothing)';
  const text = visible(JSON.stringify(value));
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}
