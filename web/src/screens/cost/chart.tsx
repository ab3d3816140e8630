// The spending over time: a stepped line, with the budget of the run if it is near.

import { usd } from '../../../../src/views/amounts.ts';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import { seconds } from '../../parts/times.tsx';
import { shownUsd, spentOverTime, ticksUpTo } from './sums.ts';

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [900, 220, 56, 24, 12];

interface Props {
  readonly lines: readonly LedgerLine[];
  readonly start: number;
  readonly end: number;
  readonly budget: number | undefined;
}

/** The steps, and where times and amounts stand. A budget far above what was spent would make the line flat. */
function scaleOf({ lines, start, end, budget }: Props) {
  const steps = spentOverTime(lines, start);
  const last = steps.at(-1)?.usd ?? 0;
  const most = Math.max(last, budget !== undefined && budget < last * 3 ? budget : 0) * 1.1 || 1;
  const span = Math.max(1, Math.max(end, steps.at(-1)?.at ?? 0) - start);
  const x = (after: number): number => LEFT + (after / span) * (WIDTH - LEFT - 12);
  const y = (amount: number): number => TOP + (1 - amount / most) * (HEIGHT - TOP - BOTTOM);
  return { steps, last, most, span, x, y };
}

type Scale = ReturnType<typeof scaleOf>;

/** A stepped line, drawn by hand: one path needs no library. */
export const Chart = (props: Props) => {
  const scale = scaleOf(props);
  const { steps, last, most, span, x, y } = scale;
  const line = steps.map(({ at, usd: sum }) => `H${x(at - props.start).toFixed(1)}V${y(sum).toFixed(1)}`).join('');
  const path = `M${x(0)} ${y(0)}${line}H${x(span).toFixed(1)}`;
  return (
    <figure class="cost-chart ruled">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Spent over time: ${shownUsd(last, 0)} after ${seconds(span)}`}
      >
        <Axes of={scale} />
        <path class="area" d={`${path}V${y(0)}H${x(0)}Z`} />
        <path class="line" d={path} />
        <text x={WIDTH - 12} y={Math.max(TOP, y(last) - 7)} class="amount last">
          {shownUsd(last, 0)}
        </text>
        {props.budget !== undefined && props.budget <= most && <Budget of={props.budget} y={y(props.budget)} />}
      </svg>
    </figure>
  );
};

const Axes = ({ of: { most, span, x, y } }: { readonly of: Scale }) => (
  <>
    {ticksUpTo(most).map((amount) => (
      <g key={amount}>
        <path class="grid" d={`M${LEFT} ${y(amount)}H${WIDTH - 12}`} />
        <text x={LEFT - 6} y={y(amount) + 4} class="amount">
          {usd(amount)}
        </text>
      </g>
    ))}
    {ticksUpTo(span / 1000)
      .filter((time) => x(time * 1000) < WIDTH - 24)
      .map((time) => (
        <text key={time} x={x(time * 1000)} y={HEIGHT - 6} class="time">
          {time === 0 ? '0' : seconds(time * 1000)}
        </text>
      ))}
  </>
);

const Budget = ({ of, y }: { readonly of: number; readonly y: number }) => (
  <>
    <path class="budget" d={`M${LEFT} ${y}H${WIDTH - 12}`} />
    <text x={LEFT + 6} y={y - 5} class="budget-words">
      budget {usd(of)}
    </text>
  </>
);
