// Holds a report to `maxOutputBytes`, which counts the text of its summary and artifacts, and says what was cut.
// C1. The summary has at least half of the room, and all that the artifacts do not need; these take the rest in order.
// C2. A note and a diff are cut to their beginning. A path or JSON that is cut would be wrong, so it is emptied.
// C3. Capping what was capped already changes nothing.

import { byteLength, cutToBytes } from '../../base/text/bytes.ts';
import type { ArtifactKind } from '../../kernel/subagent.ts';

export interface Artifact {
  readonly kind: ArtifactKind;
  readonly value: string;
}

export interface Report {
  readonly summary: string;
  readonly artifacts: readonly Artifact[];
}

export interface Cut {
  /** `summary`, `artifacts[2].value` or `error`. */
  readonly field: string;
  readonly original_bytes: number;
  readonly kept_bytes: number;
}

interface Capped {
  readonly report: Report;
  readonly truncated: readonly Cut[];
}

/** `earlier` is what was cut of the same report before it came here. */
export function capReport(report: Report, maxBytes: number, earlier: readonly Cut[] = []): Capped {
  const truncated: Cut[] = [];
  const before = new Map(earlier.map((cut) => [cut.field, cut.original_bytes]));
  const fit = (field: string, value: string, room: number, divisible: boolean): string => {
    const bytes = byteLength(value);
    const kept = bytes <= room ? value : divisible ? cutToBytes(value, room) : ''; // C2
    const keptBytes = kept === value ? bytes : byteLength(kept);
    const original = Math.max(bytes, before.get(field) ?? 0);
    if (keptBytes < original) truncated.push({ field, original_bytes: original, kept_bytes: keptBytes });
    return kept;
  };
  const needed = report.artifacts.reduce((sum, { value }) => sum + byteLength(value), 0);
  const summary = fit('summary', report.summary, Math.max(Math.floor(maxBytes / 2), maxBytes - needed), true); // C1
  let room = maxBytes - byteLength(summary);
  const artifacts = report.artifacts.map(({ kind, value }, index) => {
    const kept = fit(`artifacts[${index}].value`, value, room, kind === 'note' || kind === 'diff');
    room -= byteLength(kept);
    return { kind, value: kept };
  });
  return { report: { summary, artifacts }, truncated };
}

const MAX_MESSAGE_BYTES = 8192;

/** `prefix` always stays, and counts as part of the field. */
export function capError(
  prefix: string,
  message: string,
  earlier: readonly Cut[] = [],
): { readonly text: string; readonly cut: readonly Cut[] } {
  const text = `${prefix}${cutToBytes(message, MAX_MESSAGE_BYTES)}`;
  const before = earlier.find(({ field }) => field === 'error')?.original_bytes ?? 0;
  const original_bytes = Math.max(byteLength(prefix) + byteLength(message), before);
  const kept_bytes = byteLength(text);
  return { text, cut: kept_bytes < original_bytes ? [{ field: 'error', original_bytes, kept_bytes }] : [] };
}
