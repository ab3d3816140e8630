// The events of a run, each in words on one line.

import type { RunEvent } from '../../src/journal/event.ts';
import { sinceStart } from '../src/parts/times.tsx';
import { eventWords, opOf } from '../src/screens/journal/event-words.ts';
import { Rest } from './rest.tsx';

export const JournalRows = ({ events, most }: { readonly events: readonly RunEvent[]; readonly most: number }) => {
  const start = events[0]?.at ?? 0;
  return (
    <div class="ex-wide" tabIndex={0} role="region" aria-label="Journal">
      <table class="tab ex-journal">
        <thead>
          <tr>
            <th class="num">seq</th>
            <th class="num">at</th>
            <th>type</th>
            <th>op</th>
            <th>what</th>
          </tr>
        </thead>
        <tbody>
          {events.slice(0, most).map((event) => (
            <tr key={event.seq}>
              <td class="num">{event.seq}</td>
              <td class="num">{sinceStart(event.at, start)}</td>
              <td class="mono">{event.type}</td>
              <td class="mono">{opOf(event)}</td>
              <td dir="auto" class="breaks">
                {eventWords(event)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Rest of={events.length} most={most} what="events" />
    </div>
  );
};
