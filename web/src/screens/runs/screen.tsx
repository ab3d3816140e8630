// The runs of the store, newest first, by day. Above them the days, beside them a peek at the one with the focus.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RunRow } from '../../../../src/server/protocol.ts';
import { dayAndTime } from '../../../../src/views/amounts.ts';
import { matches, parseFilter } from '../../../../src/views/runs/filter.ts';
import { filteredRun } from '../../../../src/views/runs/filtered-run.ts';
import type { Address } from '../../app/addresses.ts';
import { setQuery } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { localCalendar, localZone } from '../../data/calendar.ts';
import { serverNow } from '../../data/clock.ts';
import { type ListedRuns, type ListFilter, useListedRuns } from '../../data/listed-runs.ts';
import { type SpentDays, useRunCounts } from '../../data/run-counts.ts';
import { useThreadRuns } from '../../data/thread-runs.ts';
import { later, loadAhead } from '../../parts/later.tsx';
import { LoadingScreen } from '../../parts/loading.tsx';
import { useMedia } from '../../parts/media.ts';
import { Empty } from '../../parts/panel.tsx';
import { RowsWindow } from '../../parts/rows-window.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import { ChooseBar } from './choose-bar.tsx';
import { chosenDays, daySlots, hourSlots, withDays, withoutDays } from './days.ts';
import { hrefOfRow, RowOfList } from './list-row.tsx';
import { Marks, useMarks } from './marks.tsx';
import { NoMatch } from './no-match.tsx';
import { Peek } from './peek.tsx';
import { CHOICES, choiceWords, isChosen, type ListRow, listRows, type RunChoice } from './run-rows.ts';
import { Strip } from './strip.tsx';
import { type FocusableRow, LAST, useListKeys } from './use-list-keys.ts';
import { Waiting } from './waiting.tsx';
import './runs.css';

const ROW_PX = 32;
/** The height of a run's two lines on a phone. */
const TWO_LINES_PX = 54;
const STRIP_DAYS = 35;
const STRIP_DAYS_ON_A_PHONE = 14;
/** So long after the last letter the server is asked. */
const TYPED_MS = 150;

const FirstVisit = later('screen', () => import('../../parts/ask/first-visit.tsx').then((one) => one.FirstVisit));

export const RunsScreen = ({ address }: { readonly address: Address }) => {
  const { query } = address;
  const choice = CHOICES.find((one) => one === query['state']) ?? 'all';
  const q = useSettled(query['q'] ?? '', TYPED_MS);
  const filter = useMemo(() => filterOf(q, choice), [q, choice]);
  const list = useListedRuns(filter);
  useTitle('Runs');
  const state = list.state.value;
  useEffect(() => {
    if (state !== 'loading') void loadAhead();
  }, [state === 'loading']);
  if (state === 'loading') return <LoadingScreen rows={16} />;
  if (state !== 'ready')
    return (
      <Empty title="The runs cannot be read">
        <p>{state.refused.message}</p>
      </Empty>
    );
  return list.rows.value.length === 0 && filter.q === '' ? (
    <FirstVisit />
  ) : (
    <RunsList list={list} filter={filter} query={query} choice={choice} q={q} />
  );
};

function filterOf(q: string, choice: RunChoice): ListFilter {
  const words = parseFilter(q, q.includes(':') ? localCalendar() : undefined);
  return {
    q: choiceWords(choice, q),
    zone: localZone(),
    fits: (row) => isChosen(row, choice) && matches(filteredRun(row, row.prefix, row.notes), words, serverNow()),
  };
}

const dayOf = (at: number): string => dayAndTime(at).slice(0, 10);

interface RunsListProps {
  readonly list: ListedRuns;
  readonly filter: ListFilter;
  readonly query: Address['query'];
  readonly choice: RunChoice;
  /** The words that the rows are chosen by. */
  readonly q: string;
}

const RunsList = ({ list, filter, query, choice, q }: RunsListProps) => {
  const { counts, days } = useRunCounts({
    all: q,
    chosen: filter.q,
    days: choiceWords(choice, withoutDays(q)),
    zone: filter.zone,
  });
  const { opened, toggle } = openedThreads(query['open'] ?? '');
  const messages = useThreadRuns(opened, filter);
  const { rows, unseen, showNew, scrolled } = useNewRows(list.rows.value);
  const shown = useMemo(() => listRows(rows, dayOf, messages), [rows, messages]);
  const focusable = useMemo(() => shown.filter(isFocusable), [shown]);
  const focused = focusable.find(({ key }) => key === query['run']) ?? focusable.at(query['run'] === LAST ? -1 : 0);
  const marks = useMarks(query['mark'], focused?.row.run);
  const isPhone = useMedia('(max-width: 719px)');
  const { isNarrow, isPeeking, peek } = usePeeking(query);
  const keys = { rows: focusable, focused, opened, toggle, marks };
  useListKeys({ ...keys, toEnd: () => list.toEnd(), peek: () => peek(!isPeeking) });
  useEffect(() => {
    performance.mark('cadre:runs'); // see `npm run bench -- --page`
  }, []);
  return (
    <div class="stack full">
      <h1 class="sr">Runs</h1>
      <Days days={days} sum={counts?.sum} q={query['q'] ?? ''} isPhone={isPhone} />
      <ChooseBar query={query} choice={choice} counts={counts} unseen={unseen} onShowNew={showNew} />
      <Marks of={marks} />
      <div class={isPeeking && focused !== undefined ? 'split fills' : 'split alone fills'}>
        <div class="pane">
          <Waiting />
          <Head />
          {shown.length === 0 ? (
            <NoMatch q={q} choice={choice} />
          ) : (
            <ShownRows
              rows={shown}
              focused={focused?.key}
              marked={marks.runs}
              days={days}
              isPhone={isPhone}
              onToggle={toggle}
              onScroll={({ first, last }) => {
                scrolled(first);
                if (last > shown.length - 20) list.more();
              }}
            />
          )}
        </div>
        {isPeeking && focused !== undefined && (
          <PeekAt key={focused.key} of={focused} rows={rows} isDrawer={isNarrow} onClose={() => peek(false)} />
        )}
      </div>
    </div>
  );
};

interface PeekAtProps {
  readonly of: FocusableRow;
  readonly rows: readonly RunRow[];
  readonly isDrawer: boolean;
  readonly onClose: () => void;
}

const PeekAt = ({ of, rows, isDrawer, onClose }: PeekAtProps) => (
  <Peek
    row={of.row}
    href={hrefOfRow(of)}
    isChat={of.kind === 'run' && of.row.messages !== undefined}
    isDrawer={isDrawer}
    forks={rows.filter(({ forkedFrom }) => forkedFrom?.run === of.row.run)}
    onClose={onClose}
  />
);

/** The threads whose messages are rows, as the address says. */
function openedThreads(named: string) {
  const opened = named.split(',').filter((thread) => thread !== '');
  const toggle = (thread: string): void => {
    const open = opened.includes(thread) ? opened.filter((one) => one !== thread) : [...opened, thread];
    setQuery({ open: open.length === 0 ? undefined : open.join(',') });
  };
  return { opened, toggle };
}

/** Beside a wide list a run is looked at unless it was closed; over a narrow one only if it was opened. */
function usePeeking(query: Address['query']) {
  const isNarrow = useMedia('(max-width: 1199px)');
  const isPeeking = query['peek'] === undefined ? !isNarrow : query['peek'] === 'on';
  const peek = (is: boolean): void => setQuery({ peek: is === !isNarrow ? undefined : is ? 'on' : 'off' });
  return { isNarrow, isPeeking, peek };
}

interface ShownProps {
  readonly rows: readonly ListRow[];
  readonly focused: string | undefined;
  readonly marked: readonly string[];
  readonly days: ReturnType<typeof useRunCounts>['days'];
  readonly isPhone: boolean;
  readonly onToggle: (thread: string) => void;
  readonly onScroll: (place: { readonly first: number; readonly last: number }) => void;
}

const ShownRows = ({ rows, focused, marked, days, isPhone, onToggle, onScroll }: ShownProps) => {
  const withFolder = new Set(rows.filter(isFocusable).map(({ row }) => row.folder)).size > 1;
  return (
    <RowsWindow
      rows={rows}
      height={isPhone ? TWO_LINES_PX : ROW_PX}
      keyOf={({ key }) => key}
      shownKey={focused}
      label="Runs"
      role="grid"
      className="paper"
      onScroll={onScroll}
      render={(row, { index, top, slot }) => (
        <RowOfList
          key={slot}
          of={row}
          index={index}
          top={top}
          focused={row.key === focused}
          marked={isFocusable(row) && marked.includes(row.row.run)}
          withFolder={withFolder}
          days={days}
          onFocus={(key) => setQuery({ run: key })}
          onToggle={onToggle}
        />
      )}
    />
  );
};

const isFocusable = (row: ListRow): row is FocusableRow => row.kind === 'run' || row.kind === 'message';

/** A run that is new appears when the list stands at its top; else it is counted. */
function useNewRows(all: readonly RunRow[]) {
  const [isAtTop, setAtTop] = useState(true);
  const [known, setKnown] = useState<string | undefined>(undefined);
  const newest = isAtTop ? undefined : known;
  const unseen =
    newest === undefined
      ? 0
      : Math.max(
          0,
          all.findIndex(({ run }) => run === newest),
        );
  const rows = useMemo(() => (unseen === 0 ? all : all.slice(unseen)), [all, unseen]);
  return {
    rows,
    unseen,
    showNew: () => setKnown(all[0]?.run),
    scrolled: (first: number) => {
      setAtTop(first === 0);
      if (first === 0) setKnown(all[0]?.run);
    },
  };
}

interface DaysProps {
  readonly days: SpentDays | undefined;
  readonly sum: Parameters<typeof Strip>[0]['sum'];
  readonly q: string;
  readonly isPhone: boolean;
}

/** Days; the hours of one, where all is of one day. */
const Days = ({ days, sum, q, isPhone }: DaysProps) => {
  const today = dayOf(serverNow());
  const chosen = chosenDays(q);
  const count = isPhone ? STRIP_DAYS_ON_A_PHONE : STRIP_DAYS;
  const only = days?.isOfOneDay === true ? days.rows[0]?.day : undefined;
  const slots = useMemo(
    () => (only === undefined ? daySlots(today, count, chosen) : hourSlots(only)),
    [only, today, count, q],
  );
  return (
    <Strip
      slots={slots}
      days={days}
      sum={sum}
      chosen={chosen}
      onChoose={(next) => {
        const words = withDays(q, next);
        setQuery({ q: words === '' ? undefined : words });
      }}
    />
  );
};

const Head = () => (
  <div class="table-row heads runs-head wide-only tiny-text faint ruled" aria-hidden="true">
    <span>state</span>
    <span>agent</span>
    <span>asked</span>
    <span class="num">began</span>
    <span class="num">time</span>
    <span class="num">calls</span>
    <span class="num">tokens</span>
    <span class="num">cost</span>
  </div>
);
