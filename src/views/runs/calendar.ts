// Days and hours as a time zone has them. A day of summer time has 23 or 25 hours, and in some zones none that begins at
// midnight: it then begins with its first moment.

/** Undefined where there is no such zone. */
export function calendarIn(zone: string): Calendar | undefined {
  try {
    return new Calendar(new Intl.DateTimeFormat('en-CA', { ...FIELDS, timeZone: zone }));
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

export const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && dayText(utcOf(text)) === text;

/** `by`: how many days later; earlier, if it is negative. */
export const dayAfter = (day: string, by = 1): string => dayText(utcOf(day) + by * DAY_MS);

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** No zone changes its offset within such a part of an hour, and no day begins within one. */
export const PART_MS = 900_000;

const FIELDS = {
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
} as const satisfies Intl.DateTimeFormatOptions;

const dayText = (utc: number): string => (Number.isNaN(utc) ? '' : new Date(utc).toISOString().slice(0, 10));
const utcOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

export class Calendar {
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();
  readonly #starts = new Map<string, number>();

  constructor(format: Intl.DateTimeFormat) {
    this.#format = format;
  }

  /** `2026-11-15` */
  dayOf(at: number): string {
    return dayText(at + this.#offsetAt(at));
  }

  /** The first moment of a day. */
  startOf(day: string): number {
    const found = this.#starts.get(day) ?? this.#findStart(day);
    this.#starts.set(day, found);
    return found;
  }

  /** The moment of a time of a day: `13:00` after `2026-11-15`. */
  momentOf(day: string, hours: number, minutes: number): number {
    const local = utcOf(day) + hours * HOUR_MS + minutes * 60_000;
    return local - this.#offsetAt(local - this.#offsetAt(local));
  }

  #findStart(day: string): number {
    const midnight = utcOf(day);
    const [before, after] = [this.#offsetAt(midnight - DAY_MS), this.#offsetAt(midnight + DAY_MS)];
    if (before === after) return midnight - before;
    let [early, late] = [midnight - DAY_MS, midnight + DAY_MS];
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2);
      if (this.dayOf(middle) < day) early = middle;
      else late = middle;
    }
    return late;
  }

  /** The milliseconds by which the clocks of the zone are ahead of UTC. */
  #offsetAt(at: number): number {
    const part = Math.floor(at / PART_MS);
    const found = this.#offsets.get(part);
    if (found !== undefined) return found;
    const moment = part * PART_MS;
    const of = Object.fromEntries(this.#format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    const local = Date.UTC(of['year'] ?? 0, (of['month'] ?? 1) - 1, of['day'], of['hour'], of['minute'], of['second']);
    this.#offsets.set(part, local - moment);
    return local - moment;
  }
}
