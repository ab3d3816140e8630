// A team's channel as a person reads it: every broadcast with its number, who said it when, and what was said; with
// hearings, also what its sender did then, and when each of the others heard it.

import * as amounts from '../../views/amounts.ts';
import type { AfterBroadcast, TeamEntry, TeamTalk } from '../../views/talk/team-talk.ts';
import type { Paint } from '../screen/terminal.ts';
import { indentedText, printable } from './width.ts';

interface TeamTextOptions {
  readonly paint: Paint;
  readonly columns?: number;
  /** When the run began. */
  readonly startedAt: number;
  /** Says who heard each broadcast when, and which cycle it belongs to. */
  readonly hearings?: boolean;
}

export function teamText(teams: readonly TeamTalk[], options: TeamTextOptions): readonly string[] {
  return teams.flatMap((team) => [
    options.paint('strong', `━━ team of session ${team.channel}`),
    ...team.entries.flatMap((entry, index) => [
      ...cycleText(entry, team.entries[index - 1], options),
      ...entryText(entry, team, options),
    ]),
    '',
  ]);
}

function cycleText(
  { cycle }: TeamEntry,
  before: TeamEntry | undefined,
  { paint, hearings }: TeamTextOptions,
): readonly string[] {
  return hearings !== true || cycle === before?.cycle ? [] : ['', paint('strong', `  cycle ${cycle}`)];
}

function entryText(entry: TeamEntry, team: TeamTalk, options: TeamTextOptions): readonly string[] {
  const { paint, columns } = options;
  const { number, memberId, type, turnCount, timestamp, message, then } = entry;
  const after = options.hearings === true && then !== undefined ? `, ${THEN[then]}` : '';
  const facts = `turn ${turnCount}, after ${since(timestamp, options)}${after}`;
  const tone = type === 'failure' ? 'error' : 'name';
  const head = `  ${paint('faint', `#${number}`)} ${paint(tone, memberId)}${type === 'failure' ? paint('error', ' failure') : ''} ${paint('faint', facts)}`;
  return [
    '',
    head,
    ...indentedText(message, '      ', columns),
    ...(options.hearings === true ? [`      ${paint('faint', heardText(entry, team, options))}`] : []),
  ];
}

const THEN: Readonly<Record<AfterBroadcast, string>> = {
  wait: 'then waits',
  continue: 'then goes on',
  'leave-success': 'then leaves, its work done',
  'leave-failure': 'then leaves, its work not done',
};

function heardText({ memberId, heard }: TeamEntry, { participants }: TeamTalk, options: TeamTextOptions): string {
  const others = participants.filter(({ id }) => id !== memberId);
  const words = others.map(({ id }) => {
    const hearing = heard.find(({ by }) => by === id);
    return hearing === undefined ? `${id} never` : `${id} after ${since(hearing.at, options)}`;
  });
  return words.length === 0 ? 'heard by nobody' : `heard by ${printable(words.join(', '))}`;
}

const since = (at: number, { startedAt }: TeamTextOptions): string => amounts.duration(Math.max(0, at - startedAt));
