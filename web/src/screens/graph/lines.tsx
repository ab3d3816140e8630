// The lines of the graph: who led to whom, and which of it just happened.

import { clock } from '../../../../src/views/amounts.ts';
import type { GraphEdgeState } from '../../../../src/views/run-graph.ts';
import { Arrowheads } from '../../parts/arrowheads.tsx';
import { dashOf, edgeColour } from '../../parts/graph-lines.ts';
import type { GraphPicture } from './picture.ts';
import { usedLines } from './used-lines.ts';

export const GraphLines = (props: {
  readonly picture: GraphPicture;
  readonly edges: readonly GraphEdgeState[];
  readonly now: number | undefined;
}) => {
  const { picture, now } = props;
  const lines = usedLines(picture.lines, props.edges, now);
  return (
    <>
      <svg width={picture.width} height={picture.height} aria-hidden="true" focusable="false">
        <Arrowheads id="graph-arrow" ofRun />
        {lines.map((line) => (
          <path
            key={line.key}
            class={`graph-line ${line.state} e-${edgeColour(line.kind)} ${dashOf(line.kind, line.dashed)}`}
            d={line.path}
            marker-end={`url(#graph-arrow-${line.state === 'unused' ? 'unused' : edgeColour(line.kind)})`}
          />
        ))}
      </svg>
      {lines.map((line) => (
        <span
          key={line.key}
          class={`graph-label ${line.state} e-${edgeColour(line.kind)}`}
          style={{ left: `${line.words.x}px`, top: `${line.words.y}px` }}
        >
          {line.label}
          {line.state === 'just' && <small>{clock((now ?? 0) - line.lastAt)} ago</small>}
        </span>
      ))}
    </>
  );
};
