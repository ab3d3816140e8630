// Run ids sort by time and can be read: the moment in UTC, then four letters against a collision.

import { randomBytes } from 'node:crypto';
import type { RunId } from '../journal/event.ts';

export function newRunId(now: number): RunId {
  const digits = new Date(now).toISOString().replace(/[-:.Z]/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(9, 15)}-${digits.slice(15, 18)}${randomBytes(2).toString('hex')}`;
}
