// The timeline: tree and time in one table. What is drawn is computed by rows.ts and bars.ts.

import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { escapeUnseen } from '../../../../../src/base/text/escape-unseen.ts';
import { plural } from '../../../../../src/views/amounts.ts';
import { askedDetail, askedWords } from '../../../../../src/views/asking/asked-words.ts';
import { doingNow, mostTelling } from '../../../../../src/views/progress/doing-now.ts';
import type { SessionProgress } from '../../../../../src/views/progress/progress.ts';
import { matches, parseFilter } from '../../../../../src/views/runs/filter.ts';
import type { Address } from '../../../app/addresses.ts';
import { address as here, select, setQuery } from '../../../app/router.ts';
import { useTicking } from '../../../data/clock.ts';
import type { Extent } from '../../../data/folded.ts';
import { RowsWindow } from '../../../parts/rows-window.tsx';
import { isSame } from '../../../parts/same.ts';
import { stateOf } from '../../../parts/state.tsx';
import type { RunView } from '../run-view.ts';
import { sinceOf } from '../side/since.ts';
import { ticksOf } from './axis.ts';
import type { BarSource } from './bars.ts';
import { columns } from './columns.ts';
import { Downs, dependentsOf } from './downs.tsx';
import { follow } from './following.ts';
import { GridLines } from './grid-lines.tsx';
import { GroupArea } from './group-area.tsx';
import { TimelineHead } from './head.tsx';
import { Legend } from './legend.tsx';
import { openedIn, withRow } from './opened.ts';
import { overviewOf } from './overview.ts';
import { OverviewStrip } from './overview.tsx';
import { rowId, TimelineRow } from './row.tsx';
import type { Doing } from './row-name.tsx';
import { keptRows, type Level, type Row, rowsOf } from './rows.ts';
import { Scrubber } from './scrubber.tsx';
import { filteredOf } from './searched.ts';
import { share, skippedIn } from './time-window.ts';
import '../../../parts/bars.css';
import './timeline.css';
import { TimelineBar } from './timeline-bar.tsx';
import { useBars } from './use-bars.ts';
import { type TimelineTime, useTime } from './use-time.ts';
import { useTimelineKeys } from './use-timeline-keys.ts';

export interface TimelineProps {
  readonly view: RunView;
  readonly address: Address;
  readonly level: Level;
  readonly live: boolean;
}

const ROW = 24;
const LANE = 40;
const HEAD = 24;

export const Timeline = (props: TimelineProps) => {
  const { view, address, level, live } = props;
  const { data } = view;
  useTicking(live);
  const time = useTime(view, address, live);
  const shown = useRows(view, address, level);
  const { window, whole, skips, zoomTo, now } = time;
  const { rows, selected } = shown;
  useEffect(() => {
    performance.mark(`cadre:rows:${data.run}`);
  }, [data]);
  const overview = useOverview(data, live);
  useTimelineKeys({ view, rows, selected, level, whole, window, zoomTo, now, setOpen, skips, live });
  const { names, figures } = columns.value;
  return (
    <div class="pane">
      <TimelineBar {...props} time={time} isSelected={selected !== undefined} />
      <div
        class={`tl stack fills${level === 'agents' ? ' lanes' : ''}`}
        style={{
          '--names-chosen': names === undefined ? undefined : `${names}px`,
          '--figs-chosen': figures === undefined ? undefined : `${figures}px`,
        }}
      >
        <OverviewStrip
          overview={overview}
          totals={data.ledger.value.totals}
          budget={view.agents.value.get(view.facts.value.start?.agent ?? '')?.budget?.usd}
          whole={time.around}
          window={window}
          live={live}
          until={live ? now : whole.to}
          onZoom={zoomTo}
        />
        <Table {...props} time={time} shown={shown} />
      </div>
      <Scrubber view={view} live={live} />
      <Legend />
    </div>
  );
};

/** The data of the strip above the table; calls that are out count as well. */
const useOverview = (data: RunView['data'], live: boolean) =>
  useMemo(
    () => overviewOf(data.ledger.value.lines, live ? openCalls(data.extent.value, data.progress.value.sessions) : []),
    [data.ledger.value, live],
  );

interface TableProps extends TimelineProps {
  readonly time: TimelineTime;
  readonly shown: ReturnType<typeof useRows>;
}

const Table = (props: TableProps) => {
  const { view, level, live, time, shown } = props;
  const { now, window, followed } = time;
  const { rows, selected, shape } = shown;
  const looksOf = useLooks(props);
  const atEnd = useEnd(followed, view.data.extent.value.count);
  const ticks = ticksOf(window, time.whole.from);
  const skipped = skippedIn(window);
  const lanes = level === 'agents';
  const height = lanes ? LANE : ROW;
  return (
    <RowsWindow
      rows={rows}
      height={height}
      keyOf={keyOf}
      headerHeight={HEAD}
      role="treegrid"
      label="Timeline of ops"
      activeId={rows.some(({ key }) => key === selected) ? rowId(selected ?? '') : undefined}
      shownKey={followed ? undefined : selected}
      atEnd={atEnd}
      onHand={() => follow(false)}
      countedSince={live ? shape : undefined}
      header={<TimelineHead words={countWords(rows)} ticks={ticks} skipped={skipped} />}
      behind={(seen) => (
        <GridLines ticks={ticks} skipped={skipped} now={live && now <= window.to ? share(now, window) : undefined}>
          <Downs rows={rows} window={window} height={height} seen={seen} />
        </GridLines>
      )}
      render={(row, { index, top, slot }) => (
        <TimelineRow
          key={slot}
          row={row}
          index={index}
          top={top}
          selected={row.key === selected}
          {...looksOf(row)}
          onSelect={selectRow}
          onTwist={twistRow}
        />
      )}
    />
  );
};

/** The looks of a row beside its name: bars, words, and whether a filter means it. */
function useLooks({ view, address, level, live, time, shown }: TableProps) {
  const { data } = view;
  const { now, window, whole } = time;
  const { rows } = shown;
  const facts = view.facts.value;
  const tree = data.tree.value;
  // The journal of a run that has ended is still on its way: what has no end yet has one.
  const arriving = !live && data.shownAt.value === undefined && tree.state === 'running' ? data.ended.value : undefined;
  const lanes = level === 'agents';
  const doing = useDoing(view, lanes && live);
  const dependents = useMemo(() => dependentsOf(rows), [rows]);
  const source: BarSource = {
    facts: facts.at,
    start: whole.from,
    last: view.times.value.last,
    dependents: (path) => dependents.get(path),
  };
  const barsFor = useBars(source, data.extent.value.count);
  const dimmed = useDimmed(rows, { q: address.query['q'] ?? '', at: facts.at, now });
  return (row: Row) => ({
    bars: barsFor(row, window, now),
    doing: lanes ? doing.get(row.key) : undefined,
    area: row.group === undefined ? undefined : <GroupArea runs={row.group} window={window} now={now} />,
    arriving,
    dimmed: dimmed?.has(row.key) === true,
    argument: row.kind === 'op' ? argumentOf(facts.at(row.node.path)) : undefined,
    attempts: row.kind === 'turn' ? attemptsOf(row, facts.at) : 0,
  });
}

const selectRow = (key: string): void => {
  follow(false);
  if (!key.startsWith('group ')) select({ kind: 'op', path: key });
  setQuery({ side: undefined });
};

const twistRow = (key: string, open: boolean): void => {
  follow(false);
  setOpen(key, open);
};

/** The rows that are open, with those of before in the place of their equals. */
function useRows(view: RunView, { query, selected: chosen }: Address, level: Level) {
  const tree = view.data.tree.value;
  const selected = chosen?.kind === 'op' ? chosen.path : undefined;
  const byHand = useMemo(() => openedIn(query['rows']), [query['rows']]);
  const instants = query['instants'] !== undefined;
  const before = useRef<readonly Row[]>([]);
  const rows = useMemo(() => {
    before.current = keptRows(rowsOf(tree, { level, byHand, instants, shown: selected }), before.current);
    return before.current;
  }, [tree, level, byHand, instants, selected]);
  /** The shape that a person chose: rows that it brings are not new. */
  const shape = useMemo(() => ({}), [level, byHand, instants, selected, view.data]);
  return { rows, selected, shape };
}

interface Filtered {
  readonly q: string;
  readonly at: RunView['facts']['value']['at'];
  readonly now: number;
}

/** The rows that a filter does not mean; undefined without one. */
function useDimmed(rows: readonly Row[], { q, at, now }: Filtered): ReadonlySet<string> | undefined {
  return useMemo(() => {
    const filter = parseFilter(q);
    return filter.length === 0 ? undefined : dimmedRows(rows, (row) => matches(filteredOf(row, at), filter, now));
  }, [rows, q]);
}

/** A run that was followed when it ended is followed to its last event. */
function useEnd(followed: boolean, count: number): boolean {
  const seen = useRef<number | undefined>(undefined);
  const atEnd = followed || (seen.current !== undefined && seen.current !== count);
  useLayoutEffect(() => {
    seen.current = followed ? count : undefined;
  });
  return atEnd;
}

const keyOf = (row: Row): string => row.key;

/** A link carries which rows were opened. */
const setOpen = (key: string, open: boolean): void =>
  setQuery({ rows: withRow(openedIn(here.peek().query['rows']), key, open) });

/** Rows that do not match and have nothing below that does. */
function dimmedRows(rows: readonly Row[], fits: (row: Row) => boolean): ReadonlySet<string> {
  const dim = new Set<string>();
  let depth = -1;
  for (const row of rows.toReversed()) {
    const leads = depth > row.depth;
    if (fits(row)) depth = row.depth;
    else if (leads) depth = row.depth;
    else dim.add(row.key);
    if (row.depth < depth) depth = row.depth;
  }
  return dim;
}

const argumentOf = (facts: ReturnType<RunView['facts']['value']['at']>): string | undefined => {
  if (facts?.op?.kind === 'approval') return askedDetail(facts.op.about) || askedWords(facts.op);
  const given = facts?.op?.kind === 'tool' ? facts.op.call.arguments : undefined;
  if (typeof given !== 'object' || given === null) return undefined;
  const first = Object.values(given).find((value) => typeof value === 'string' || typeof value === 'number');
  return first === undefined ? undefined : escapeUnseen(String(first).slice(0, 120).replaceAll(/\s+/g, ' '));
};

const attemptsOf = ({ node }: Row, at: RunView['facts']['value']['at']): number => {
  const facts = at(node.path);
  if (facts === undefined || facts.attempts.length === 0) return 0;
  return facts.attempts.length + (facts.attempts.at(-1)?.then.kind === 'give-up' ? 0 : 1);
};

/** `4 sessions`; rows as soon as some are of other things. */
const countWords = (rows: readonly Row[]): string =>
  rows.every(({ kind }) => kind === 'agent') ? plural(rows.length, 'session') : plural(rows.length, 'row');

/** The first calls stand for the rest, of very many: the strip needs no more. */
const openCalls = (extent: Extent, sessions: readonly SessionProgress[]): readonly number[] =>
  sessions
    .filter(({ activity }) => activity.kind === 'thinking')
    .slice(0, 200)
    .map((session) => sinceOf(extent, session));

/** The activity of each session, by its path. Of very many, only the most telling have words. */
function useDoing(view: RunView, on: boolean): ReadonlyMap<string, Doing> {
  const progress = on ? view.data.progress.value : undefined;
  const before = useRef<ReadonlyMap<string, Doing>>(new Map());
  return useMemo(() => {
    if (progress === undefined) return new Map<string, Doing>();
    before.current = new Map(
      mostTelling(progress.sessions, 600).map((session) => {
        const then = before.current.get(session.session);
        const now = {
          words: `${doingNow(session)}${session.turn > 0 ? `, ${view.turnWords(session)}` : ''}`,
          state: stateOf(session.activity),
        };
        // The same object where nothing is new, so that its row is not drawn again.
        return [session.session, then !== undefined && isSame(now, then) ? then : now];
      }),
    );
    return before.current;
  }, [progress, view.agents.value]);
}
