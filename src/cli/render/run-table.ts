// The list of runs as a table.

import type { RunSummary } from '../../journal/store.ts';
import * as amounts from './amounts.ts';
import { table } from './table.ts';
import { oneLine } from './width.ts';

export function runTable(runs: readonly RunSummary[], now: number, width?: number): readonly string[] {
  return table(
    [
      { title: 'RUN' },
      { title: 'AGENT' },
      { title: 'STATE' },
      { title: 'STARTED' },
      { title: 'TIME', align: 'right' },
      { title: 'COST', align: 'right' },
      { title: 'INPUT', flexible: true },
    ],
    runs.map((one) => [
      one.run,
      one.agent,
      stateOf(one),
      amounts.moment(one.startedAt, now),
      timeOf(one, now),
      one.usd === undefined ? '–' : amounts.usd(one.usd),
      oneLine(one.input.text),
    ]),
    width,
  );
}

/** An ended run is told by its outcome. */
const stateOf = ({ state, outcome }: RunSummary): string => (state === 'ended' ? (outcome ?? state) : state);

function timeOf({ state, startedAt, endedAt }: RunSummary, now: number): string {
  if (endedAt !== undefined) return amounts.duration(endedAt - startedAt);
  return state === 'running' ? amounts.duration(now - startedAt) : '–';
}
