// One run: its head, its tabs, and what is known of it before anything else.

import { useCallback, useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { isBroken } from '../../../../src/kernel/outcome.ts';
import { duration, plural } from '../../../../src/views/amounts.ts';
import { badBelow } from '../../../../src/views/runs/run-standing.ts';
import { type Address, hrefOf, type RunTab } from '../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { go, address as here, select } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { useOwnApprovals } from '../../data/asked.ts';
import { heldAt } from '../../data/clock.ts';
import { offline } from '../../data/connection.ts';
import { replayOf, replayWords } from '../../data/replayed.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { yourNames } from '../../data/you.ts';
import { RunAsks, useWaiting } from '../../parts/asks/run-asks.tsx';
import { LinkButton } from '../../parts/controls.tsx';
import { later, loadAhead } from '../../parts/later.tsx';
import { LoadingScreen } from '../../parts/loading.tsx';
import { useMedia } from '../../parts/media.ts';
import { Empty } from '../../parts/panel.tsx';
import { lookOf, type StateName } from '../../parts/state.tsx';
import { RunActions, useRunDialogs } from './actions/run-actions.tsx';
import { BrokenOffBanner, FaultBanner } from './banners.tsx';
import { RunHead } from './head.tsx';
import { isFollowed } from './timeline/following.ts';
import './run.css';
import { endingOf, failedBelow, failingOp, finishedCalls, forkCost, inDoubt } from './run-facts.ts';
import { type RunView, viewOf } from './run-view.ts';
import { tabsOf } from './tab-list.ts';
import type { Level } from './timeline/rows.ts';
import { TimelineTab } from './timeline/tab.tsx';
import { useUsualLevel } from './timeline/usual-level.ts';

// A part that is not seen first is no part of the first script.
const ConversationTab = later('tab', () => import('../conversation/tab.tsx').then((one) => one.ConversationTab));
const GraphTab = later('tab', () => import('../graph/tab.tsx').then((one) => one.GraphTab));
const ChangesTab = later('tab', () => import('../changes/tab.tsx').then((one) => one.ChangesTab));
const JournalTab = later('tab', () => import('../journal/tab.tsx').then((one) => one.JournalTab));
const CostTab = later('tab', () => import('../cost/tab.tsx').then((one) => one.CostTab));
const TeamTab = later('tab', () => import('../team/tab.tsx').then((one) => one.TeamTab));

export const RunScreen = (props: { readonly run: string; readonly tab: RunTab; readonly address: Address }) => {
  const data = useRun(props.run);
  const loading = data.loading.value;
  if (loading.kind === 'refused')
    return <NoRun run={props.run} code={loading.problem.code} message={loading.problem.message} />;
  if (loading.kind === 'loading') return <LoadingScreen />;
  return <OneRun view={viewOf(data)} tab={props.tab} address={props.address} />;
};

const NoRun = (props: { readonly run: string; readonly code: string; readonly message: string }) => (
  <Empty
    title={props.code === 'run/unknown' ? 'No run of that name' : 'This run cannot be read'}
    actions={<LinkButton href="/runs">To the runs</LinkButton>}
  >
    <p>{props.message}</p>
    <p class="faint mono">{props.code}</p>
  </Empty>
);

const OneRun = ({
  view,
  tab,
  address,
}: {
  readonly view: RunView;
  readonly tab: RunTab;
  readonly address: Address;
}) => {
  const { data } = view;
  const tree = data.tree.value;
  const ledger = data.ledger.value;
  const { calls } = data.progress.value;
  const { start } = view.facts.value;
  const { events, count } = data.extent.value;
  const ending = endingOf(events, count);
  const earlier = data.shownAt.value !== undefined;
  const isQueued = data.queued.value;
  // The server says how a run ended before its journal has arrived.
  const known = earlier ? {} : data.ended.value;
  const stands = data.phase.value === 'broken-off' && !earlier ? (isQueued ? 'queued' : 'broken-off') : 'running';
  const waiting = useWaiting(data);
  const asked = useOwnApprovals(data).value.waiting.find(({ at }) => at <= view.openedAt)?.path;
  const asks = stands === 'running' && waiting.length > 0 ? 'person' : stands;
  const state: StateName = ending?.outcome.kind ?? known.outcome ?? asks;
  const endedAt = ending?.at ?? known.endedAt;
  const live = ending === undefined && (data.phase.value === 'running' || isQueued) && !earlier;
  const usualLevel = useUsualLevel(view, live);
  const isPhone = useMedia('(max-width: 719px)');
  const isWide = useMedia('(min-width: 1200px)');
  const failing = useMemo(() => failingOp(tree), [tree]);
  const dialogs = useRunDialogs(view, { state, live });
  const run = start?.run ?? data.run;
  const replayed = replayOf(run);
  const time =
    start === undefined
      ? ''
      : state === 'person'
        ? ' asks you'
        : ` · ${earlier ? `as at event ${count - 1}` : endedAt === undefined ? lookOf(state).word : duration(endedAt - start.at)}`;
  useTitle(`${MARKS[state] ?? '…'} ${start?.agent ?? data.run}${time}`);
  useHeldClock(earlier ? view.times.value.last : undefined);
  const isRead = ending !== undefined || data.phase.value !== 'ended';
  useEffect(() => {
    if (isRead) void loadAhead();
  }, [isRead]);
  useArranged(view, address, { opensAt: live ? (isWide ? asked : undefined) : failing?.path, live, tab, isRead });
  const showFailing = useCallback(() => {
    if (failing !== undefined) select({ kind: 'op', path: failing.path });
  }, [failing]);
  const tabs = tabsOf(data, address);
  useKeys(useMemo(() => tabKeys(tabs.map(({ href }) => href)), [tabs.map(({ href }) => href).join(' ')]));
  const outcome = ending?.outcome;
  return (
    <div class={`run${waiting.length > 0 ? ' waits' : ''}${live ? ' is-live' : ''}`}>
      <RunHead
        facts={{
          run,
          start,
          state,
          asAt: earlier ? count - 1 : undefined,
          endedAt,
          totals: ledger.totals,
          answeredBy:
            outcome !== undefined && !isBroken(outcome) && outcome.agent !== start?.agent ? outcome.agent : undefined,
          badBelow: badBelow({ ...calls, failedBelow: outcome?.kind === 'answered' ? failedBelow(tree) : 0 }),
          fork: forkCost(start, ledger.lines, events),
          replayed: replayed === undefined ? undefined : replayWords(replayed),
          otherProcess: live && data.driver.value === 'other',
          worker: live ? data.worker.value : undefined,
          queuedWhy: data.queuedWhy.value,
        }}
        actions={<RunActions dialogs={dialogs} state={state} live={live} earlier={earlier} start={start} />}
      />
      <nav class="tabs" role="tablist" aria-label="Views of this run">
        {tabs.map(({ name, href, tab: its, figure }) => (
          <a key={its} role="tab" href={href} aria-selected={its === tab} tabIndex={its === tab ? 0 : -1}>
            {name}
            {figure !== undefined && <small>{figure}</small>}
          </a>
        ))}
        <span class="grow" />
        {behind(view) > 0 && <span class="faint small-text">{plural(behind(view), 'event')} to come</span>}
      </nav>
      {dialogs.shown}
      <div class="run-body stack">
        {(tab !== 'conversation' || isPhone) && <RunAsks data={data} run={run} />}
        {outcome !== undefined && isBroken(outcome) && (
          <FaultBanner
            outcome={outcome}
            agent={start?.agent ?? ''}
            setting={view.fault.value.setting(yourNames())}
            onShow={showFailing}
          />
        )}
        {state === 'broken-off' && (
          <BrokenOffBanner
            run={run}
            last={view.times.value.last}
            doubts={inDoubt(tree)}
            finished={finishedCalls(tree)}
            off={offline()}
            onResume={() => dialogs.open('resume')}
          />
        )}
        <div class="run-tab" role="tabpanel" aria-label={tabs.find((one) => one.tab === tab)?.name}>
          <Tab view={view} tab={tab} address={address} live={live} usualLevel={usualLevel} dialogs={dialogs} />
        </div>
      </div>
    </div>
  );
};

/** Before anything is painted: no duration may be seen that goes on after the event. */
function useHeldClock(at: number | undefined): void {
  useLayoutEffect(() => {
    heldAt.value = at;
    return () => {
      heldAt.value = undefined;
    };
  }, [at]);
}

const Tab = (props: {
  readonly view: RunView;
  readonly tab: RunTab;
  readonly address: Address;
  readonly live: boolean;
  readonly usualLevel: Level;
  readonly dialogs: ReturnType<typeof useRunDialogs>;
}) => {
  const tab = { data: props.view.data, address: props.address, ask: props.dialogs.open };
  switch (props.tab) {
    case 'graph':
      return <GraphTab {...tab} />;
    case 'conversation':
      return <ConversationTab {...tab} />;
    case 'team':
      return <TeamTab {...tab} />;
    case 'cost':
      return <CostTab {...tab} />;
    case 'changes':
      return <ChangesTab {...tab} />;
    case 'journal':
      return <JournalTab {...tab} />;
    case 'timeline':
      return <TimelineTab {...props} />;
  }
};

const behind = ({ data }: RunView): number => (data.loading.value.kind === 'ready' ? data.loading.value.behind : 0);

const MARKS: Readonly<Partial<Record<StateName, string>>> = {
  answered: '✓',
  failed: '✕',
  exhausted: '⧗',
  'over-budget': '$',
  'timed-out': '◷',
  cancelled: '▢',
  'broken-off': '?',
  person: '!',
};

const tabKeys = (hrefs: readonly string[]): readonly KeyBinding[] => [
  {
    keys: hrefs.map((_, index) => String(index + 1)).join('|'),
    does: 'switch tabs',
    run: ({ key }) => {
      const url = new URL(hrefs[Number(key) - 1] ?? '', location.href);
      go(url.pathname + url.search + location.hash);
    },
  },
];

interface FirstLook {
  /** The op that a person wants to see first: the one that failed, or that asks. */
  readonly opensAt: string | undefined;
  readonly live: boolean;
  readonly tab: RunTab;
  /** False while the journal of a run that has ended is still on its way: how it ended is not known yet. */
  readonly isRead: boolean;
}

/** A run that failed opens at the failing op, one that asks at its question. A link that says what to show is obeyed. */
function useArranged(view: RunView, address: Address, { opensAt, live, tab, isRead }: FirstLook): void {
  // Before anything is painted: the run as it is now must not be seen where a link asks for how it was.
  useLayoutEffect(() => {
    // The place in the address bar by now: keys may have moved on since this was drawn.
    const asked = here.peek().query['at'];
    view.data.shownAt.value = asked === undefined || !Number.isInteger(Number(asked)) ? undefined : Number(asked) + 1;
    if (view.arranged || tab !== 'timeline' || !isRead) return;
    view.openedLive ||= live;
    // The journal of a live run has no end that says that all of it has come: its question comes when it comes.
    if (live && opensAt === undefined) return;
    view.arranged = true;
    if (view.openedLive && !live) return;
    if (address.selected !== undefined || address.query['zoom'] !== undefined || asked !== undefined) return;
    if (opensAt === undefined) return;
    // Only a hand ends following, so a question that the page selects by itself says that it goes on.
    const query = live && isFollowed(address) ? { ...address.query, follow: 'on' } : { ...address.query };
    go(hrefOf(address.place, { query, selected: { kind: 'op', path: opensAt } }), { replace: true });
  }, [address.query['at'], opensAt, live, isRead]);
}
