// The number of runs of a group that work at once, as an area in its row.

import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { atOnce } from './overview.ts';
import { share, type TimeWindow } from './time-window.ts';

export const GroupArea = (props: {
  readonly runs: readonly OpNode[];
  readonly window: TimeWindow;
  readonly now: number;
}) => {
  const { runs, window, now } = props;
  const steps = atOnce(runs, now);
  const most = steps.reduce((highest, [, count]) => Math.max(highest, count), 1);
  const x = (at: number): number => share(at, window) * 10;
  const points = ['M0 20'];
  let height = 20;
  for (const [at, count] of steps) {
    const place = Math.min(1000, Math.max(0, x(at)));
    points.push(`L${place.toFixed(1)} ${height.toFixed(1)}`);
    height = 20 - (count / most) * 16;
    points.push(`L${place.toFixed(1)} ${height.toFixed(1)}`);
  }
  points.push('L1000 20Z');
  return (
    <svg
      class="area"
      viewBox="0 0 1000 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={`at most ${most} at once`}
    >
      <path d={points.join('')} />
    </svg>
  );
};
