// The timeline: tree and time in one table. What is drawn is computed by rows.ts and bars.ts.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { escapeUnseen } from '../../../../../src/base/text/escape-unseen.ts';
import { plural } from '../../../../../src/views/amounts.ts';
import { askedDetail, askedWords } from '../../../../../src/views/asking/asked-words.ts';
import { doingNow, mostTelling } from '../../../../../src/views/progress/doing-now.ts';
import type { SessionProgress } from '../../../../../src/views/progress/progress.ts';
import { matches, parseFilter } from '../../../../../src/views/runs/filter.ts';
import { badBelow } from '../../../../../src/views/runs/run-standing.ts';
import type { Address } from '../../../app/addresses.ts';
import { address as here, select, setQuery } from '../../../app/router.ts';
import { tick, useTicking } from '../../../data/clock.ts';
import type { Extent } from '../../../data/folded.ts';
import { Button, Choices, FilterField } from '../../../parts/controls.tsx';
import { RowsWindow } from '../../../parts/rows-window.tsx';
import { isSame } from '../../../parts/same.ts';
import { stateOf } from '../../../parts/state.tsx';
import { seconds } from '../../../parts/times.tsx';
import { failedBelow } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';
import { sinceOf } from '../side/since.ts';
import { ticksOf } from './axis.ts';
import type { BarSource } from './bars.ts';
import { columns } from './columns.ts';
import { Downs, dependentsOf } from './downs.tsx';
import { FollowButton } from './follow-button.tsx';
import { follow, isFollowed } from './following.ts';
import { GroupArea } from './group-area.tsx';
import { TimelineHead } from './head.tsx';
import { Legend } from './legend.tsx';
import { openedIn, withRow } from './opened.ts';
import { overviewOf } from './overview.ts';
import { OverviewStrip } from './overview.tsx';
import { type Doing, rowId, TimelineRow } from './row.tsx';
import { keptRows, type Level, type Row, rowsOf } from './rows.ts';
import { Scrubber } from './scrubber.tsx';
import { filteredOf } from './searched.ts';
import { roomAfter, share, skippedIn, type TimeWindow } from './time-window.ts';
import './timeline.css';
import { useBars } from './use-bars.ts';
import { type Skips, skipWaits, useSkips } from './use-skips.ts';
import { useTimelineKeys } from './use-timeline-keys.ts';
import { useZoom } from './use-zoom.ts';

export interface TimelineProps {
  readonly view: RunView;
  readonly address: Address;
  readonly level: Level;
  readonly live: boolean;
}

const ROW = 24;
const LANE = 40;
const HEAD = 24;

/** The whole of the time: to the last event, or to now with a tenth of room. */
function wholeOf(
  from: number,
  now: number,
  { live, skips }: { readonly live: boolean; readonly skips: Skips['waits'] },
): TimeWindow {
  const seen = now - from - skips.reduce((sum, wait) => sum + wait.to - wait.from, 0);
  return { from, to: live ? now + roomAfter(seen, skips.length) : now + 1, skips };
}

export const Timeline = ({ view, address, level, live }: TimelineProps) => {
  const { data } = view;
  useTicking(live);
  const now = live ? Math.max(tick.value, view.times.value.last) : view.times.value.last;
  const tree = data.tree.value;
  const facts = view.facts.value;
  const selected = address.selected?.kind === 'op' ? address.selected.path : undefined;
  const byHand = useMemo(() => openedIn(address.query['rows']), [address.query['rows']]);
  const followed = live && isFollowed(address);
  const instants = address.query['instants'] !== undefined;
  const before = useRef<readonly Row[]>([]);
  const rows = useMemo(() => {
    before.current = keptRows(rowsOf(tree, { level, byHand, instants, shown: selected }), before.current);
    return before.current;
  }, [tree, level, byHand, instants, selected]);
  useEffect(() => {
    performance.mark(`cadre:rows:${data.run}`);
  }, [data]);
  // The journal of a run that has ended is still on its way: what has no end yet has one.
  const arriving = !live && data.shownAt.value === undefined && tree.state === 'running' ? data.ended.value : undefined;
  const lanes = level === 'agents';
  const doing = useDoing(view, lanes && live);
  const skips = useSkips(view, now);
  const whole = wholeOf(view.times.value.start, now, { live, skips: skips.waits });
  // While the wait that goes on is skipped, time goes on in it, and nothing that is seen moves.
  const isWaiting = (skips.waits.at(-1)?.to ?? 0) >= now;
  const asked = followed ? undefined : address.query['zoom'];
  const zoom = useZoom(view, { asked, whole, held: live && !followed && !isWaiting, skip: address.query['skip'] });
  const { zoomTo } = zoom;
  const window = useSkipping(zoom.window, zoom.around.skips);
  const around = useSkipping(zoom.around, zoom.around.skips);
  const dependents = useMemo(() => dependentsOf(rows), [rows]);
  const source: BarSource = {
    facts: facts.at,
    start: whole.from,
    last: view.times.value.last,
    dependents: (path) => dependents.get(path),
  };
  const barsFor = useBars(source, data.extent.value.count);
  const filter = parseFilter(address.query['q'] ?? '');
  const dimmed = useMemo(
    () =>
      filter.length === 0 ? undefined : dimmedRows(rows, (row) => matches(filteredOf(row, facts.at), filter, now)),
    [rows, address.query['q']],
  );
  const onSelect = useCallback((key: string) => {
    follow(false);
    if (!key.startsWith('group ')) select({ kind: 'op', path: key });
    setQuery({ side: undefined });
  }, []);
  const onTwist = useCallback((key: string, open: boolean) => {
    follow(false);
    setOpen(key, open);
  }, []);
  const atEnd = useEnd(followed, data.extent.value.count);
  const overview = useMemo(
    () => overviewOf(data.ledger.value.lines, live ? openCalls(data.extent.value, data.progress.value.sessions) : []),
    [data.ledger.value, live],
  );
  useTimelineKeys({ view, rows, selected, level, whole, window, zoomTo, now, setOpen, skips, live });
  const ticks = ticksOf(window, whole.from);
  const skipped = skippedIn(window);
  const height = lanes ? LANE : ROW;
  /** The shape that a person chose: rows that it brings are not new. */
  const shape = useMemo(() => ({}), [level, byHand, instants, selected, data]);
  const { names, figures } = columns.value;
  return (
    <div class="pane">
      <div class="bar">
        <Choices
          label="Detail"
          of={[
            { value: 'agents', name: 'Agents' },
            { value: 'turns', name: 'Turns' },
            { value: 'ops', name: 'Ops' },
          ]}
          chosen={level}
          onChoose={(value) => setQuery({ level: value })}
        />
        <FilterField
          value={address.query['q'] ?? ''}
          placeholder="Filter: agent, tool, state, text"
          width={260}
          onChange={(q) => setQuery({ q })}
        />
        <span class="grow" />
        <span class="faint num small-text wide-only">
          {seconds(window.from - whole.from).replace(/^0\.00 s$/, '0')} –{' '}
          {live && window.to >= now ? 'now' : seconds(window.to - whole.from)}
        </span>
        <span class="wide-only">
          <Button size="small" keys="0" onPress={() => zoomTo(undefined)}>
            Fit
          </Button>
        </span>
        {live && <BadBelow view={view} />}
        {skips.isOffered && (
          <Button size="small" icon="skip" keys="shift+w" pressed={skips.isOn} onPress={() => skipWaits(!skips.isOn)}>
            Skip waits
          </Button>
        )}
        {live && <FollowButton address={address} />}
        {address.query['side'] === 'off' && (
          <Button size="small" keys={'\\'} onPress={() => setQuery({ side: undefined })}>
            {selected !== undefined ? 'Inspector' : live ? 'Now' : 'Answer'}
          </Button>
        )}
      </div>
      <div
        class={lanes ? 'tl lanes' : 'tl'}
        style={{
          '--names-chosen': names === undefined ? undefined : `${names}px`,
          '--figs-chosen': figures === undefined ? undefined : `${figures}px`,
        }}
      >
        <OverviewStrip
          overview={overview}
          totals={data.ledger.value.totals}
          budget={view.agents.value.get(facts.start?.agent ?? '')?.budget?.usd}
          whole={around}
          window={window}
          live={live}
          until={live ? now : whole.to}
          onZoom={zoomTo}
        />
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
          header={
            <TimelineHead words={plural(rows.length, lanes ? 'session' : 'row')} ticks={ticks} skipped={skipped} />
          }
          behind={(seen) => (
            <div class="gridlines tl-grid" aria-hidden="true">
              <span />
              <span />
              <div class="plot">
                {ticks.map(({ left }) => (
                  <i key={left} style={{ left: `${left}%` }} />
                ))}
                {skipped.map(({ wait, left, width }) => (
                  <i key={wait.from} class="skipped" style={{ left: `${left}%`, width: `${width}%` }} />
                ))}
                {live && now <= window.to && <i class="now-line" style={{ left: `${share(now, window)}%` }} />}
                <Downs rows={rows} window={window} height={height} seen={seen} />
              </div>
            </div>
          )}
          render={(row, { index, top, slot }) => (
            <TimelineRow
              key={slot}
              row={row}
              index={index}
              top={top}
              bars={barsFor(row, window, now)}
              doing={lanes ? doing.get(row.key) : undefined}
              area={row.group === undefined ? undefined : <GroupArea runs={row.group} window={window} now={now} />}
              selected={row.key === selected}
              arriving={arriving}
              dimmed={dimmed?.has(row.key) === true}
              argument={row.kind === 'op' ? argumentOf(facts.at(row.node.path)) : undefined}
              attempts={row.kind === 'turn' ? attemptsOf(row, facts.at) : 0}
              onSelect={onSelect}
              onTwist={onTwist}
            />
          )}
        />
      </div>
      <Scrubber view={view} live={live} />
      <Legend />
    </div>
  );
};

/** Below 1200 pixels the head is one line, and says nothing of what came to nothing. */
const BadBelow = ({ view: { data } }: { readonly view: RunView }) => {
  const words = badBelow({ ...data.progress.value.calls, failedBelow: failedBelow(data.tree.value) });
  return words === undefined ? null : <span class="bad-below state s-limit small-text">{words}</span>;
};

/** A run that was followed when it ended is followed to its last event. */
function useEnd(followed: boolean, count: number): boolean {
  const seen = useRef<number | undefined>(undefined);
  const atEnd = followed || (seen.current !== undefined && seen.current !== count);
  useLayoutEffect(() => {
    seen.current = followed ? count : undefined;
  });
  return atEnd;
}

/** The same object while nothing of it changes: what stands where in it is computed once. */
const useSkipping = ({ from, to }: TimeWindow, skips: TimeWindow['skips']): TimeWindow =>
  useMemo(() => ({ from, to, skips }), [from, to, skips]);

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
