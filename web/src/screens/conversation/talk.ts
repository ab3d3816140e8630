// The shown part of a conversation: sessions as they nest, and its entries with calls and results joined. Pure.

import { escapeUnseen } from '../../../../src/base/text/escape-unseen.ts';
import type { FileRef } from '../../../../src/kernel/file-ref.ts';
import type { ToolCall, ToolResult } from '../../../../src/kernel/message.ts';
import { triggerPlace } from '../../../../src/views/step-words.ts';
import type { Conversation, TranscriptEntry } from '../../../../src/views/talk/transcript.ts';
import type { OpNode } from '../../../../src/views/tree/op-tree.ts';
import { kindOf, partsOf as opParts } from '../run/timeline/rows.ts';

export interface SessionRow {
  readonly session: string;
  readonly agent: string;
  readonly depth: number;
  /** `item 3 of 20` of a map, `round 2 of 4` of a loop. */
  readonly place?: string | undefined;
  /** Undefined: nothing has been said in it. */
  readonly talk: Conversation | undefined;
}

/** The sessions of a run, each below the one that it was opened in, as the timeline has them. The run's own is the first. */
export function nestedSessions(tree: OpNode, talks: readonly Conversation[]): readonly SessionRow[] {
  const rows: SessionRow[] = [];
  const byName = new Map(talks.map((talk) => [talk.session, talk]));
  const visit = (node: OpNode, depth: number): void => {
    const isSession = kindOf(node) === 'agent' || depth === 0;
    if (isSession)
      rows.push({
        session: node.path,
        agent: node.agent ?? '',
        depth,
        place: triggerPlace(node),
        talk: byName.get(node.path),
      });
    for (const part of opParts(node)) visit(part, depth + (isSession ? 1 : 0));
  };
  visit(tree, 0);
  return rows;
}

export interface CallWithResult {
  readonly call: ToolCall;
  readonly result?: ToolResult;
  readonly op?: string;
  readonly folded?: true;
}

export type Shown =
  | {
      readonly kind: 'told';
      readonly key: string;
      readonly entry: TranscriptEntry;
      readonly text: string;
      readonly files?: readonly FileRef[];
    }
  | {
      readonly kind: 'reply';
      readonly key: string;
      readonly entry: TranscriptEntry;
      readonly text: string;
      readonly reasoning?: string;
      readonly calls: readonly CallWithResult[];
    };

/** Results stand with their calls. One whose call is not here stands as something that was told. */
export function shownEntries({ entries }: Pick<Conversation, 'entries'>): readonly Shown[] {
  const results = new Map<string, TranscriptEntry[]>();
  for (const entry of entries)
    if (entry.message.role === 'tool')
      results.set(entry.message.call, [...(results.get(entry.message.call) ?? []), entry]);
  return entries.flatMap((entry, index): readonly Shown[] => {
    const { message } = entry;
    const key = `${index} ${entry.op}`;
    if (message.role === 'user')
      return [{ kind: 'told', key, entry, text: message.text, ...(message.files && { files: message.files }) }];
    if (message.role === 'tool') return [];
    return [
      {
        kind: 'reply',
        key,
        entry,
        text: message.text,
        ...(message.reasoning !== undefined && { reasoning: message.reasoning }),
        calls: message.calls.map((call) => joinedCall(call, results)),
      },
    ];
  });
}

/** The runs of what was said before this one, by entry: the messages of a thread stand in their order. */
export function earlierRuns(
  shown: readonly Shown[],
  messages: readonly { readonly run: string; readonly input: { readonly text: string } }[],
): ReadonlyMap<string, string> {
  const runs = new Map<string, string>();
  let place = -1;
  for (const { kind, key, entry, text } of shown) {
    if (entry.history !== true) continue;
    if (kind === 'told') place = messages.findIndex(({ input }, index) => index > place && input.text === text);
    const run = messages[place]?.run;
    if (run !== undefined) runs.set(key, run);
  }
  return runs;
}

function joinedCall(call: ToolCall, results: Map<string, TranscriptEntry[]>): CallWithResult {
  const found = results.get(call.id)?.shift();
  if (found?.message.role !== 'tool') return { call };
  return { call, result: found.message.result, op: found.op, ...(found.folded === true && { folded: true as const }) };
}

/** The main argument of a call, on one line: what a person wants to see first. */
export function mainArgument({ arguments: given }: ToolCall): string {
  if (typeof given !== 'object' || given === null) return given === null ? '' : JSON.stringify(given);
  const [first] = Object.values(given);
  const text = typeof first === 'string' ? first : JSON.stringify(given);
  return escapeUnseen(text.replaceAll(/\s+/g, ' ').slice(0, 120));
}

export interface Part {
  readonly heading?: string;
  /** An advisor that wrote this part. */
  readonly from?: string;
  readonly text: string;
}

const HEADING =
  /^## (ORIGINAL USER REQUEST|MESSAGE FROM AGENT .*|ANALYSIS GATHERED|CLARIFICATION REQUEST FROM .*|FEEDBACK, ROUND \d+ OF \d+|YOUR LAST ANSWER|WORK SO FAR|ANSWER FROM AGENT .*)$/;
const FROM = /^### From (\S.*)$/;

/** A request of a router or advisors, in its sections. Only the headings of the contract count; quoted ones are escaped. */
export function partsOf(text: string): readonly Part[] {
  const parts: { heading?: string; from?: string; lines: string[] }[] = [{ lines: [] }];
  let isGathered = false;
  for (const line of text.split('\n')) {
    const heading = HEADING.exec(line)?.[1];
    const from = isGathered ? FROM.exec(line)?.[1] : undefined;
    if (heading !== undefined) {
      isGathered = heading === 'ANALYSIS GATHERED';
      parts.push({ heading, lines: [] });
    } else if (from !== undefined) parts.push({ from, lines: [] });
    else parts.at(-1)?.lines.push(line);
  }
  return parts
    .map(({ lines, ...head }) => ({ ...head, text: lines.join('\n').trim() }))
    .filter(({ heading, from, text: own }) => heading !== undefined || from !== undefined || own !== '');
}

/** Calls that end a session: what became of one, in words. Undefined for all other calls. */
export function exitWords({ call, result }: CallWithResult): string | undefined {
  if (call.name !== 'final_report' && call.name !== 'handoff-to') return undefined;
  if (result?.status === 'error') return 'not taken, sent back';
  if (result !== undefined) return undefined;
  return call.name === 'final_report' ? 'taken: its answer' : 'taken: handed on';
}

/** True if the line of a call says all of its arguments. */
export const isSaidByLine = (call: ToolCall): boolean =>
  typeof call.arguments === 'object' &&
  call.arguments !== null &&
  Object.keys(call.arguments).length <= 1 &&
  mainArgument(call).length < 120;
