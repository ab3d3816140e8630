// The spending over time: a stepped line, with the budget of the run if it is near.

import { usd } from '../../../../src/views/amounts.ts';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import { seconds } from '../../parts/times.tsx';
import { shownUsd, spentOverTime, ticksUpTo } from './sums.ts';

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [900, 220, 56, 24, 12];

/** A stepped line, drawn by hand: one path needs no library. */
export const Chart = (props: {
  readonly lines: readonly LedgerLine[];
  readonly start: number;
  readonly end: number;
  readonly budget: number | undefined;
}) => {
  const steps = spentOverTime(props.lines, props.start);
  const last = steps.at(-1)?.usd ?? 0;
  const most = Math.max(last, props.budget !== undefined && props.budget < last * 3 ? props.budget : 0) * 1.1 || 1;
  const span = Math.max(1, Math.max(props.end, steps.at(-1)?.at ?? 0) - props.start);
  const x = (at: number): number => LEFT + ((at - props.start) / span) * (WIDTH - LEFT - 12);
  const y = (amount: number): number => TOP + (1 - amount / most) * (HEIGHT - TOP - BOTTOM);
  let path = `M${x(props.start)} ${y(0)}`;
  for (const { at, usd: amount } of steps) path += `H${x(at).toFixed(1)}V${y(amount).toFixed(1)}`;
  path += `H${x(props.start + span).toFixed(1)}`;
  const times = ticksUpTo(span / 1000);
  return (
    <figure class="cost-chart ruled">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Spent over time: ${shownUsd(last, 0)} after ${seconds(span)}`}
      >
        {ticksUpTo(most).map((amount) => (
          <g key={amount}>
            <path class="grid" d={`M${LEFT} ${y(amount)}H${WIDTH - 12}`} />
            <text x={LEFT - 6} y={y(amount) + 4} class="amount">
              {usd(amount)}
            </text>
          </g>
        ))}
        {times
          .filter((time) => x(props.start + time * 1000) < WIDTH - 24)
          .map((time) => (
            <text key={time} x={x(props.start + time * 1000)} y={HEIGHT - 6} class="time">
              {time === 0 ? '0' : seconds(time * 1000)}
            </text>
          ))}
        <path class="area" d={`${path}V${y(0)}H${x(props.start)}Z`} />
        <path class="line" d={path} />
        <text x={WIDTH - 12} y={Math.max(TOP, y(last) - 7)} class="amount last">
          {shownUsd(last, 0)}
        </text>
        {props.budget !== undefined && props.budget <= most && (
          <>
            <path class="budget" d={`M${LEFT} ${y(props.budget)}H${WIDTH - 12}`} />
            <text x={LEFT + 6} y={y(props.budget) - 5} class="budget-words">
              budget {usd(props.budget)}
            </text>
          </>
        )}
      </svg>
    </figure>
  );
};
