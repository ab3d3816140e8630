// The ops that several patterns ask for, with their answers as a pattern goes on with them.

import { type EffectOf, perform, type Routine, type SettledResult } from '../kernel/effect.ts';
import { type AnsweredOutcome, brokenOutcome, isBroken, type Outcome } from '../kernel/outcome.ts';
import type { SessionInput } from '../kernel/session/session-spec.ts';

/** Turns a run that could not be driven into an outcome like any other. */
export const outcomeOf = (settled: SettledResult<Outcome>): Outcome =>
  settled.ok ? settled.value : brokenOutcome(settled.fault);

/** A run of another agent. */
export function* runAgent(run: Omit<EffectOf<'run'>, 'kind'>): Routine<Outcome> {
  return outcomeOf(yield* perform<'run'>({ kind: 'run', ...run }));
}

/** A further message to a session that was kept open. */
export function* sayTo(message: Omit<EffectOf<'say'>, 'kind'>): Routine<Outcome> {
  return outcomeOf(yield* perform<'say'>({ kind: 'say', ...message }));
}

/** The clock of the run. */
export function* now(): Routine<number> {
  const settled = yield* perform<'clock'>({ kind: 'clock' });
  return settled.ok ? settled.value : 0;
}

/** True if the session was asked for its final answer. */
export function* stopWasAsked({ self }: Pick<SessionInput, 'self'>): Routine<boolean> {
  const taken = yield* perform<'take'>({ kind: 'take', inbox: { session: self, only: 'stop' } });
  return taken.ok && taken.value.stop !== undefined;
}

/** Nobody asks the session again whose answer went on. */
export function* closeSession({ session }: Pick<AnsweredOutcome, 'session'>): Routine<void> {
  if (session !== undefined) yield* perform<'close'>({ kind: 'close', session });
}

/** The answer, or why there is none and the partial output. */
export function resultText(outcome: Outcome): string {
  if (!isBroken(outcome)) return 'text' in outcome ? outcome.text : '';
  return withPartial(outcome.fault.message, outcome.partial);
}

export const withPartial = (why: string, partial: string | undefined): string =>
  partial === undefined ? why : `${why}\n\nPartial output:\n\n${partial}`;
