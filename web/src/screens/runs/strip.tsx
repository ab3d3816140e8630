// The strip of days over the list: money, runs, and those that were not answered, on one axis. Dragging over days, or
// ⇧ and an arrow, chooses them; one that is clicked is chosen alone, or no more.

import { useMemo, useRef, useState } from 'preact/hooks';
import type { SpentList } from '../../../../src/server/protocol.ts';
import { costText, countText, dayAndTime, plural } from '../../../../src/views/amounts.ts';
import { dayAfter } from '../../../../src/views/runs/calendar.ts';
import { useKeys } from '../../app/keys.ts';
import type { RunCounts, SpentDays } from '../../data/run-counts.ts';
import { between, type ChosenDays, isChosenDay, type Slot } from './days.ts';

interface StripProps {
  readonly slots: readonly Slot[];
  readonly days: SpentDays | undefined;
  /** The sum of the chosen days. */
  readonly sum: RunCounts['sum'] | undefined;
  readonly chosen: ChosenDays | undefined;
  readonly onChoose: (days: ChosenDays | undefined) => void;
}

export const Strip = ({ slots, days, sum, chosen, onChoose }: StripProps) => {
  const rows = useMemo(() => rowsByKey(days), [days]);
  const most = useMemo(() => mostOf(slots, rows), [slots, rows]);
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(slots.length - 1);
  const drag = useDrag(slots, onChoose);
  const focusAt = (index: number): void => {
    setAt(index);
    (box.current?.children[index] as HTMLElement | undefined)?.focus();
  };
  useKeys(useMemo(() => [{ keys: 'd', does: 'days', run: () => focusAt(at) }], [at]));
  const pressed = useStripKeys({ slots, chosen, onChoose, at, focusAt });
  return (
    <section class="strip paper ruled" aria-label={days?.isOfOneDay === true ? 'Hours' : 'Days'}>
      <Sums all={days?.total} chosen={chosen === undefined ? undefined : { sum }} />
      <div
        ref={box}
        class="strip-days"
        role="group"
        aria-label="Choose days: drag, or ⇧ and an arrow; Escape shows all"
        onKeyDown={pressed}
        onPointerDown={drag.begin}
      >
        {slots.map((slot, index) => (
          <Day
            key={slot.key}
            slot={slot}
            row={rows.get(slot.key)}
            most={most}
            isChosen={isChosenDay(slot.key, drag.shown ?? chosen)}
            isInOrder={index === Math.min(at, slots.length - 1)}
            onToggle={() => {
              setAt(index);
              const isAlone = chosen?.first === slot.key && chosen.last === slot.key;
              onChoose(isAlone ? undefined : between(slot.key, slot.key));
            }}
          />
        ))}
      </div>
    </section>
  );
};

type DayRow = SpentList['rows'][number];

function rowsByKey(days: SpentDays | undefined): ReadonlyMap<string, DayRow> {
  const rows = days?.rows ?? [];
  const isOfHours = days?.isOfOneDay === true;
  const keyOf = ({ day = '', from = 0 }: DayRow): string =>
    isOfHours ? `${day}T${dayAndTime(from).slice(11, 13)}` : day;
  return new Map(rows.map((row) => [keyOf(row), row]));
}

const mostOf = (slots: readonly Slot[], rows: ReadonlyMap<string, DayRow>) => ({
  usd: Math.max(0, ...slots.map(({ key }) => rows.get(key)?.usd ?? 0)),
  runs: Math.max(0, ...slots.map(({ key }) => rows.get(key)?.runs ?? 0)),
});

interface SumsProps {
  readonly all: SpentList['total'] | undefined;
  /** Absent: no days are chosen. */
  readonly chosen: { readonly sum: RunCounts['sum'] | undefined } | undefined;
}

/** The chosen days of all. */
const Sums = ({ all, chosen }: SumsProps) => {
  const own = chosen === undefined ? all : chosen.sum;
  const lines = [
    { name: 'Cost', what: '', textOf: costText },
    { name: 'Runs', what: 'runs', textOf: ({ runs }: RunCounts['sum']) => countText(runs) },
    { name: 'Not answered', what: 'not answered', textOf: (sum: RunCounts['sum']) => countText(sum.notAnswered) },
  ];
  return (
    <dl class="pairs strip-sums nowrap wide-only tiny-text faint">
      {lines.map(({ name, what, textOf }) => (
        <div key={name}>
          <dt class="sr">{name}</dt>
          <dd class="num">{own === undefined ? '–' : textOf(own)}</dd>
          <dd>
            {chosen !== undefined && `of ${all === undefined ? '–' : textOf(all)} `}
            {what}
          </dd>
        </div>
      ))}
    </dl>
  );
};

interface DayProps {
  readonly slot: Slot;
  readonly row: DayRow | undefined;
  readonly most: { readonly usd: number; readonly runs: number };
  readonly isChosen: boolean;
  /** The Tab key reaches this one, and arrows the others. */
  readonly isInOrder: boolean;
  readonly onToggle: () => void;
}

const Day = ({ slot, row, most, isChosen, isInOrder, onToggle }: DayProps) => {
  const words =
    row === undefined
      ? 'no runs'
      : `${plural(row.runs, 'run')}, ${row.notAnswered === 0 ? 'all answered' : `${row.notAnswered} not answered`}, ${costText(row)}`;
  return (
    <button
      type="button"
      class="strip-day tiny-text faint"
      aria-pressed={isChosen}
      aria-label={`${slot.title}: ${words}`}
      title={`${slot.title}: ${words}`}
      tabIndex={isInOrder ? 0 : -1}
      onClick={onToggle}
    >
      <span class="strip-usd" style={{ '--part': partOf(row?.usd ?? 0, most.usd) }} />
      <span class="strip-runs" style={{ '--part': partOf(row?.runs ?? 0, most.runs) }} />
      <span
        class={row === undefined || row.notAnswered === 0 ? 'strip-bad num strong' : 'strip-bad num strong bad-words'}
      >
        {row === undefined || row.notAnswered === 0 ? '·' : countText(row.notAnswered)}
      </span>
      <span class="strip-below nowrap" data-text={slot.below} />
    </button>
  );
};

const partOf = (amount: number, most: number): string => `${most === 0 ? 0 : amount / most}`;

/** A pointer that goes down at one day and up at another chooses both and those between. */
function useDrag(slots: readonly Slot[], onChoose: StripProps['onChoose']) {
  const [drag, setDrag] = useState<readonly [number, number] | undefined>(undefined);
  const begin = (event: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
    if (event.button !== 0) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const indexAt = ({ clientX }: PointerEvent): number =>
      Math.max(0, Math.min(slots.length - 1, Math.floor(((clientX - left) / width) * slots.length)));
    const first = indexAt(event);
    let last = first;
    const listening = new AbortController();
    const move = (to: PointerEvent): void => {
      last = indexAt(to);
      setDrag(last === first ? undefined : [first, last]);
    };
    const end = (): void => {
      listening.abort();
      setDrag(undefined);
      if (last !== first) onChoose(between(slots[first]!.key, slots[last]!.key)); // else it is a click
    };
    const { signal } = listening;
    addEventListener('pointermove', move, { signal });
    addEventListener('pointerup', end, { signal });
    addEventListener('pointercancel', () => (listening.abort(), setDrag(undefined)), { signal });
  };
  const shown = drag === undefined ? undefined : between(slots[drag[0]]!.key, slots[drag[1]]!.key);
  return { shown, begin };
}

interface StripState extends Pick<StripProps, 'slots' | 'chosen' | 'onChoose'> {
  readonly at: number;
  readonly focusAt: (index: number) => void;
}

/** Arrows move the focus, with ⇧ they choose from where it was to where it comes. */
function useStripKeys({ slots, chosen, onChoose, at, focusAt }: StripState) {
  const anchor = useRef<string | undefined>(undefined);
  return (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && chosen !== undefined) onChoose(undefined);
    else {
      const to = TARGETS[event.key]?.(at, slots.length - 1);
      if (to === undefined) return;
      const here = slots[at]?.key ?? '';
      anchor.current = event.shiftKey ? (anchor.current ?? here) : undefined;
      // Before the first day there are others.
      const next = to < 0 && here.length === DAY ? dayAfter(here, to) : slots[Math.max(0, to)]?.key;
      if (anchor.current !== undefined && next !== undefined) onChoose(between(anchor.current, next));
      focusAt(Math.max(0, Math.min(slots.length - 1, to)));
    }
    event.preventDefault();
    event.stopPropagation();
  };
}

const DAY = '2026-11-15'.length;

const TARGETS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at, last) => Math.min(last, at + 1),
  Home: () => 0,
  End: (_, last) => last,
};
