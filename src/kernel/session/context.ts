// Keeps a conversation within the model's window. When the next request would not fit, the oldest tool results are
// replaced by handles, the files that they show before their texts; when that is not enough, the session takes its final
// turn. Nothing is cut silently.

import type { ToolResult } from '../message.ts';
import { type Estimate, fold, type SessionConversation } from './conversation.ts';

/** Below this many characters a result is not worth a handle. */
const WORTH_FOLDING = 400;

export interface Window {
  /** Tokens that the model takes in all; unknown means no limit is applied. */
  readonly tokens?: number;
  /** Tokens kept free for the reply. */
  readonly reserve: number;
  /** Tokens that the system prompt and the tool list take. */
  readonly fixed: number;
  /** The tools whose results are replaced after those of all others. */
  readonly last?: readonly string[];
}

/** Makes room where it can, also for `coming` more tokens. Returns false if the request still does not fit. */
export const makeRoom = (talk: SessionConversation, window: Window, estimate: Estimate, coming = 0): boolean =>
  makeSomeRoom(talk, window, estimate, coming) || foldOldest(talk, window, estimate, { coming, areLast: true });

/** Leaves alone the results that are replaced last. */
export const makeSomeRoom = (talk: SessionConversation, window: Window, estimate: Estimate, coming = 0): boolean =>
  (talk.showsFiles === true && foldFiles(talk, window, estimate, coming)) ||
  foldOldest(talk, window, estimate, { coming, areLast: false });

/** Takes the files out of the oldest results. Returns true if the request fits then. */
function foldFiles(talk: SessionConversation, window: Window, estimate: Estimate, coming: number): boolean {
  const { tokens = Infinity, reserve, fixed } = window;
  const fits = () => (talk.size + fixed + coming) * talk.correction <= tokens - reserve;
  for (let index = 0; !fits() && index < talk.messages.length; index++) {
    const message = talk.messages[index];
    const shown = message?.role === 'tool' ? message.result.shown : undefined;
    if (message?.role !== 'tool' || shown?.handle === undefined) continue;
    const { shown: _, ...result } = message.result;
    fold(talk, index, { ...result, text: `${result.text}\n\n${filesMovedOut(shown.handle)}` }, estimate);
  }
  return fits();
}

const filesMovedOut = (handle: string): string =>
  '[What it showed was moved out of the conversation to make room. ' +
  `See it again with read_result({"handle": "${handle}"}).]`;

function foldOldest(
  talk: SessionConversation,
  window: Window,
  estimate: Estimate,
  { coming, areLast }: { readonly coming: number; readonly areLast: boolean },
): boolean {
  if (window.tokens === undefined) return true;
  const allowed = window.tokens - window.reserve;
  const needed = () => (talk.size + window.fixed + coming) * talk.correction;
  const { last = [] } = window;
  for (let index = 0; needed() > allowed && index < talk.messages.length; index++) {
    const message = talk.messages[index];
    if (message?.role !== 'tool' || last.includes(message.name) !== areLast) continue;
    const stand = standIn(message.result, message.name);
    if (stand !== undefined) fold(talk, index, stand, estimate);
  }
  return needed() <= allowed;
}

/** The estimated tokens that all messages of a request may have. */
export const roomFor = ({ correction }: SessionConversation, { tokens = Infinity, reserve, fixed }: Window): number =>
  (tokens - reserve) / correction - fixed;

/** Corrects the estimate by what the provider counted, so that the next one is closer. */
export function correct(talk: SessionConversation, fixed: number, counted: number): void {
  const estimated = talk.size + fixed;
  if (counted > 0 && estimated > 0) talk.correction = Math.min(4, Math.max(0.5, counted / estimated));
}

function standIn(result: ToolResult, tool: string): ToolResult | undefined {
  if (result.handle === undefined || result.text.length < WORTH_FOLDING) return undefined;
  const text =
    `[The result of ${tool}, ${result.bytes ?? result.text.length} bytes, was moved out of the conversation to make room. ` +
    `Read it back with read_result({"handle": "${result.handle}"}).]`;
  return { status: result.status, text, handle: result.handle, bytes: result.bytes ?? result.text.length };
}
