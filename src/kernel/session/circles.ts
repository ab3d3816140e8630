// The guard against going in circles. It counts the calls that brought the same result with the same arguments. From
// the warning on the model gets a note in place of the result, and then its session ends.
// CIRCLE-1. It counts recorded results and what arrived, and nothing else: a resume and a replay count alike.
// CIRCLE-2. A call of another tool that may have changed something begins the count anew, and so does every message.
// CIRCLE-3. Calls of one reply count once. One that was not made does not count, nor one that a crash broke off: nobody
//           knows its result.

import { type Fault, type FaultCode, fault } from '../fault.ts';
import type { ToolCall, ToolResult } from '../message.ts';
import { ownerOf } from '../subagent.ts';
import { sameCallAgain } from './notices.ts';
import { withoutDurations } from './told-durations.ts';

/** The key `stuck` of an agent. */
export interface CircleLimits {
  /** The count from which on the model is told. */
  readonly warn: number;
  /** The count that ends the session. */
  readonly stop: number;
  /** The tools that are left out, as written. */
  readonly except: readonly string[];
}

/** The limits that hold where a file does not say them. */
export const USUAL_CIRCLES = { warn: 3, stop: 5 };

/** The calls of a session that were made so far, by tool, then by arguments. */
export type Circles = Map<string, Map<string, Repeated[]>>;

/** Calls with the same arguments and the same result. */
interface Repeated {
  readonly result: ToolResult;
  /** The turn of the first one. */
  readonly since: number;
  /** The turn of the latest one (CIRCLE-3). */
  turn: number;
  times: number;
}

/** The traits of a tool that matter here. */
export interface CircleTraits {
  /** A call of it changes nothing. */
  readonly readOnly?: true;
  /** Its calls are not counted. */
  readonly uncounted?: true;
  /** A result without what is another one at each call, such as the id of a new child. */
  withoutMarks?(text: string): string;
}

export interface MadeCall {
  readonly call: ToolCall;
  readonly result: ToolResult;
  /** Absent if there is no such tool. An exit is not counted. */
  readonly tool: (CircleTraits & { readonly exits?: unknown }) | undefined;
}

interface Counted {
  /** The results that the model gets in place of others. */
  readonly notes: ReadonlyMap<ToolCall, ToolResult>;
  /** The end of the session, if it has come to that. */
  readonly end?: Fault;
}

const NO_NOTES: Counted['notes'] = new Map();
const NOTHING_AGAIN: Counted = { notes: NO_NOTES };

/** Counts the calls of a reply. */
export function countCalls(
  circles: Circles,
  made: readonly MadeCall[],
  turn: number,
  { agent, stuck }: { readonly agent: string; readonly stuck: CircleLimits },
): Counted {
  for (const one of made) if (mayHaveChanged(one)) forgetOthers(circles, one.call.name); // CIRCLE-2
  let notes: Map<ToolCall, ToolResult> | undefined;
  let end: Fault | undefined;
  for (const one of made) {
    if (isLeftOut(one, stuck)) continue;
    const { call, result } = one;
    const { since, times } = countOne(circles, one, turn);
    if (times >= stuck.warn)
      (notes ??= new Map()).set(call, { ...result, text: sameCallAgain(since, times, result.handle) });
    if (times >= stuck.stop) end ??= noProgress(agent, call.name, { since, times, turn });
  }
  if (end !== undefined) return { notes: notes ?? NO_NOTES, end };
  return notes === undefined ? NOTHING_AGAIN : { notes };
}

const mayHaveChanged = ({ result, tool }: MadeCall): boolean => result.status === 'ok' && tool?.readOnly !== true;

function forgetOthers(circles: Circles, name: string): void {
  for (const other of circles.keys()) if (other !== name) circles.delete(other);
}

const isLeftOut = ({ call, result, tool }: MadeCall, { except }: CircleLimits): boolean =>
  tool?.exits !== undefined || tool?.uncounted === true || except.includes(call.name) || isInDoubt(result);

const IN_DOUBT: FaultCode = 'tool/in-doubt';

const isInDoubt = ({ status, text }: ToolResult): boolean => status === 'error' && text.startsWith(`${IN_DOUBT}: `);

function countOne(circles: Circles, { call, result, tool }: MadeCall, turn: number): Repeated {
  let ofTool = circles.get(call.name);
  if (ofTool === undefined) circles.set(call.name, (ofTool = new Map()));
  const key = call.malformed ?? canonicalJson(call.arguments);
  let before = ofTool.get(key);
  if (before === undefined) ofTool.set(key, (before = []));
  for (const known of before) {
    if (!isSame(known.result, result, tool)) continue;
    if (known.turn !== turn) {
      known.turn = turn;
      known.times += 1;
    }
    return known;
  }
  const first = { result, since: turn, turn, times: 1 };
  before.push(first);
  return first;
}

const isSame = (left: ToolResult, right: ToolResult, tool: CircleTraits | undefined): boolean =>
  left.status === right.status && (left.text === right.text || compared(left, tool) === compared(right, tool));

/** The part of a result that says whether it is the same again. */
function compared({ text, handle }: ToolResult, tool: CircleTraits | undefined): string {
  const own = tool?.withoutMarks?.(text) ?? text;
  return withoutDurations(handle === undefined ? own : own.replaceAll(handle, ''));
}

/** JSON with the keys of objects in order. */
const canonicalJson = (value: unknown): string => JSON.stringify(inOrder(value ?? null));

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  if (isFlatAndInOrder(value)) return value;
  const sorted = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, part]) => [key, inOrder(part)]));
}

/** Most arguments are, and need no copy. */
function isFlatAndInOrder(value: object): boolean {
  let before = '';
  for (const key in value) {
    if (key < before || typeof (value as Record<string, unknown>)[key] === 'object') return false;
    before = key;
  }
  return true;
}

function noProgress(agent: string, name: string, { since, times, turn }: Omit<Repeated, 'result'>): Fault {
  const owner = ownerOf(agent);
  const message =
    `${agent} called ${name} ${times} times with the same arguments and the same result (turns ${since} to ${turn}), ` +
    `and was ended. If that is meant, name the tool under stuck: {except: […]} in the file of ${owner}, as \`cadre tools ${owner}\` lists it.`;
  return fault('turns/no-progress', message, { agent, tool: name, times });
}
