// The conversations of a run: every session as it nests, what it was told and what it said, and why the answer came about.

import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunEvent, RunStart } from '../../../../src/journal/event.ts';
import type { Outcome } from '../../../../src/kernel/outcome.ts';
import type { ThreadInfo } from '../../../../src/server/protocol.ts';
import { cost } from '../../../../src/views/amounts.ts';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import { TranscriptFold } from '../../../../src/views/talk/transcript.ts';
import { type Why, WhyFold } from '../../../../src/views/talk/why.ts';
import { runHref } from '../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { listKeys } from '../../app/list-keys.ts';
import { setQuery } from '../../app/router.ts';
import { agentOfRun } from '../../data/cadre.ts';
import { useRead } from '../../data/use-read.ts';
import { RunAsks, useWaiting } from '../../parts/asks/run-asks.tsx';
import { Button, SheetClose } from '../../parts/controls.tsx';
import { useMedia } from '../../parts/media.ts';
import { PanelHead } from '../../parts/panel.tsx';
import { StateMark, stateOf } from '../../parts/state.tsx';
import { WhySteps } from '../../parts/why-steps.tsx';
import type { RunTabProps } from '../run/tabs.ts';
import { isFollowed } from '../run/timeline/following.ts';
import { Composer } from './composer.tsx';
import { OneTalk } from './one-talk.tsx';
import { nestedSessions, type SessionRow } from './talk.ts';
import './conversation.css';

export const ConversationTab = ({ data, address }: RunTabProps) => {
  const waiting = useWaiting(data);
  const why = useWhy(data, waiting[0]);
  const isPhone = useMedia('(max-width: 719px)');
  const isNarrow = useMedia('(max-width: 1199px)');
  const start = data.events[0];
  const rows = useSessions(data);
  const last = data.events.at(-1);
  const ended = last?.type === 'run-end';
  const live = !ended && data.phase.value !== 'ended';
  const chosen = chosenRow(rows, address, live);
  useKeys(useMemo(() => sessionKeys(rows, chosen), [rows, chosen?.session]));
  const thread = useThreadOf(start, ended);
  const [scroller, main] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  if (start?.type !== 'run-start') return null;
  const writes = data.shownAt.value === undefined && waiting.length === 0;
  const isWhyOpen = address.query['why'] !== undefined;
  return (
    <div class="talk frame" ref={scroller}>
      <Sessions rows={rows} chosen={chosen} data={data} menu={isNarrow}>
        {thread !== undefined && <Thread of={thread} run={data.run} />}
      </Sessions>
      <div class="talk-main stack scrolls" ref={main}>
        {chosen?.talk === undefined ? (
          <p class="faint inset">Nothing has been said yet.</p>
        ) : (
          <OneTalk
            key={chosen.session}
            thread={thread}
            talk={chosen.talk}
            place={chosen.place}
            above={rows.find(({ session }) => session === chosen.talk?.parent)?.agent}
            data={data}
            start={start}
            cost={ownCost(chosen.session, data.ledger.value.lines)}
            provenance={why.provenance}
            selected={address.selected?.kind === 'op' ? address.selected.path : undefined}
            live={live}
            scroller={isPhone ? scroller : main}
            actions={isNarrow && <WhyButton isOpen={isWhyOpen} />}
          />
        )}
        {!isPhone && <RunAsks data={data} run={start.run} />}
        {writes && <Below start={start} run={data.run} live={live} away={live && chosen !== rows[0]} root={rows[0]} />}
      </div>
      {(!isNarrow || isWhyOpen) && <WhySide why={why} run={data.run} end={ended ? last.outcome : undefined} />}
    </div>
  );
};

/** The steps to an answer, or to the question that waits. */
function useWhy(data: RunTabProps['data'], asked: string | undefined) {
  return useMemo(
    () =>
      data.view(
        () => new WhyFold(),
        (fold) => ({ ...fold.why(asked), provenance: fold.provenance }),
      ),
    [data, asked],
  ).value;
}

function useSessions(data: RunTabProps['data']): readonly SessionRow[] {
  const talks = useMemo(
    () =>
      data.view(
        () => new TranscriptFold(),
        (fold) => fold.conversations(),
      ),
    [data],
  );
  const [tree, all] = [data.tree.value, talks.value];
  return useMemo(() => nestedSessions(tree, all), [tree, all]);
}

interface BelowProps {
  readonly start: RunStart;
  readonly run: string;
  readonly live: boolean;
  /** A message would go to another session than the one that is looked at. */
  readonly away: boolean;
  readonly root: SessionRow | undefined;
}

/** The line to write on. */
const Below = ({ start, run, live, away, root }: BelowProps) => {
  const info = agentOfRun(start);
  if (away) return <Elsewhere agent={start.agent} root={root?.session} />;
  return <Composer run={run} agent={info?.name ?? start.agent} thread={start.thread} live={live} asked={info} />;
};

const WhyButton = ({ isOpen }: { readonly isOpen: boolean }) => (
  <Button size="small" pressed={isOpen} onPress={() => setQuery({ why: isOpen ? undefined : 'on' })}>
    Why
  </Button>
);

interface WhyProps {
  readonly why: Why;
  readonly run: string;
  readonly end: Outcome | undefined;
}

const WhySide = ({ why, run, end }: WhyProps) => {
  const title = end?.kind === 'answered' ? 'Why this answer' : 'What led here';
  return (
    <aside class="side drawer" aria-label={title}>
      <PanelHead title={title} aside={<SheetClose onPress={() => setQuery({ why: undefined })} />} />
      <div class="panel-body">
        {why.steps.length === 0 ? (
          <p class="faint">
            {end === undefined ? 'No answer yet at this point.' : 'No step leads to an end that nobody gave.'}
          </p>
        ) : (
          <WhySteps why={why} run={run} />
        )}
      </div>
    </aside>
  );
};

/** A message goes to the run's own session, whichever is looked at. */
const Elsewhere = ({ agent, root }: { readonly agent: string; readonly root: string | undefined }) => (
  <div class="talk-compose talk-elsewhere fields paper ruled-above">
    <span class="soft">Messages go to {agent}.</span>
    <Button size="small" onPress={() => setQuery({ session: root })}>
      Go to it
    </Button>
  </div>
);

interface SessionsProps {
  readonly rows: readonly SessionRow[];
  readonly chosen: SessionRow | undefined;
  readonly data: RunTabProps['data'];
  /** One line that opens: below 1200 pixels there is no room for a list beside the conversation. */
  readonly menu: boolean;
  readonly children: ComponentChildren;
}

const Sessions = ({ rows, chosen, data, menu, children }: SessionsProps) => {
  const [open, setOpen] = useState(false);
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    setOpen(false);
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen?.session]);
  const title = rows.length === 1 ? '1 session' : `${rows.length} sessions, as they nest`;
  const shown = (
    <nav class="talk-sessions ruled-right paper scrolls" aria-label="Sessions" ref={list}>
      {!menu && <h2 class="head list-head">{title}</h2>}
      {rows.map((row) => (
        <SessionLink
          key={row.session}
          of={row}
          data={data}
          isChosen={row.session === chosen?.session}
          onPress={() => setOpen(false)}
        />
      ))}
      {children}
    </nav>
  );
  if (!menu) return shown;
  return (
    <div class="talk-menu paper ruled">
      <button type="button" class="line gaps small-text" aria-expanded={open} onClick={() => setOpen(!open)}>
        <SessionMark session={chosen?.session} data={data} />
        <strong class="name cut">{chosen?.agent}</strong>
        {chosen?.place !== undefined && <span class="faint nowrap">{chosen.place}</span>}
        <span class="faint nowrap">{title}</span>
        <span aria-hidden="true">{open ? '▴' : '▾'}</span>
      </button>
      {open && shown}
    </div>
  );
};

interface LinkProps {
  readonly of: SessionRow;
  readonly data: RunTabProps['data'];
  readonly isChosen: boolean;
  readonly onPress: () => void;
}

const SessionLink = ({ of: { session, agent, depth, place }, data, isChosen, onPress }: LinkProps) => (
  <a
    class="list-row choosable line gaps small-text"
    href={runHref(data.run, 'conversation', { query: { session } })}
    aria-current={isChosen ? 'true' : undefined}
    style={{ paddingLeft: `${14 + depth * 14}px` }}
    onClick={onPress}
  >
    <SessionMark session={session} data={data} />
    <span class="talk-name grow cut">
      {agent}
      {place !== undefined && <span class="faint"> {place}</span>}
    </span>
    <span class="num soft">{ownCost(session, data.ledger.value.lines)}</span>
  </a>
);

/** The one that the address names, else that of the op that a person selected, else the run's own. */
function chosenRow(
  rows: readonly SessionRow[],
  address: RunTabProps['address'],
  live: boolean,
): SessionRow | undefined {
  const named = rows.find(({ session }) => session === address.query['session']);
  if (named !== undefined) return named;
  // While a live run is followed, the page selects by itself what asks a person.
  const { selected } = address;
  const path = selected?.kind === 'op' && !(live && isFollowed(address)) ? selected.path : undefined;
  const holds = ({ talk }: SessionRow): boolean => talk?.entries.some(({ op }) => op === path) === true;
  return (path === undefined ? undefined : rows.find(holds)) ?? rows[0];
}

function sessionKeys(rows: readonly SessionRow[], chosen: SessionRow | undefined): readonly KeyBinding[] {
  const at = rows.findIndex(({ session }) => session === chosen?.session);
  const move = (to: number): void => setQuery({ session: rows[to]?.session });
  return listKeys({ at, length: rows.length, row: 'session', move }).slice(0, 2);
}

const SessionMark = (props: { readonly session: string | undefined; readonly data: RunTabProps['data'] }) => {
  const at = props.data.progress.value.sessions.find(({ session }) => session === props.session);
  return at === undefined ? null : <StateMark state={stateOf(at.activity)} />;
};

function ownCost(session: string, lines: readonly LedgerLine[]): string {
  const own = lines.filter((line) => line.session === session);
  const priced = own.filter(({ usd }) => usd !== undefined);
  if (own.length === 0) return '';
  const sum = priced.length === 0 ? undefined : priced.reduce((total, { usd = 0 }) => total + usd, 0);
  return sum === undefined ? '$?' : cost(sum, own.length - priced.length);
}

/** The thread that a run is part of. Undefined until it is known. */
function useThreadOf(start: RunEvent | undefined, ended: boolean): ThreadInfo | undefined {
  const name = start?.type === 'run-start' ? start.thread : undefined;
  // Without it the run itself is shown all the same.
  return useRead<ThreadInfo>(name === undefined ? undefined : `/api/threads/${encodeURIComponent(name)}`, ended).value;
}

/** The runs of the conversation that this one is part of. */
const Thread = ({ of, run }: { readonly of: ThreadInfo; readonly run: string }) => {
  if (of.runs.length < 2) return null;
  return (
    <>
      <h2 class="head list-head">This thread, {of.runs.length} messages</h2>
      {of.runs.map((row) => (
        <a
          key={row.run}
          class="list-row choosable line small-text"
          href={runHref(row.run, 'conversation')}
          aria-current={row.run === run ? 'page' : undefined}
        >
          <span class="grow cut" dir="auto">
            {row.input.text}
          </span>
        </a>
      ))}
    </>
  );
};
