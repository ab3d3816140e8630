// The last events of a live run as they happen, in words.

import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { clock, duration, plural, usd } from '../../../../../src/views/amounts.ts';
import { doingNow } from '../../../../../src/views/progress/doing-now.ts';
import type { SessionProgress } from '../../../../../src/views/progress/progress.ts';
import { isAtWork } from '../../../../../src/views/progress/session-counts.ts';
import { runHref } from '../../../app/addresses.ts';
import { tick, useTicking } from '../../../data/clock.ts';
import { yourNames } from '../../../data/you.ts';
import { sinceStart } from '../../../parts/times.tsx';
import type { RunView } from '../run-view.ts';
import { type Happened, happened } from './happened.ts';
import { sinceOf } from './since.ts';

const SHOWN = 100;

export const Tail = ({ view }: { readonly view: RunView }) => {
  useTicking(true);
  const { events, count } = view.data.extent.value;
  const { start } = view.times.value;
  const lines = useMemo(
    () =>
      events
        .slice(Math.max(0, count - SHOWN * 2), count)
        .flatMap((event) => happened(event, view.facts.value, yourNames()) ?? [])
        .slice(-SHOWN),
    [count],
  );
  const end = useAtEnd(lines);
  const busy = view.data.progress.value.sessions.filter(isAtWork);
  return (
    <div class="tail stack wide-only paper ruled-above">
      <TailBar run={view.data.run} count={count} />
      <div
        class="fills scrolls"
        role="log"
        aria-live="off"
        aria-label="As it happens"
        tabIndex={0}
        ref={end.box}
        onScroll={end.scrolled}
      >
        {lines.map((line) => (
          <Line key={line.seq} of={line} run={view.data.run} start={start} />
        ))}
        {busy.slice(0, 8).map((session) => (
          <NowRow key={session.session} of={session} since={sinceOf(view.data.extent.value, session)} />
        ))}
      </div>
      <Told lines={lines.length === 0 ? '' : `${lines.at(-1)?.who} ${lines.at(-1)?.words}`} />
    </div>
  );
};

const TailBar = ({ run, count }: { readonly run: string; readonly count: number }) => (
  <div class="bar ground">
    <strong class="small-text">As it happens</strong>
    <span class="faint small-text">{plural(count, 'event')}</span>
    <span class="grow" />
    <a class="btn bare small" href={runHref(run, 'journal')}>
      Journal
    </a>
  </div>
);

const Line = ({ of, run, start }: { readonly of: Happened; readonly run: string; readonly start: number }) => (
  <a class="table-row ev small-text" href={runHref(run, 'journal', { selected: { kind: 'event', seq: of.seq } })}>
    <span class="num tiny-text faint wide-only">{of.seq}</span>
    <span class="num tiny-text faint">{sinceStart(of.at, start)}</span>
    <b class="cut">{of.who}</b>
    <span class="cut soft" dir="auto">
      {of.words} {of.code !== undefined && <code>{of.code}</code>}
    </span>
    <span class="num tiny-text faint wide-only">
      {of.ms !== undefined && duration(of.ms)} {of.usd !== undefined && usd(of.usd)}
    </span>
  </a>
);

const NowRow = ({ of, since }: { readonly of: SessionProgress; readonly since: number }) => (
  <div class="table-row ev now-ev small-text">
    <span class="wide-only" />
    <span class="num tiny-text">now</span>
    <b class="cut">{of.agent}</b>
    <span class="cut">
      {doingNow(of)}
      {of.turn > 0 && `, turn ${of.turn}`}
    </span>
    <span class="num tiny-text wide-only">{clock(tick.value - since)}</span>
  </div>
);

/** Says the latest line, at most once in five seconds: a log that speaks for every event could not be listened to. */
const Told = ({ lines }: { readonly lines: string }) => {
  const now = Math.floor(tick.value / 5000);
  const words = useMemo(() => lines, [now]);
  return (
    <span class="sr" aria-live="polite" dir="auto">
      {words}
    </span>
  );
};

/** Keeps the newest line in view, unless a person has scrolled up. */
function useAtEnd(lines: unknown) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const scrolled = ({ currentTarget: at }: { readonly currentTarget: HTMLDivElement }): void => {
    isAtEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < NEAR_PX;
  };
  return { box, scrolled };
}

const NEAR_PX = 40;
