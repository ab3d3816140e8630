// Marks of people on runs. A note is that of the caller: the token that asks says whose it is.

import { markRun } from '../../engine/history/mark-run.ts';
import { ANONYMOUS, type Caller, OWNER } from '../caller.ts';
import { NoteList, PutNote } from '../messages/runs.ts';
import { json, type Route, runRoute } from './route.ts';

export const noteRoutes: readonly Route[] = [
  runRoute({
    method: 'POST',
    path: '/api/runs/:run/notes',
    name: 'markRun',
    tag: 'runs',
    summary: 'Marks a run as good or bad. A caller has one mark on a run, and a later one replaces it.',
    permission: 'run',
    body: PutNote,
    answers: { 200: { description: 'All marks on the run.', body: NoteList } },
    faults: ['run/locked', 'usage'],
    async answer({ row: { run }, body, caller }, context) {
      const items = await markRun(run, { by: markedBy(caller), ...body }, context.store);
      context.changes.changed(run);
      return json({ items });
    },
  }),
];

/** Without tokens the person at this machine asks, who is the owner. */
const markedBy = ({ name }: Caller): string => (name === ANONYMOUS.name ? OWNER.name : name);
