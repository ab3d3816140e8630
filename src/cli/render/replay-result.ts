// The result of a replay as it is printed: identical, or the first difference.

import type { Difference, Replay } from '../../engine/history/replay.ts';
import { startOf } from '../../engine/pinned.ts';
import type { ModelDetail, RunEvent, RunStart } from '../../journal/event.ts';
import { KERNEL_REVISION } from '../../kernel/revision.ts';
import * as amounts from '../../views/amounts.ts';
import { columnsOf, paintFor } from '../screen/terminal.ts';
import { differenceLines, firstDifference } from './difference.ts';

export function replayText({
  result,
  events,
  changed = [],
  upTo = 'it was broken off',
}: {
  readonly result: Replay;
  readonly events: readonly RunEvent[];
  /** Files that have changed since the run. */
  readonly changed?: readonly string[];
  /** The moment up to which a run without an end is known. */
  readonly upTo?: 'it was broken off' | 'it was exported';
}): string {
  const paint = paintFor(process.stdout);
  if (result.kind === 'identical') {
    const known = result.ended ? '' : `, up to where ${upTo}`;
    return `${paint('good', 'identical')}: ${amounts.plural(result.events, 'event')}${known}`;
  }
  const lines = [...differentLines(result.difference, events, changed), ...kernelLines(startOf(events))];
  return `${paint('error', 'different')}: ${lines.join('\n  ')}`;
}

function differentLines(
  difference: Difference,
  events: readonly RunEvent[],
  changed: readonly string[],
): readonly string[] {
  const { path, message, recorded, now } = difference;
  const lines = [message];
  const what = path === undefined ? undefined : aboutOp(path, events);
  if (what !== undefined) lines.push(`op        ${path}: ${what}`);
  if (changed.length > 0) lines.push(`changed   ${changed.join(', ')} since the run`);
  const place = firstDifference(recorded, now);
  if (place !== undefined) lines.push(...differenceLines(place, columnsOf(process.stdout) ?? 100));
  else if (recorded !== undefined) {
    lines.push(...hashedLines(recorded as Partial<ModelDetail>, changed.length > 0));
  }
  return lines;
}

/** A later revision may act differently on the same record, without any edit of the files. */
const kernelLines = ({ kernel }: RunStart): readonly string[] =>
  kernel <= KERNEL_REVISION
    ? []
    : [`kernel    the run was written by kernel revision ${kernel}, and this release has revision ${KERNEL_REVISION}`];

/** The events are equal but their fingerprints differ: the difference is in what only the fingerprint covers. */
function hashedLines({ added = [] }: Partial<ModelDetail>, edited: boolean): readonly string[] {
  const results = added.flatMap((message) => ('op' in message ? [message.op] : []));
  const settings = 'at        what the journal keeps as a hash: settings, schemas of tools, or the output contract';
  if (edited || results.length === 0) return [settings];
  return [
    `at        what it was told: the recorded result of op ${results.join(' or op ')} was changed after it was written`,
    '          (or settings, schemas of tools, the output contract)',
  ];
}

function aboutOp(path: string, events: readonly RunEvent[]): string | undefined {
  for (const event of events) {
    if (!('path' in event) || event.path !== path) continue;
    if (event.type === 'op') return event.kind;
    if (event.type !== 'op-start') continue;
    const { op } = event;
    if (op.kind === 'model' && op.compact !== undefined) return `compaction of ${op.agent}, after turn ${op.turn}`;
    if (op.kind === 'model') return `model call of ${op.agent}, turn ${op.turn}`;
    if (op.kind === 'tool') return `tool call ${op.call.name} of ${op.agent}`;
    if (op.kind === 'run') return `run of ${op.agent} (${op.trigger.kind})`;
    return op.kind;
  }
  return undefined;
}
