// Events that a fork took over from another run. They were recorded with other models or other texts, so an op among
// them need not be asked for in the same words: it has to be the same op.
// K1. The op at a path that was taken over is of the same kind, agent, session and tool as it was then.
// K2. No op comes in where the record is past it: what was finished then is not begun again, and nothing is paid for.

import type { OpDetail, RunEvent } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import { fail } from '../kernel/fault.ts';
import type { OpPath } from '../kernel/path.ts';

export const isTakenOver = (event: RunEvent, { start }: Journal): boolean =>
  event.seq < (start?.forkedFrom?.events ?? 0);

/** K1. */
export function sameOpOrFail(path: OpPath, recorded: OpDetail, now: OpDetail): void {
  if (keyOf(recorded) !== keyOf(now)) partsAt(path, recorded, now);
}

/** K2, for an op that the record does not hold. */
export function notPastOrFail(path: OpPath, now: OpDetail, journal: Journal): void {
  if (journal.start?.forkedFrom !== undefined && isPast(path, journal)) partsAt(path, undefined, now);
}

function keyOf(op: OpDetail): string {
  switch (op.kind) {
    case 'model':
      return `model ${op.session} ${op.agent}`;
    case 'tool':
      return `tool ${op.agent} ${op.call.name}`;
    case 'run':
      return `run ${op.agent}`;
    case 'say':
      return `say ${op.session}`;
    default:
      return op.kind;
  }
}

/** From the run down: an ended op above it, or a later request of a routine above it, means that it was passed. */
function isPast(path: OpPath, journal: Journal): boolean {
  const [root = '', ...steps] = path.split('.');
  let at = root;
  let isFork = false;
  for (const step of steps) {
    at = `${at}.${step}`;
    if (isFork) {
      isFork = false; // a branch: its siblings are not its successors
      continue;
    }
    const record = journal.recall(at);
    if (record?.end !== undefined || journal.isPassed(at)) return true;
    isFork = record?.start === undefined;
  }
  return false;
}

function partsAt(path: OpPath, recorded: OpDetail | undefined, now: OpDetail): never {
  const was =
    recorded === undefined
      ? 'and was passed over in the run that this one was forked from'
      : `and was ${keyOf(recorded)} in the run that this one was forked from`;
  fail(
    'journal/divergence',
    `Op ${path} is ${keyOf(now)} now, ${was}: with these texts the run does not get that far on the answers of then. Fork at ${path} or before it.`,
    { path, ...(recorded && { recorded }), now },
  );
}
