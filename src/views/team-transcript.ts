// What was said in the teams of a run: every broadcast, in order, with its number in its channel.

import type { RunEvent } from '../journal/event.ts';
import type { Broadcast, SessionRef } from '../kernel/effect.ts';
import type { OpPath } from '../kernel/path.ts';

export interface TeamEntry extends Broadcast {
  readonly channel: SessionRef;
  readonly op: OpPath;
}

export function teamTranscript(events: Iterable<RunEvent>): readonly TeamEntry[] {
  const entries: TeamEntry[] = [];
  for (const event of events) {
    if (event.type !== 'op' || event.kind !== 'post') continue;
    const { channel } = event.detail as Pick<TeamEntry, 'channel'>;
    const broadcast = event.value as Broadcast;
    if (broadcast.refused === undefined) entries.push({ channel, op: event.path, ...broadcast });
  }
  return entries;
}
