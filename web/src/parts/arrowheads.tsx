// The arrowheads of a graph: one for each kind of line, in its colour.

import { EDGE_KINDS } from './graph-lines.ts';
import './graph-lines.css';

interface Props {
  /** The ids of the arrowheads begin with it. */
  readonly id: string;
  /** Lines that were not used have one, too, and lines of any width have the same. */
  readonly ofRun?: true;
}

export const Arrowheads = ({ id, ofRun }: Props) => {
  const size = ofRun === true ? '8' : '7';
  return (
    <defs>
      {[...(ofRun === true ? ['unused'] : []), ...EDGE_KINDS].map((kind) => (
        <marker
          key={kind}
          id={`${id}-${kind}`}
          class={kind === 'unused' ? undefined : `e-${kind}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth={size}
          markerHeight={size}
          markerUnits={ofRun === true ? 'userSpaceOnUse' : 'strokeWidth'}
          orient="auto"
        >
          <path d="M0 0.5L7.5 4L0 7.5z" fill="currentColor" />
        </marker>
      ))}
    </defs>
  );
};
