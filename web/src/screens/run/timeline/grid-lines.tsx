// The lines behind the rows of the timeline: ticks, waits that are skipped, and now.

import type { ComponentChildren } from 'preact';
import type { Tick } from './axis.ts';
import type { SkippedWait } from './time-window.ts';

interface GridLinesProps {
  readonly ticks: readonly Tick[];
  readonly skipped: readonly SkippedWait[];
  /** The place of now, if it is seen. */
  readonly now: number | undefined;
  readonly children: ComponentChildren;
}

export const GridLines = ({ ticks, skipped, now, children }: GridLinesProps) => (
  <div class="gridlines tl-grid" aria-hidden="true">
    <span />
    <span />
    <div class="plot">
      {ticks.map(({ left }) => (
        <i key={left} style={{ left: `${left}%` }} />
      ))}
      {skipped.map(({ wait, left, width }) => (
        <i key={wait.from} class="skipped" style={{ left: `${left}%`, width: `${width}%` }} />
      ))}
      {now !== undefined && <i class="now-line" style={{ left: `${now}%` }} />}
      {children}
    </div>
  </div>
);
