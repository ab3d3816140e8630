// The fields of a run for the filter of a list: its summary alone, so that a whole store can be filtered.

import type { RunNote, RunSummary } from '../../journal/store.ts';
import type { FilteredRow } from './filter.ts';
import { isUnanswered, runStanding } from './run-standing.ts';

/** `prefix`: of its cadre, where that is served. `notes`: the marks on it. */
export function filteredRun(run: RunSummary, prefix: string | null, notes: readonly RunNote[] = []): FilteredRow {
  const standing = runStanding(run);
  return {
    agent: run.agents,
    state: [standing, run.state, ...(isUnanswered(standing) ? ['unanswered'] : [])],
    folder: folderName(run.folder, prefix),
    fork: run.forkedFrom?.run,
    label: run.label,
    thread: run.thread,
    mark: notes.map(({ mark }) => mark),
    usd: run.usd,
    ms: run.endedAt === undefined ? undefined : run.endedAt - run.startedAt,
    at: run.startedAt,
    text: `${run.run} ${run.input.text} ${run.fault?.code ?? ''} ${run.worker ?? ''}`,
  };
}

/** The name of its cadre: the prefix, else the last part of the folder. */
export const folderName = (folder: string, prefix: string | null): string =>
  (prefix ?? folder.split(/[\\/]/).at(-1) ?? '').replace(/\/$/, '');
