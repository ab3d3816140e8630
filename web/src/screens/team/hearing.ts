// The hearings of a team, in words. Pure.

import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import type { TeamEntry, TeamTalk } from '../../../../src/views/talk/team-talk.ts';
import { seconds } from '../../parts/times.tsx';

export function thenWords(then: TeamEntry['then']): string {
  switch (then) {
    case 'wait':
      return 'then waits';
    case 'continue':
      return 'then goes on';
    case 'leave-success':
      return 'then leaves, its work done';
    case 'leave-failure':
      return 'then leaves, having failed';
    case undefined:
      return '';
  }
}

/** `●` said it, a time heard it, `gone` it is about this one, `–` never did. */
export function heardAt({ memberId, role, heard }: TeamEntry, participant: string, start: number): string {
  if (memberId === participant) return role === 'notice' ? 'gone' : '●';
  const hearing = heard.find(({ by }) => by === participant);
  return hearing === undefined ? '–' : seconds(hearing.at - start);
}

/** Broadcasts of others that its sender had heard before it spoke. */
export const knownBefore = (entry: TeamEntry, entries: readonly TeamEntry[]): readonly TeamEntry[] =>
  entries.filter(
    (other) =>
      other.number < entry.number &&
      other.memberId !== entry.memberId &&
      other.heard.some(({ by, at }) => by === entry.memberId && at <= entry.timestamp),
  );

/** The broadcasts of others in the same cycle that it could not know: said before and not heard, or said later. */
export const unknownThen = (entry: TeamEntry, entries: readonly TeamEntry[]): readonly TeamEntry[] => {
  const known = new Set(knownBefore(entry, entries).map(({ number }) => number));
  return entries.filter(
    (other) =>
      other.cycle === entry.cycle &&
      other.memberId !== entry.memberId &&
      other.role !== 'notice' &&
      !known.has(other.number),
  );
};

/** A line between broadcasts: what a cycle works on, or what the supervisor heard at its end. */
export type Between =
  | { readonly kind: 'cycle'; readonly key: string; readonly cycle: number; readonly on: string }
  | { readonly kind: 'hears'; readonly key: string; readonly who: string; readonly words: string };

/** The words above a broadcast; without one, those below the last. */
export function betweenAt(team: TeamTalk, at: number, facts: TeamFacts): readonly Between[] {
  const [before, entry] = [team.entries[at - 1], team.entries[at]];
  const hearing = team.hearings.find(({ numbers }) => numbers[0] !== undefined && numbers.at(-1) === before?.number);
  const found: Between[] = [];
  if (hearing !== undefined && before !== undefined)
    found.push({
      kind: 'hears',
      key: `hears ${hearing.op}`,
      who: team.participants[0]?.id ?? '',
      words: hearWords(hearing, team, facts),
    });
  const begins = entry !== undefined && (entry.cycle !== before?.cycle || before.role === 'supervisor');
  if (begins && entry.role !== 'supervisor')
    found.push({
      kind: 'cycle',
      key: `cycle ${entry.cycle}`,
      cycle: entry.cycle,
      on: before?.role === 'supervisor' ? `#${before.number}` : facts.asked,
    });
  return found;
}

export interface TeamFacts {
  /** When the run began, and what it was asked. */
  readonly start: number;
  readonly asked: string;
  readonly lines: readonly LedgerLine[];
  readonly isReported: boolean;
}

/** `hears #1 to #4 at 1.09 s, thinks for 415ms` */
function hearWords(hearing: TeamTalk['hearings'][number], team: TeamTalk, facts: TeamFacts): string {
  const { start, lines, isReported } = facts;
  const [first, last] = [hearing.numbers[0], hearing.numbers.at(-1)];
  const which = first === last ? `#${first}` : `#${first} to #${last}`;
  const session = team.participants[0]?.session;
  const turn = lines.find((line) => line.session === session && line.startedAt >= hearing.at);
  const thinks = turn?.ms === undefined ? '' : `, thinks for ${turn.ms < 1000 ? `${turn.ms}ms` : seconds(turn.ms)}`;
  const reports = isReported && team.entries.at(-1)?.number === last ? ', reports' : '';
  return `hears ${which} at ${seconds(hearing.at - start)}${thinks}${reports}`;
}

/** The model call in which it was said: the last of its session that had ended by then. */
export const lineOf = (entry: TeamEntry, lines: readonly LedgerLine[]): LedgerLine | undefined =>
  lines.findLast(({ session, turn }) => session === entry.session && turn === entry.turnCount);
