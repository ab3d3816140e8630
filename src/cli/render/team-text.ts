// A team's channel as a person reads it: every broadcast with its number, who said it when, and what was said.

import * as amounts from '../../views/amounts.ts';
import type { TeamEntry } from '../../views/team-talk.ts';
import type { Paint } from '../screen/terminal.ts';
import { printable, wrap } from './width.ts';

export interface TeamTextOptions {
  readonly paint: Paint;
  readonly columns?: number;
  /** When the run began. */
  readonly startedAt: number;
}

export function teamText(entries: readonly TeamEntry[], options: TeamTextOptions): readonly string[] {
  return [...grouped(entries)].flatMap(([channel, said]) => [
    options.paint('strong', `━━ team of session ${channel}`),
    ...said.flatMap((entry) => entryText(entry, options)),
    '',
  ]);
}

function entryText(entry: TeamEntry, { paint, columns, startedAt }: TeamTextOptions): readonly string[] {
  const { number, memberId, type, turnCount, timestamp, message } = entry;
  const facts = `turn ${turnCount}, after ${amounts.duration(Math.max(0, timestamp - startedAt))}`;
  const tone = type === 'failure' ? 'error' : 'name';
  const head = `  ${paint('faint', `#${number}`)} ${paint(tone, memberId)}${type === 'failure' ? paint('error', ' failure') : ''} ${paint('faint', facts)}`;
  const lines = columns === undefined ? printable(message).split('\n') : wrap(message, columns - 6);
  return ['', head, ...lines.map((line) => (line === '' ? '' : `      ${line}`))];
}

function grouped(entries: readonly TeamEntry[]): ReadonlyMap<string, readonly TeamEntry[]> {
  const channels = new Map<string, TeamEntry[]>();
  for (const entry of entries) {
    const known = channels.get(entry.channel);
    if (known === undefined) channels.set(entry.channel, [entry]);
    else known.push(entry);
  }
  for (const said of channels.values()) said.sort((left, right) => left.number - right.number);
  return channels;
}
