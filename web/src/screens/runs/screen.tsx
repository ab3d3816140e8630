// The runs of the store, newest first, by day. One row has the focus; a peek at it stands beside the list.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RunRow } from '../../../../src/server/protocol.ts';
import { duration, tokens } from '../../../../src/views/amounts.ts';
import { matches, parseFilter } from '../../../../src/views/runs/filter.ts';
import { filteredRun, folderName } from '../../../../src/views/runs/filtered-run.ts';
import { runStanding } from '../../../../src/views/runs/run-standing.ts';
import { type Address, hrefOf, runHref } from '../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { go, setQuery } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { approvals } from '../../data/approvals.ts';
import { serverNow } from '../../data/clock.ts';
import { type RunPages, useRunPages } from '../../data/run-list.ts';
import { Button, Choices, FilterField, LinkButton } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import { later, loadAhead } from '../../parts/later.tsx';
import { LoadingScreen } from '../../parts/loading.tsx';
import { useMedia } from '../../parts/media.ts';
import { Empty } from '../../parts/panel.tsx';
import { RowsWindow } from '../../parts/rows-window.tsx';
import { familyOf, StateWord } from '../../parts/state.tsx';
import { dayWords, Lasting, Moment } from '../../parts/times.tsx';
import { Peek } from './peek.tsx';
import {
  CHOICE_NAMES,
  CHOICES,
  costOf,
  isChosen,
  type ListRow,
  noteOf,
  type RunChoice,
  tokensOf,
  withDays,
} from './run-rows.ts';
import './runs.css';

const ROW_PX = 32;
/** The height of a run's two lines on a phone. */
const TWO_LINES_PX = 54;

export const RunsScreen = ({ address }: { readonly address: Address }) => {
  const pages = useRunPages();
  useTitle('Runs');
  const state = pages.state.value;
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
  return pages.rows.value.length === 0 ? <FirstVisit /> : <RunsList pages={pages} address={address} />;
};

const FirstVisit = later('screen', () => import('../../parts/ask/first-visit.tsx').then((one) => one.FirstVisit));

const dayOf = (at: number): string => new Date(at).toDateString();

const RunsList = ({ pages, address }: { readonly pages: RunPages; readonly address: Address }) => {
  const { query } = address;
  const choice = CHOICES.find((one) => one === query['state']) ?? 'all';
  const filter = useMemo(() => parseFilter(query['q'] ?? ''), [query['q']]);
  const ofAgent = query['agent'];
  const [isAtTop, setAtTop] = useState(true);
  const [known, setKnown] = useState<string | undefined>(undefined);
  const all = pages.rows.value;
  // A run that is new appears when the list stands at its top; else it is counted.
  const newest = isAtTop ? undefined : known;
  const unseen =
    newest === undefined
      ? 0
      : Math.max(
          0,
          all.findIndex(({ run }) => run === newest),
        );
  const seen = unseen === 0 ? all : all.slice(unseen);
  const found = useMemo(
    () =>
      seen.filter(
        (row) =>
          isChosen(row, choice) &&
          (ofAgent === undefined || row.agents.includes(ofAgent)) &&
          matches(filteredRun(row, row.prefix), filter, serverNow()),
      ),
    [seen, choice, filter, ofAgent],
  );
  const list = useMemo(() => withDays(found, dayOf), [found]);
  const focused = found.find(({ run }) => run === query['run']) ?? found[0];
  const isPeeking = query['peek'] !== 'off';
  const focus = (row: RunRow | undefined): void => setQuery({ run: row?.run });
  const keys = useMemo(() => listKeys(found, focused, focus), [found, focused?.run]);
  useKeys(keys);
  useEffect(() => {
    performance.mark('cadre:runs'); // see `npm run bench -- --page`
  }, []);
  const isNarrow = useMedia('(max-width: 719px)');
  const severalFolders = new Set(all.map(({ folder }) => folder)).size > 1;
  return (
    <div class={isPeeking && focused !== undefined ? 'split' : 'split alone'}>
      <div class="pane">
        <h1 class="sr">Runs</h1>
        <div class="bar runs-choose">
          <Choices
            label="Which runs"
            chosen={choice}
            of={CHOICES.map((value) => ({
              value,
              name: CHOICE_NAMES[value],
              count: all.filter((row) => isChosen(row, value)).length,
            }))}
            onChoose={(value: RunChoice) => setQuery({ state: value === 'all' ? undefined : value })}
          />
          <FilterField
            value={query['q'] ?? ''}
            placeholder="agent:front-desk cost:>0.01 text"
            width={300}
            onChange={(text) => setQuery({ q: text === '' ? undefined : text })}
          />
          {ofAgent !== undefined && (
            <Button size="small" icon="close" onPress={() => setQuery({ agent: undefined })}>
              only {ofAgent}
            </Button>
          )}
          {query['mark'] !== undefined && (
            <Button size="small" icon="close" onPress={() => setQuery({ mark: undefined })}>
              one marked, C compares
            </Button>
          )}
          <span class="grow" />
          {unseen > 0 && (
            <Button size="small" onPress={() => setKnown(all[0]?.run)}>
              {unseen} new
            </Button>
          )}
          <span class="faint wide-only">newest first</span>
        </div>
        <Waiting />
        <div class="runs-head" aria-hidden="true">
          <span>state</span>
          <span>agent</span>
          <span>asked</span>
          <span class="num">began</span>
          <span class="num">time</span>
          <span class="num">calls</span>
          <span class="num">tokens</span>
          <span class="num">cost</span>
        </div>
        {found.length === 0 ? (
          <Empty part title="No run fits">
            <p>{all.length} runs are loaded. Take a word out of the filter, or choose All.</p>
          </Empty>
        ) : (
          <RowsWindow
            rows={list}
            height={isNarrow ? TWO_LINES_PX : ROW_PX}
            keyOf={({ key }) => key}
            shownKey={focused?.run}
            label="Runs"
            role="grid"
            className="rows runs-rows"
            onScroll={({ first, last }) => {
              setAtTop(first === 0);
              if (first === 0) setKnown(all[0]?.run);
              if (last > list.length - 20) pages.more();
            }}
            render={(row, { index, top, slot }) => (
              <Row
                key={slot}
                of={row}
                index={index}
                top={top}
                focused={row.key === focused?.run}
                marked={row.key === query['mark']}
                withFolder={severalFolders}
                onFocus={focus}
              />
            )}
          />
        )}
      </div>
      {isPeeking && focused !== undefined && (
        <Peek key={focused.run} row={focused} forks={all.filter(({ forkedFrom }) => forkedFrom?.run === focused.run)} />
      )}
    </div>
  );
};

function listKeys(
  rows: readonly RunRow[],
  focused: RunRow | undefined,
  focus: (row: RunRow | undefined) => void,
): readonly KeyBinding[] {
  const at = rows.findIndex(({ run }) => run === focused?.run);
  const move = (to: number): void => focus(rows[Math.max(0, Math.min(rows.length - 1, to))]);
  return [
    { keys: 'ArrowDown|j', does: 'next run', run: () => move(at + 1) },
    { keys: 'ArrowUp|k', does: 'the run before', run: () => move(at - 1) },
    { keys: 'Home', does: 'first run', run: () => move(0) },
    { keys: 'End', does: 'last run', run: () => move(rows.length - 1) },
    {
      keys: 'Enter',
      does: 'open it',
      run: () => {
        if (focused !== undefined) go(runHref(focused.run));
      },
    },
    {
      keys: 'Space',
      does: 'peek at it',
      run: () => setQuery({ peek: new URL(location.href).searchParams.get('peek') === 'off' ? undefined : 'off' }),
    },
    {
      keys: 'x',
      does: 'mark it for comparing',
      run: () => setQuery({ mark: focused?.run }),
    },
    {
      keys: 'c',
      does: 'compare it with the marked one',
      run: () => {
        const marked = new URL(location.href).searchParams.get('mark');
        if (marked === null || focused === undefined) return false;
        go(hrefOf({ screen: 'diff', left: marked, right: focused.run }));
        return true;
      },
    },
  ];
}

/** The oldest call that waits for a person, above everything else. */
const Waiting = () => {
  const [first] = approvals.value;
  if (first === undefined) return null;
  const { name, arguments: given } = first.about as { readonly name?: string; readonly arguments?: unknown };
  return (
    <div class="banner s-limit runs-waiting">
      <Icon name="person" />
      <span class="runs-wants">
        {name === undefined ? (
          first.prompt
        ) : (
          <>
            <strong>{first.agent}</strong> wants to call <strong>{name}</strong>{' '}
            <code dir="auto">{JSON.stringify(given)}</code>
          </>
        )}
      </span>
      <span class="grow" />
      <span class="faint">
        waits <Lasting from={first.at} to={undefined} />
      </span>
      <LinkButton href={hrefOf({ screen: 'approvals' })} keys="g w">
        Look at it
      </LinkButton>
    </div>
  );
};

interface RowProps {
  readonly of: ListRow;
  readonly index: number;
  readonly top: number;
  readonly focused: boolean;
  /** True if it is to be compared with another one. */
  readonly marked: boolean;
  readonly withFolder: boolean;
  readonly onFocus: (row: RunRow) => void;
}

const Row = ({ of, index, top, focused, marked, withFolder, onFocus }: RowProps) => {
  if (of.kind === 'day') return <DayRow of={of} index={index} top={top} />;
  const { row } = of;
  const state = runStanding(row);
  const note = noteOf(row);
  return (
    <div
      class={focused ? 'runs-row focused' : 'runs-row'}
      style={{ top: `${top}px` }}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={focused}
      onClick={() => onFocus(row)}
      onDblClick={() => go(runHref(row.run))}
    >
      <span role="gridcell">
        <StateWord state={state} />
      </span>
      <span role="gridcell" class="runs-agent">
        <a href={runHref(row.run)} tabIndex={focused ? 0 : -1}>
          {row.agent}
        </a>
        {withFolder && <small>{folderName(row.folder, row.prefix)}</small>}
        {marked && <span class="tag runs-marked">marked</span>}
      </span>
      <span role="gridcell" class="runs-asked">
        <span class="runs-text" dir="auto">
          {row.input.text}
        </span>
        {note !== undefined && (
          <span class={`runs-note ${note.kind} s-${familyOf(state)}`} dir="auto">
            {note.kind === 'warn' && <Icon name="warn" />}
            {note.kind === 'fork' && <Icon name="fork" />}
            {note.text}
          </span>
        )}
      </span>
      <span role="gridcell" class="num">
        <Moment at={row.startedAt} />
      </span>
      <span role="gridcell" class="num">
        {row.state === 'broken-off' ? (
          '–'
        ) : row.endedAt === undefined ? (
          <Lasting from={row.startedAt} to={undefined} />
        ) : (
          duration(row.endedAt - row.startedAt)
        )}
      </span>
      <span role="gridcell" class="num">
        {row.calls}
      </span>
      <span role="gridcell" class="num">
        {tokens(tokensOf(row))}
      </span>
      <span role="gridcell" class="num">
        {costOf(row)}
      </span>
    </div>
  );
};

const DayRow = (props: {
  readonly of: Extract<ListRow, { kind: 'day' }>;
  readonly index: number;
  readonly top: number;
}) => {
  const { of, index, top } = props;
  const isToday = dayOf(of.at) === dayOf(serverNow());
  return (
    <div class="runs-day" style={{ top: `${top}px` }} role="row" aria-rowindex={index + 1}>
      <span role="gridcell">
        {isToday && <strong>Today</strong>}
        {dayWords(of.at)}
      </span>
      <span role="gridcell" class="num">
        {of.count} {of.count === 1 ? 'run' : 'runs'}
      </span>
      <span role="gridcell" class="num">
        {of.cost}
      </span>
    </div>
  );
};
