// The time below the graph: the overview of the run as a slider over its events, and a way to watch them go by.

import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunEvent } from '../../../../src/journal/event.ts';
import { ledgerFold } from '../../../../src/views/costs/ledger.ts';
import { type RunWaits } from '../../../../src/views/waits.ts';
import { serverNow } from '../../data/clock.ts';
import { folded } from '../../data/folded.ts';
import type { RunData } from '../../data/run-data.ts';
import { Button, Key } from '../../parts/controls.tsx';
import { seconds } from '../../parts/times.tsx';
import { overviewOf } from '../run/timeline/overview.ts';
import { OverviewCanvas } from '../run/timeline/overview.tsx';
import { share, type TimeWindow, timeAt } from '../run/timeline/time-window.ts';

const HEIGHT = 38;

interface Props {
  readonly data: RunData;
  /** The number of events that are shown. */
  readonly count: number;
  readonly waits: RunWaits['waits'];
  readonly live: boolean;
  /** Undefined: as it is. */
  readonly onShow: (count: number | undefined) => void;
}

export const Travel = ({ data, count, waits, live, onShow }: Props) => {
  const all = data.count.value;
  const lines = useLines(data);
  const overview = useMemo(() => overviewOf(lines.value, []), [lines.value]);
  const { events } = data;
  const start = events[0]?.at ?? 0;
  const last = live ? Math.max(serverNow(), timeOf(events, all)) : timeOf(events, all);
  const whole: TimeWindow = useMemo(() => ({ from: start, to: last + 1, skips: waits }), [start, last, waits]);
  const isNow = count >= all;
  const at = isNow ? last : timeOf(events, count);
  const play = usePlay({ data, count, waits, onShow });
  const go = (to: number): void => {
    play.stop();
    onShow(Math.min(all, Math.max(1, to)));
  };
  const words = `event ${count - 1}${isNow && live ? ', now' : ` of ${all - 1}`}`;
  return (
    <div class="graph-travel line gaps-12 paper ruled-above">
      <PlayButton of={play} />
      <span class="stack num small-text graph-at">
        <strong>+{seconds(at - start)}</strong>
        <span class="tiny-text faint">{words}</span>
      </span>
      <Track
        words={`${words}, +${seconds(at - start)}`}
        count={count}
        all={all}
        grip={share(at, whole)}
        countIn={(part) => countAt(events, all, timeAt(part, whole))}
        onGo={go}
      >
        <OverviewCanvas overview={overview} whole={whole} budget={undefined} until={last} height={HEIGHT} />
      </Track>
      <span class="faint wide-only">
        <Key keys="t" /> <Key keys="ArrowLeft" /> <Key keys="ArrowRight" />
      </span>
      <BackToNow live={live} isNow={isNow} onShow={() => onShow(isNow ? all - 1 : undefined)} />
    </div>
  );
};

interface BackProps {
  readonly live: boolean;
  readonly isNow: boolean;
  readonly onShow: () => void;
}

const BackToNow = ({ live, isNow, onShow }: BackProps) => {
  if (live)
    return (
      <Button size="small" icon="down" keys="f" pressed={isNow} onPress={onShow}>
        {isNow ? 'Following' : 'Back to now'}
      </Button>
    );
  if (isNow) return null;
  return (
    <Button size="small" keys="f" onPress={onShow}>
      Back to the end
    </Button>
  );
};

interface TrackProps {
  /** The moment that is shown, for those who do not see the grip. */
  readonly words: string;
  readonly count: number;
  readonly all: number;
  /** The place of the grip, and of a pointer: per cent of the width. */
  readonly grip: number;
  readonly countIn: (part: number) => number;
  readonly onGo: (count: number) => void;
  readonly children: ComponentChildren;
}

const Track = ({ words, count, all, grip, countIn, onGo, children }: TrackProps) => (
  <div
    class="graph-track"
    role="slider"
    tabIndex={0}
    aria-label="Time travel"
    aria-valuemin={0}
    aria-valuemax={Math.max(0, all - 1)}
    aria-valuenow={count - 1}
    aria-valuetext={words}
    onPointerDown={(event) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      onGo(countIn(placeIn(event)));
    }}
    onPointerMove={(event) => {
      if (event.currentTarget.hasPointerCapture(event.pointerId)) onGo(countIn(placeIn(event)));
    }}
    onKeyDown={(event) => {
      const to = stepTo(event, count, all);
      if (to === undefined) return;
      event.preventDefault();
      onGo(to);
    }}
  >
    {children}
    <i class="graph-grip" style={{ left: `${Math.min(100, grip)}%` }} />
  </div>
);

/** The calls of the whole run, whichever moment is looked at. */
function useLines(data: RunData) {
  return useMemo(() => {
    const ledger = folded(ledgerFold);
    return computed(() => ledger.upTo({ events: data.events, count: data.count.value, settled: false }).ledger().lines);
  }, [data]);
}

const timeOf = (events: readonly RunEvent[], count: number): number => events[count - 1]?.at ?? 0;

const placeIn = (event: PointerEvent & { readonly currentTarget: HTMLElement }): number => {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  return Math.min(100, Math.max(0, ((event.clientX - left) / Math.max(1, width)) * 100));
};

/** The number of events there had been at a time. */
function countAt(events: readonly RunEvent[], all: number, at: number): number {
  let [low, high] = [0, all];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function stepTo({ key, shiftKey }: KeyboardEvent, count: number, all: number): number | undefined {
  const step = shiftKey ? 10 : 1;
  if (key === 'ArrowLeft' || key === 'ArrowDown') return count - step;
  if (key === 'ArrowRight' || key === 'ArrowUp') return count + step;
  if (key === 'Home') return 1;
  return key === 'End' ? all : undefined;
}

interface Playing {
  readonly isOn: boolean;
  readonly toggle: () => void;
  readonly stop: () => void;
}

const PlayButton = ({ of: { isOn, toggle } }: { readonly of: Playing }) => (
  <Button
    size="small"
    icon={isOn ? 'waiting' : 'play'}
    label={isOn ? 'Stop playing' : 'Play from here'}
    onPress={toggle}
  />
);

/** At real speed, without the waits. */
function usePlay({ data, count, waits, onShow }: Pick<Props, 'data' | 'count' | 'waits' | 'onShow'>): Playing {
  const [isOn, setOn] = useState(false);
  const latest = useRef({ count, waits, onShow });
  latest.current = { count, waits, onShow };
  useEffect(() => {
    if (!isOn) return undefined;
    const { events } = data;
    const all = data.count.peek();
    // From the end it begins anew.
    const first = latest.current.count >= all ? 1 : latest.current.count;
    let clock = timeOf(events, first);
    let before = performance.now();
    let frame = 0;
    const step = (now: number): void => {
      clock += now - before;
      before = now;
      const wait = latest.current.waits.find(({ from, to }) => clock > from && clock < to);
      if (wait !== undefined) clock = wait.to;
      const next = countAt(events, data.count.peek(), clock);
      if (next >= data.count.peek()) {
        latest.current.onShow(undefined);
        return setOn(false);
      }
      if (next !== latest.current.count) latest.current.onShow(next);
      frame = requestAnimationFrame(step);
    };
    latest.current.onShow(first);
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [isOn, data]);
  return { isOn, toggle: () => setOn(!isOn), stop: () => setOn(false) };
}
