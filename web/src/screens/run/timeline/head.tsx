// The heads of the timeline: how many rows, three figures, and the ticks of time.

import { duration } from '../../../../../src/views/amounts.ts';
import { type Tick, waitsWithRoom } from './axis.ts';
import { ColumnEdge } from './column-edge.tsx';
import type { SkippedWait } from './time-window.ts';

const WAITS = {
  person: 'A wait for a person, skipped',
  pause: 'The pause before another try, skipped',
  queue: 'A wait for its turn, skipped',
  process: 'No process worked on it: skipped',
} as const;

export const TimelineHead = (props: {
  readonly words: string;
  readonly ticks: readonly Tick[];
  readonly skipped: readonly SkippedWait[];
}) => (
  <div class="axis tiny-text faint paper ruled" role="row">
    <span class="n" role="columnheader">
      {props.words}
      <ColumnEdge column="names" label="Width of the names" />
    </span>
    <span class="f f-time" role="columnheader">
      time
    </span>
    <span class="f f-tokens" role="columnheader">
      tokens
    </span>
    <span class="f f-cost" role="columnheader">
      cost
      <ColumnEdge column="figures" label="Width of the figures" />
    </span>
    <span class="t" role="columnheader">
      <span class="sr">when</span>
      {props.ticks.map(({ left, text }) => (
        <span key={text} class={left > 93 ? 'last' : undefined} aria-hidden="true" style={{ left: `${left}%` }}>
          {text}
        </span>
      ))}
      {waitsWithRoom(props.skipped).map(({ wait, left }) => (
        <span key={wait.from} class="skip-words soft" style={{ left: `${left}%` }} title={WAITS[wait.for]}>
          » {duration(wait.to - wait.from)}
        </span>
      ))}
    </span>
  </div>
);
