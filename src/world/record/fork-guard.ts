// Guards the events that a fork took over from another run. They were recorded with other models or other texts, so an
// op among them may be asked for in other words, but it has to be the same op.
// FORK-1. The op at a path that was taken over is of the same kind, agent, session and tool as it was then.
// FORK-2. No new op begins where the record has gone on already: finished work is not begun again, and costs nothing.
// FORK-3. Nothing new is done before every op that came before it in the record has been asked for.

import type { OpDetail, OpStart } from '../../journal/event.ts';
import type { Journal, OpRecord } from '../../journal/journal.ts';
import { isQuestionBelow } from '../../journal/question-below.ts';
import type { EffectKind } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import type { OpPath } from '../../kernel/path.ts';

/** True if an op that is asked for in other words than recorded may pass anyway (FORK-1). */
export function isAccepted(start: OpStart, now: OpDetail, journal: Journal): boolean {
  if (start.seq >= (journal.start?.forkedFrom?.events ?? 0)) return false;
  const [was, is] = [keyOf(start.op), keyOf(now)];
  if (was !== is) partsAt(start.path, `was ${was}, and is ${is} now`);
  return true;
}

/** Undefined for a run that was not forked. */
export function openForkGuard(journal: Journal): ((kind: EffectKind | 'parallel', path: OpPath) => void) | undefined {
  if (journal.start?.forkedFrom === undefined) return undefined;
  const { records } = journal;
  const unasked = new Set([...records.keys()].filter((path) => !isQuestionBelow(path, records)));
  return (kind, path) => {
    if (records.has(path)) return void unasked.delete(path);
    if (kind === 'take') return; // one that brought nothing leaves no trace
    const line = lineOf(path, journal);
    if (line.isPast) partsAt(path, `is a ${kind} now, and was passed over`); // FORK-2
    for (const earlier of unasked) {
      if (isBefore(earlier, line, journal)) partsAt(earlier, 'is left out now'); // FORK-3
    }
  };
}

function keyOf(op: OpDetail): string {
  switch (op.kind) {
    case 'model':
      return `a ${op.compact === undefined ? 'model call' : 'compaction'} of ${op.agent} in session ${op.session}`;
    case 'tool':
      return `a call of ${op.call.name} by ${op.agent}`;
    case 'run':
      return `a run of ${op.agent}`;
    case 'say':
      return `a message to session ${op.session}`;
    default:
      return op.kind;
  }
}

/** The steps from the run down to an op. */
function lineOf(path: OpPath, { records, isPassed }: Journal) {
  const steps = path.split('.');
  const forks = [false];
  let isPast = false;
  let at = steps[0] ?? '';
  for (const step of steps.slice(1)) {
    const isBranch = forks.at(-1) === true;
    at = `${at}.${step}`;
    const record = records.get(at);
    if (isSpawn(record)) isPast = false;
    else isPast ||= !isBranch && (record?.end !== undefined || isPassed(at));
    forks.push(!isBranch && record?.start === undefined);
  }
  return { steps, parallels: forks, isPast };
}

/** A spawned run goes on beside the session that spawned it, however far that session has gone. */
const isSpawn = (record: OpRecord | undefined): boolean => record?.instant?.kind === 'spawn';

/** At the step where the two paths differ, one routine asks for both, and for this one first. */
function isBefore(
  earlier: OpPath,
  {
    steps,
    parallels: forks,
  }: {
    readonly steps: readonly string[];
    /** True for each step whose children run at the same time: a fork, or spawned runs. */
    readonly parallels: readonly boolean[];
    /** An op above it has ended, or a routine above it has gone further. */
    readonly isPast: boolean;
  },
  { records }: Journal,
): boolean {
  const other = earlier.split('.');
  const parts = steps.findIndex((step, index) => step !== other[index]);
  if (parts < 1 || forks[parts - 1] === true || Number(other[parts]) >= Number(steps[parts])) return false;
  for (let length = parts + 1; length < other.length; length++) {
    if (isSpawn(records.get(other.slice(0, length).join('.')))) return false;
  }
  return true;
}

const partsAt = (path: OpPath, how: string): never =>
  fail(
    'journal/divergence',
    `Op ${path} ${how}: on the answers that were taken over, these texts lead elsewhere. Fork at ${path} or before it.`,
    { path },
  );
