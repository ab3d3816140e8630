// The sessions at work in a run, on one line: the most telling one first, then counts. Failed and refused come first.
// Pure.

import { plural } from '../../../../src/views/amounts.ts';
import { briefDoing, rankOf, sessionName } from '../../../../src/views/progress/doing-now.ts';
import type { Progress, SessionProgress } from '../../../../src/views/progress/progress.ts';
import { groupOf, isBadGroup } from '../../../../src/views/progress/session-counts.ts';
import { type StateName, stateOf } from '../../parts/state.tsx';

export interface Working {
  readonly state: StateName;
  /** Empty for a count. */
  readonly agent: string;
  readonly words: string;
  /** The session that it is about. Absent for a count. */
  readonly session?: SessionProgress;
}

export function atWork({ sessions }: Pick<Progress, 'sessions'>): readonly Working[] {
  const [telling] = sessions
    .map((session, index) => ({ session, rank: rankOf(session, index + 1), depth: session.depth }))
    .sort((left, right) => left.rank - right.rank || right.depth - left.depth);
  if (telling === undefined) return [];
  const { session } = telling;
  const refused = sessions.reduce((sum, one) => sum + one.refused, 0);
  const failed = sessions.filter((one) => isBadGroup(groupOf(one))).length;
  return [
    ...(failed > 0 ? [{ state: 'failed', agent: '', words: `${failed} failed` } as const] : []),
    ...(refused > 0 ? [{ state: 'not-made', agent: '', words: `${refused} refused` } as const] : []),
    { state: stateOf(session.activity), agent: sessionName(session), words: briefDoing(session), session },
    ...countsOf(sessions),
  ];
}

/** The number of those that have answered, of all that are asked together. */
function countsOf(sessions: readonly SessionProgress[]): readonly Working[] {
  const parts: Working[] = [];
  const isDone = (one: SessionProgress): boolean => groupOf(one) === 'answered';
  const count = (of: readonly SessionProgress[], words: (done: number) => string): void => {
    if (of.length === 0) return;
    const done = of.filter(isDone).length;
    parts.push({ state: done === of.length ? 'answered' : 'waiting', agent: '', words: words(done) });
  };
  const advisors = sessions.filter(({ trigger }) => trigger === 'advisor');
  count(advisors, (done) => `${done} of ${plural(advisors.length, 'advisor')} answered`);
  const spawned = sessions.filter(({ trigger }) => trigger === 'spawn');
  count(spawned, (done) => `${done} of ${spawned.length} spawned answered`);
  const team = sessions.filter(({ seat }) => seat !== undefined);
  const said = team.filter(({ said }) => said !== undefined).length;
  const waits = team.filter((one) => groupOf(one) === 'waiting').length;
  if (team.length > 0) parts.push({ state: 'waiting', agent: '', words: `${waits} wait, ${said} said` });
  return parts;
}
