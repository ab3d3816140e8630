// The rows of the timeline at the level of agents, over the whole time of the run.

import { plural } from '../../src/views/amounts.ts';
import { opFactsFold } from '../../src/views/tree/op-facts.ts';
import { longWaits, skippableWaits, WaitsFold } from '../../src/views/waits.ts';
import type { RecordedRun } from '../src/data/recorded-run.ts';
import { type Tick, ticksOf } from '../src/screens/run/timeline/axis.ts';
import { barsOf, placed } from '../src/screens/run/timeline/bars.ts';
import { dependentsOf } from '../src/screens/run/timeline/downs.tsx';
import { GroupArea } from '../src/screens/run/timeline/group-area.tsx';
import { TimelineHead } from '../src/screens/run/timeline/head.tsx';
import { TimelineRow } from '../src/screens/run/timeline/row.tsx';
import { type Row, rowsOf } from '../src/screens/run/timeline/rows.ts';
import { skippedIn, type TimeWindow } from '../src/screens/run/timeline/time-window.ts';
import { Rest } from './rest.tsx';

const ROW = 24;

export const WhoWhen = ({ data, most }: { readonly data: RecordedRun; readonly most: number }) => {
  const all = rowsOf(data.tree.value, { level: 'agents', byHand: new Map(), instants: false });
  const rows = all.slice(0, most);
  const facts = data.view(opFactsFold, (fold) => ({ at: fold.at })).value;
  const window = wholeOf(data);
  const { from, to } = window;
  const dependents = dependentsOf(all);
  const source = {
    facts: facts.at,
    start: from,
    last: to - 1,
    dependents: (path: string) => dependents.get(path),
  };
  return (
    <>
      <h2 class="ex-next">Who worked when</h2>
      <div class="tl stack ex-tl">
        <div class="ex-tl-wide" role="treegrid" aria-label="Who worked when" tabIndex={0}>
          <TimelineHead
            words={plural(all.filter(({ kind }) => kind !== 'op').length, 'session')}
            ticks={fewTicks(ticksOf(window, from))}
            skipped={skippedIn(window)}
          />
          <div class="rows-all" role="rowgroup" style={{ height: `${rows.length * ROW}px` }}>
            {rows.map((row, index) => (
              <TimelineRow
                key={row.key}
                row={row}
                index={index}
                top={index * ROW}
                bars={placed(barsOf(row, source), window, to)}
                area={areaOf(row, window)}
                selected={false}
                dimmed={false}
                arriving={undefined}
                argument={undefined}
                attempts={0}
                onSelect={nothing}
                onTwist={nothing}
              />
            ))}
          </div>
        </div>
      </div>
      <Rest of={all.length} most={most} what="rows" />
    </>
  );
};

/** The plot of a sheet has room for four, and none at its end: its words would reach out of it. */
function fewTicks(ticks: readonly Tick[]): readonly Tick[] {
  const each = Math.ceil(ticks.length / 4);
  return ticks.filter(({ left }, index) => index % each === 0 && left <= 78);
}

const nothing = (): void => {};

const areaOf = ({ group }: Row, window: TimeWindow) =>
  group === undefined ? undefined : <GroupArea runs={group} window={window} now={window.to} />;

/** The whole time of the run. Waits beside which the work could hardly be seen are narrow. */
function wholeOf(data: RecordedRun): TimeWindow {
  const from = data.events[0]?.at ?? 0;
  const to = (data.events.at(-1)?.at ?? from) + 1;
  const told = data.view(
    () => new WaitsFold(),
    (fold) => fold.waits(to),
  ).value;
  return { from, to, skips: longWaits(told).length > 0 ? skippableWaits(told) : [] };
}
