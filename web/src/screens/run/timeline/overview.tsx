// The strip above the timeline, drawn on one canvas: model calls in flight as a stepped area, money as a line over it.
// Dragging over it zooms.

import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { usd } from '../../../../../src/views/amounts.ts';
import type { Totals } from '../../../../../src/views/costs/totals.ts';
import { useMedia } from '../../../parts/media.ts';
import { costText } from '../run-facts.ts';
import { type Overview, topOf } from './overview.ts';
import { share, type TimeWindow, timeAt } from './time-window.ts';

interface Props {
  readonly overview: Overview;
  readonly totals: Totals;
  /** The dollars that the run's agent may spend. */
  readonly budget: number | undefined;
  readonly whole: TimeWindow;
  readonly window: TimeWindow;
  readonly live: boolean;
  /** The known time ends here: a live run has no calls in the time to come. */
  readonly until: number;
  readonly onZoom: (window: TimeWindow) => void;
}

const HEIGHT = 52;

export const OverviewStrip = ({ overview, totals, budget, whole, window, live, until, onZoom }: Props) => {
  const plot = useRef<HTMLDivElement>(null);
  const { from, to, ...dragging } = useDrag(plot, whole, onZoom);
  const spent = costText(totals);
  return (
    <div class="over tl-grid paper ruled">
      <div class="over-words tiny-text faint">
        <b class="num">{overview.most}</b>
        <span class="wide-only">model calls at once, at most</span>
        <b class="num">{spent}</b>
        <span class="wide-only">
          {live ? 'spent so far' : 'spent in the end'}
          {budget !== undefined && `, of a budget of ${usd(budget)}`}
        </span>
      </div>
      <div class="plot" ref={plot} {...dragging}>
        <OverviewCanvas
          {...{ overview, whole, budget, until }}
          height={HEIGHT}
          label={`Model calls in flight, at most ${overview.most}, and money spent over time: ${spent}${budget === undefined ? '' : ` of a budget of ${usd(budget)}`}`}
        />
        {(window.from > whole.from || window.to < whole.to) && (
          <i
            class="seen"
            style={{
              left: `${share(window.from, whole)}%`,
              width: `${share(window.to, whole) - share(window.from, whole)}%`,
            }}
          />
        )}
        {from !== undefined && to !== undefined && (
          <i class="drag" style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }} />
        )}
      </div>
    </div>
  );
};

/** Two places between 0 and 1 while somebody drags, and what makes it so. */
function useDrag(plot: RefObject<HTMLElement | null>, whole: TimeWindow, onZoom: Props['onZoom']) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | undefined>(undefined);
  const placeOf = (event: MouseEvent): number => {
    const place = plot.current?.getBoundingClientRect();
    return place === undefined ? 0 : Math.min(1, Math.max(0, (event.clientX - place.left) / place.width));
  };
  const at = (part: number): number => timeAt(part * 100, whole);
  const [from, to] = drag === undefined ? [] : [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
  return {
    from,
    to,
    onMouseDown: (event: MouseEvent) => setDrag({ from: placeOf(event), to: placeOf(event) }),
    onMouseMove: (event: MouseEvent) => drag !== undefined && setDrag({ ...drag, to: placeOf(event) }),
    onMouseUp: () => {
      if (from !== undefined && to !== undefined && to - from > 0.005) onZoom({ from: at(from), to: at(to) });
      setDrag(undefined);
    },
    onMouseLeave: () => setDrag(undefined),
  };
}

interface CanvasProps extends Omit<Picture, 'width'> {
  /** Absent where what holds it says the same. */
  readonly label?: string;
}

/** Model calls in flight as a stepped area, money as a line over it. */
export const OverviewCanvas = ({ overview, whole, budget, until, height, label }: CanvasProps) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  // A canvas does not follow the colours of the page by itself.
  const dark = useMedia('(prefers-color-scheme: dark)');
  const width = useWidth(canvas);
  useEffect(() => {
    if (canvas.current !== null && width > 0) draw(canvas.current, { width, overview, whole, budget, until, height });
  }, [overview, budget, whole.from, whole.to, whole.skips, until, width, dark]);
  return label === undefined ? <canvas ref={canvas} /> : <canvas ref={canvas} role="img" aria-label={label} />;
};

interface Picture {
  readonly width: number;
  readonly overview: Overview;
  readonly whole: TimeWindow;
  readonly budget: number | undefined;
  readonly until: number;
  /** In pixels. */
  readonly height: number;
}

function draw(canvas: HTMLCanvasElement, { width, overview, whole, budget, until, height }: Picture): void {
  const { calls, most, money } = overview;
  const scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const style = getComputedStyle(canvas);
  const x = (at: number): number => (share(at, whole) / 100) * width;
  const y = (part: number): number => height - 1 - part * (height - 1 - height / 4);
  const end = Math.min(width, x(until));
  const highest = topOf(money.at(-1)?.[1] ?? 0, budget);
  pen.scale(scale, scale);
  const stepped = (points: readonly (readonly [number, number])[], highestOf: number): void =>
    steps(
      pen,
      points.map(([at, value]) => [x(at), y(highestOf === 0 ? 0 : value / highestOf)] as const),
      y(0),
      end,
    );
  pen.fillStyle = style.getPropertyValue('--calls');
  pen.beginPath();
  pen.moveTo(0, height);
  stepped(calls, most);
  pen.lineTo(end, height);
  pen.fill();
  pen.strokeStyle = style.getPropertyValue('--ink-2');
  pen.lineWidth = 1.2;
  pen.beginPath();
  pen.moveTo(0, y(0));
  stepped(money, highest);
  pen.stroke();
  if (budget === undefined || budget > highest) return;
  pen.strokeStyle = style.getPropertyValue('--limit');
  pen.lineWidth = 1;
  pen.setLineDash([4, 3]);
  pen.beginPath();
  pen.moveTo(0, y(budget / highest));
  pen.lineTo(width, y(budget / highest));
  pen.stroke();
}

function steps(
  pen: CanvasRenderingContext2D,
  points: readonly (readonly [number, number])[],
  floor: number,
  end: number,
): void {
  let height = floor;
  pen.lineTo(0, floor);
  for (const [at, next] of points) {
    pen.lineTo(at, height);
    pen.lineTo(at, next);
    height = next;
  }
  pen.lineTo(end, height);
}

function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const seen = element.current?.parentElement ?? null;
    if (seen === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(seen.clientWidth));
    observer.observe(seen);
    setWidth(seen.clientWidth);
    return () => observer.disconnect();
  }, []);
  return width;
}
