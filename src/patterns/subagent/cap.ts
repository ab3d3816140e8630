// Holds a report to `maxOutputBytes`, which counts the text of its summary and artifacts, and says what was cut.
// CAP-1. The summary has at least half of the room, and all that the artifacts do not need; these take the rest in
//        order.
// CAP-2. A note and a diff are cut to their beginning. A path or JSON that is cut would be wrong, so it is emptied.

import { byteLength, cutToBytes } from '../../base/text/bytes.ts';
import type { Artifact, Cut } from '../../kernel/subagent.ts';

export interface Report {
  readonly summary: string;
  readonly artifacts: readonly Artifact[];
}

export function capReport(report: Report, maxBytes: number) {
  const truncated: Cut[] = [];
  const fit = (field: string, value: string, room: number, divisible: boolean): string => {
    const bytes = byteLength(value);
    const kept = bytes <= room ? value : divisible ? cutToBytes(value, room) : ''; // CAP-2
    if (kept !== value) truncated.push({ field, original_bytes: bytes, kept_bytes: byteLength(kept) });
    return kept;
  };
  const needed = report.artifacts.reduce((sum, { value }) => sum + byteLength(value), 0);
  const summary = fit('summary', report.summary, Math.max(Math.floor(maxBytes / 2), maxBytes - needed), true); // CAP-1
  let room = maxBytes - byteLength(summary);
  const artifacts = report.artifacts.map(({ kind, value }, index) => {
    const kept = fit(`artifacts[${index}].value`, value, room, kind === 'note' || kind === 'diff');
    room -= byteLength(kept);
    return { kind, value: kept };
  });
  return { report: { summary, artifacts }, truncated } as const;
}

const MAX_MESSAGE_BYTES = 8192;

/** `prefix` always stays, and counts as part of the field. */
export function capError(prefix: string, message: string): { readonly text: string; readonly cut: readonly Cut[] } {
  const text = `${prefix}${cutToBytes(message, MAX_MESSAGE_BYTES)}`;
  const original_bytes = byteLength(prefix) + byteLength(message);
  const kept_bytes = byteLength(text);
  return { text, cut: kept_bytes < original_bytes ? [{ field: 'error', original_bytes, kept_bytes }] : [] };
}
