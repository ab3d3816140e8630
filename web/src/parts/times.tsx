// Moments as people read them. A relative time never stands alone: the exact one is in its title. They are not formatted
// by the browser's own locale: loading that takes longer than drawing all rows of a screen.

import { clock, dayAndTime, duration, moment } from '../../../src/views/amounts.ts';
import { heldAt, serverNow, tick, useTicking } from '../data/clock.ts';

/** `03:55:15`, or with its day if that is not today. */
export const Moment = ({ at }: { readonly at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={dayAndTime(at)}>
    {moment(at, serverNow())}
  </time>
);

/** `03:55:15`, where the day stands above it. */
export const TimeOfDay = ({ at }: { readonly at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={dayAndTime(at)}>
    {dayAndTime(at).slice(-8)}
  </time>
);

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** `16 November 2026` */
export function dayWords(at: number): string {
  const date = new Date(at);
  return `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}`;
}

/** `+1.42 s`: since the run began. */
export const sinceStart = (at: number, start: number): string => `+${seconds(at - start)}`;

/** `1.42 s`, `12.2 s`, `102 s`: three digits. */
export function seconds(ms: number): string {
  const value = Math.max(0, ms) / 1000;
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} s`;
}

/** The time that something took, or the time that it has been under way: up to now in whole seconds, or up to the event. */
export const Lasting = ({ from, to }: { readonly from: number; readonly to: number | undefined }) => {
  useTicking(to === undefined);
  return <>{to === undefined ? clock((heldAt.value ?? tick.value) - from) : duration(to - from)}</>;
};
