// The files of requests: those that come with one, those that were uploaded before it, and those of runs that the caller may
// see. Each caller has uploads of its own.

import { type FileTaker } from '../../engine/files/take-files.ts';
import type { RunStore } from '../../journal/store.ts';
import type { Caller } from '../caller.ts';

/** The names of callers are no owners of what other programs put into the store. */
export const fileTaker = ({ name }: Pick<Caller, 'name'>, { uploads }: Pick<RunStore, 'uploads'>): FileTaker => ({
  uploads,
  owner: `caller:${name}`,
});
