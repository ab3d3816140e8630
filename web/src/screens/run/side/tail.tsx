// The last events of a live run as they happen, in words.

import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { clock, duration, plural, usd } from '../../../../../src/views/amounts.ts';
import { doingNow } from '../../../../../src/views/progress/doing-now.ts';
import { isAtWork } from '../../../../../src/views/progress/session-counts.ts';
import { runHref } from '../../../app/addresses.ts';
import { tick, useTicking } from '../../../data/clock.ts';
import { yourNames } from '../../../data/you.ts';
import { sinceStart } from '../../../parts/times.tsx';
import type { RunView } from '../run-view.ts';
import { happened } from './happened.ts';
import { sinceOf } from './since.ts';

const SHOWN = 100;

export const Tail = ({ view }: { readonly view: RunView }) => {
  useTicking(true);
  const { events, count } = view.data.extent.value;
  const { start } = view.times.value;
  const lines = useMemo(() => {
    const from = Math.max(0, count - SHOWN * 2);
    return events
      .slice(from, count)
      .flatMap((event) => happened(event, view.facts.value, yourNames()) ?? [])
      .slice(-SHOWN);
  }, [count]);
  const end = useAtEnd(lines);
  const busy = view.data.progress.value.sessions.filter(isAtWork);
  return (
    <div class="tail">
      <div class="bar tail-head">
        <strong class="small-text">As it happens</strong>
        <span class="faint small-text">{plural(count, 'event')}</span>
        <span class="grow" />
        <a class="btn bare small" href={runHref(view.data.run, 'journal')}>
          Journal
        </a>
      </div>
      <div
        class="tail-events"
        role="log"
        aria-live="off"
        aria-label="As it happens"
        tabIndex={0}
        ref={end.box}
        onScroll={end.scrolled}
      >
        {lines.map((line) => (
          <a
            key={line.seq}
            class="ev"
            href={runHref(view.data.run, 'journal', { selected: { kind: 'event', seq: line.seq } })}
          >
            <span class="num seq">{line.seq}</span>
            <span class="num">{sinceStart(line.at, start)}</span>
            <b class="cut">{line.who}</b>
            <span class="cut soft" dir="auto">
              {line.words} {line.code !== undefined && <code>{line.code}</code>}
            </span>
            <span class="num">
              {line.ms !== undefined && duration(line.ms)} {line.usd !== undefined && usd(line.usd)}
            </span>
          </a>
        ))}
        {busy.slice(0, 8).map((session) => (
          <div key={session.session} class="ev now-ev">
            <span />
            <span class="num">now</span>
            <b class="cut">{session.agent}</b>
            <span class="cut">
              {doingNow(session)}
              {session.turn > 0 && `, turn ${session.turn}`}
            </span>
            <span class="num">{clock(tick.value - sinceOf(view.data.extent.value, session))}</span>
          </div>
        ))}
      </div>
      <Told lines={lines.length === 0 ? '' : `${lines.at(-1)?.who} ${lines.at(-1)?.words}`} />
    </div>
  );
};

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
