// The days of the person who looks: those of the zone of the browser. Made when they are first asked for, because the
// formats of a browser take longer to load than all rows of a screen take to be drawn.

import { type Calendar, calendarIn } from '../../../src/views/runs/calendar.ts';

const UTC = 'UTC';

let zone: string | undefined;
let calendar: Calendar | undefined;

/** Its IANA name. */
export function localZone(): string {
  if (zone === undefined) {
    const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    calendar = calendarIn(own);
    zone = calendar === undefined ? UTC : own;
  }
  return zone;
}

export function localCalendar(): Calendar {
  calendar ??= calendarIn(localZone()) ?? (calendarIn(UTC) as Calendar);
  return calendar;
}
