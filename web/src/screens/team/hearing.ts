// Who heard what in a team, in words. Pure.

import type { TeamEntry } from '../../../../src/views/talk/team-talk.ts';
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

/** `●` said it, a time heard it, `–` never did. */
export function heardAt({ memberId, role, heard }: TeamEntry, participant: string, start: number): string {
  if (memberId === participant && role !== 'notice') return '●';
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
