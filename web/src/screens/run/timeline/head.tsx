// The heads of the timeline: how many rows, three figures, and the ticks of time.

import type { Tick } from './axis.ts';
import { ColumnEdge } from './column-edge.tsx';

export const TimelineHead = ({ words, ticks }: { readonly words: string; readonly ticks: readonly Tick[] }) => (
  <div class="axis" role="row">
    <span class="n" role="columnheader">
      {words}
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
      {ticks.map(({ left, text }) => (
        <span key={text} class={left > 93 ? 'last' : undefined} aria-hidden="true" style={{ left: `${left}%` }}>
          {text}
        </span>
      ))}
    </span>
  </div>
);
