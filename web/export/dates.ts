// Moments of a run as a file, which people in any time zone read: in UTC, and said to be.

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** `18 Nov 2026 16:34:29 UTC` */
export function utcMoment(at: number): string {
  const date = new Date(at);
  const time = date.toISOString().slice(11, 19);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()} ${time} UTC`;
}
