// One run: its head, its tabs, and what is known of it before anything else.

import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { isBroken } from '../../../../src/kernel/outcome.ts';
import { duration, plural } from '../../../../src/views/amounts.ts';
import { badBelow } from '../../../../src/views/runs/run-standing.ts';
import { type Address, hrefOf, type RunTab } from '../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { go, address as here } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { useOwnApprovals } from '../../data/asked.ts';
import { heldAt } from '../../data/clock.ts';
import { replayOf, replayWords } from '../../data/replayed.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { RunAsks, useWaiting } from '../../parts/asks/run-asks.tsx';
import { LinkButton } from '../../parts/controls.tsx';
import { later, loadAhead } from '../../parts/later.tsx';
import { LoadingScreen } from '../../parts/loading.tsx';
import { useMedia } from '../../parts/media.ts';
import { Empty } from '../../parts/panel.tsx';
import { lookOf, type StateName } from '../../parts/state.tsx';
import { RunActions, useRunDialogs } from './actions/run-actions.tsx';
import { Banners } from './banners.tsx';
import { type HeadFacts, RunHead } from './head.tsx';
import { isFollowed } from './timeline/following.ts';
import './run.css';
import { endingOf, failedBelow, failingOp, forkCost } from './run-facts.ts';
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

interface OneRunProps {
  readonly view: RunView;
  readonly tab: RunTab;
  readonly address: Address;
}

const OneRun = ({ view, tab, address }: OneRunProps) => {
  const { data } = view;
  const standing = useStanding(view);
  const { ending, earlier, state, endedAt, live, isAsking } = standing;
  const { start } = view.facts.value;
  const asked = useOwnApprovals(data).value.waiting.find(({ at }) => at <= view.openedAt)?.path;
  const usualLevel = useUsualLevel(view, live);
  const isPhone = useMedia('(max-width: 719px)');
  const isWide = useMedia('(min-width: 1200px)');
  const tree = data.tree.value;
  const failing = useMemo(() => failingOp(tree), [tree]);
  const dialogs = useRunDialogs(view, { state, live });
  const asAt = earlier ? data.extent.value.count - 1 : undefined;
  useTitle(`${MARKS[state] ?? '…'} ${start?.agent ?? data.run}${titleTime({ start, state, endedAt, asAt })}`);
  useHeldClock(earlier ? view.times.value.last : undefined);
  const isRead = ending !== undefined || data.phase.value !== 'ended';
  useEffect(() => {
    if (isRead) void loadAhead();
  }, [isRead]);
  useArranged(view, address, { opensAt: live ? (isWide ? asked : undefined) : failing?.path, live, tab, isRead });
  const tabs = tabsOf(data, address);
  useKeys(useMemo(() => tabKeys(tabs.map(({ href }) => href)), [tabs.map(({ href }) => href).join(' ')]));
  return (
    <div class={`run frame${isAsking ? ' waits' : ''}${live ? ' is-live' : ''}`}>
      <RunHead
        facts={factsOf(view, standing)}
        actions={<RunActions dialogs={dialogs} state={state} live={live} earlier={earlier} start={start} />}
      />
      <Tabs tabs={tabs} tab={tab} behind={behind(view)} />
      {dialogs.shown}
      <div class="run-body stack">
        {(tab !== 'conversation' || isPhone) && <RunAsks data={data} run={start?.run ?? data.run} />}
        <Banners view={view} state={state} outcome={ending?.outcome} onResume={() => dialogs.open('resume')} />
        <div class="run-tab fills" role="tabpanel" aria-label={tabs.find((one) => one.tab === tab)?.name}>
          <Tab view={view} tab={tab} address={address} live={live} usualLevel={usualLevel} dialogs={dialogs} />
        </div>
      </div>
    </div>
  );
};

/** The state of the run, as it is or as it was at the event that is shown. */
function useStanding(view: RunView) {
  const { data } = view;
  const { events, count } = data.extent.value;
  const ending = endingOf(events, count);
  const earlier = data.shownAt.value !== undefined;
  const isQueued = data.queued.value;
  // The server says how a run ended before its journal has arrived.
  const known = earlier ? {} : data.ended.value;
  const stands = data.phase.value === 'broken-off' && !earlier ? (isQueued ? 'queued' : 'broken-off') : 'running';
  const isAsking = useWaiting(data).length > 0;
  const asks = stands === 'running' && isAsking ? 'person' : stands;
  const state: StateName = ending?.outcome.kind ?? known.outcome ?? asks;
  const live = ending === undefined && (data.phase.value === 'running' || isQueued) && !earlier;
  return { ending, earlier, isAsking, state, endedAt: ending?.at ?? known.endedAt, live };
}

function factsOf(view: RunView, standing: ReturnType<typeof useStanding>): HeadFacts {
  const { data } = view;
  const { ending, earlier, state, endedAt, live } = standing;
  const { start } = view.facts.value;
  const { events, count } = data.extent.value;
  const ledger = data.ledger.value;
  const outcome = ending?.outcome;
  const run = start?.run ?? data.run;
  const replayed = replayOf(run);
  const failed = outcome?.kind === 'answered' ? failedBelow(data.tree.value) : 0;
  return {
    run,
    start,
    state,
    asAt: earlier ? count - 1 : undefined,
    endedAt,
    totals: ledger.totals,
    answeredBy:
      outcome !== undefined && !isBroken(outcome) && outcome.agent !== start?.agent ? outcome.agent : undefined,
    badBelow: badBelow({ ...data.progress.value.calls, failedBelow: failed }),
    fork: forkCost(start, ledger.lines, events),
    replayed: replayed === undefined ? undefined : replayWords(replayed),
    otherProcess: live && data.driver.value === 'other',
    worker: live ? data.worker.value : undefined,
    queuedWhy: data.queuedWhy.value,
  };
}

/** ` · 3.8s`: a tab in the background tells how long it took, or that it asks. */
function titleTime({ start, state, endedAt, asAt }: Pick<HeadFacts, 'start' | 'state' | 'endedAt' | 'asAt'>): string {
  if (start === undefined) return '';
  if (state === 'person') return ' asks you';
  if (asAt !== undefined) return ` · as at event ${asAt}`;
  return ` · ${endedAt === undefined ? lookOf(state).word : duration(endedAt - start.at)}`;
}

const Tabs = (props: {
  readonly tabs: ReturnType<typeof tabsOf>;
  readonly tab: RunTab;
  /** The events that are on their way. */
  readonly behind: number;
}) => (
  <nav class="tabs line gaps-2 paper ruled" role="tablist" aria-label="Views of this run">
    {props.tabs.map(({ name, href, tab, figure }) => (
      <a
        key={tab}
        class="line gaps-6 soft nowrap"
        role="tab"
        href={href}
        aria-selected={tab === props.tab}
        tabIndex={tab === props.tab ? 0 : -1}
      >
        {name}
        {figure !== undefined && <small>{figure}</small>}
      </a>
    ))}
    <span class="grow" />
    {props.behind > 0 && <span class="faint small-text">{plural(props.behind, 'event')} to come</span>}
  </nav>
);

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
