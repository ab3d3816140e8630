// The activity of a session, for a screen: one answer, however many things are under way.

import type { OpEnd, OpStart } from '../../journal/event.ts';
import type { Fault, OutcomeKind } from '../../kernel/fault.ts';
import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import type { SpawnId } from '../../kernel/spawned.ts';
import { askedWords } from '../asking/asked-words.ts';

export type Activity =
  /** `sumsUp`: to make room in its window. */
  | { readonly kind: 'thinking'; readonly sumsUp?: true }
  | { readonly kind: 'calling'; readonly tools: readonly string[] }
  | SessionWait
  | { readonly kind: 'waiting'; readonly for: 'person'; readonly asks: string }
  /** `waits`: a participant that is done for this cycle of its team, or was when the run ended. */
  | { readonly kind: 'done'; readonly outcome: OutcomeKind; readonly waits?: 'still' | 'to-the-end' }
  | { readonly kind: 'failed'; readonly outcome: OutcomeKind | 'skipped'; readonly fault: Fault };

/**
 * `others`: agents that it asked, or runs by their labels. `queue`: a spawned run that may start as soon as fewer of
 * them work. `slot`, `provider` and `tools` are known only while the run is watched, because they are not recorded.
 */
export interface SessionWait {
  readonly kind: 'waiting';
  readonly for: 'others' | 'queue' | 'slot' | 'provider' | 'tools';
  readonly names: readonly string[];
}

export const waitingFor = (what: SessionWait['for'], names: readonly string[] = []): SessionWait => ({
  kind: 'waiting',
  for: what,
  names,
});

/** Something that is under way. Runs are named when it is shown, without those that have ended meanwhile. */
export type Busy =
  | Exclude<Activity, { kind: 'done' | 'failed' }>
  | { readonly kind: 'awaiting'; readonly runs: readonly SpawnId[] };

export function busyWith(op: OpStart['op'], child: string | undefined): Busy {
  switch (op.kind) {
    case 'model':
      return op.compact === undefined ? { kind: 'thinking' } : { kind: 'thinking', sumsUp: true };
    case 'tool':
      return { kind: 'calling', tools: [op.call.name] };
    case 'approval':
      return { kind: 'waiting', for: 'person', asks: askedWords(op) };
    case 'run':
    case 'say':
      return waitingFor('others', child === undefined ? [] : [child]);
    case 'await-runs':
    case 'cancel-runs':
      return { kind: 'awaiting', runs: op.runs };
  }
}

/**
 * The activity that a person wants to know first, if several things are under way. If none is, the session is about to
 * think.
 */
export function current(busy: readonly Exclude<Busy, { kind: 'awaiting' }>[]): Activity {
  const person = busy.find((one) => one.kind === 'waiting' && one.for === 'person');
  if (person !== undefined) return person;
  const summary = busy.find((one) => one.kind === 'thinking' && one.sumsUp === true);
  if (summary !== undefined) return summary;
  const tools = busy.flatMap((one) => (one.kind === 'calling' ? one.tools : []));
  if (tools.length > 0) return { kind: 'calling', tools };
  const waits = busy.filter((one): one is SessionWait => one.kind === 'waiting' && one.for !== 'person');
  if (waits.length === 0 || waits.length < busy.length) return { kind: 'thinking' };
  const own = waits.find((one) => one.for !== 'others');
  return (
    own ??
    waitingFor(
      'others',
      waits.flatMap(({ names }) => names),
    )
  );
}

export function endOf({ result }: OpEnd): Activity {
  if (result.ok) return activityOf(result.value as Outcome);
  return { kind: 'failed', outcome: 'failed', fault: result.fault };
}

export const activityOf = (outcome: Outcome): Activity =>
  isBroken(outcome)
    ? { kind: 'failed', outcome: outcome.kind, fault: outcome.fault }
    : { kind: 'done', outcome: outcome.kind, ...('broadcast' in outcome && { waits: 'still' as const }) };

/** A participant whose run has ended waits no more. */
export const afterTheRun = (activity: Activity): Activity =>
  activity.kind === 'done' && activity.waits === 'still' ? { ...activity, waits: 'to-the-end' } : activity;
