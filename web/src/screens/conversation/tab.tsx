// The conversations of a run: every session as it nests, what it was told and what it said, and why the answer came about.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunStart } from '../../../../src/journal/event.ts';
import type { ThreadInfo } from '../../../../src/server/protocol.ts';
import { cost } from '../../../../src/views/amounts.ts';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import type { SessionProgress } from '../../../../src/views/progress/progress.ts';
import { transcriptFold } from '../../../../src/views/talk/transcript.ts';
import { whyFold } from '../../../../src/views/talk/why.ts';
import { runHref } from '../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { setQuery } from '../../app/router.ts';
import { getJson } from '../../data/api.ts';
import { agentOfRun } from '../../data/cadre.ts';
import { RunAsks, useWaiting } from '../../parts/asks/run-asks.tsx';
import { useMedia } from '../../parts/media.ts';
import { StateMark, stateOf } from '../../parts/state.tsx';
import { WhySteps } from '../../parts/why-steps.tsx';
import type { RunTabProps } from '../run/tabs.ts';
import { Composer } from './composer.tsx';
import { OneTalk } from './one-talk.tsx';
import { nestedSessions, type SessionRow } from './talk.ts';
import './conversation.css';

export const ConversationTab = ({ data, address }: RunTabProps) => {
  const talks = useMemo(() => data.view(transcriptFold, (fold) => fold.conversations()), [data]);
  const why = useMemo(() => data.view(whyFold, (fold) => ({ ...fold.why(), provenance: fold.provenance })), [data]);
  const waiting = useWaiting(data);
  const isPhone = useMedia('(max-width: 719px)');
  const start = data.events[0];
  const rows = nestedSessions(talks.value);
  const chosen = chosenRow(rows, address.query['session'], address.selected);
  const keys = useMemo(() => sessionKeys(rows, chosen), [rows, chosen?.talk.session]);
  useKeys(keys);
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen?.talk.session]);
  if (start?.type !== 'run-start') return null;
  const ended = data.events.at(-1)?.type === 'run-end';
  const live = !ended && data.phase.value !== 'ended';
  const info = agentOfRun(start);
  return (
    <div class="talk">
      <nav class="talk-sessions" aria-label="Sessions" ref={list}>
        <h2>{rows.length === 1 ? '1 session' : `${rows.length} sessions, as they nest`}</h2>
        {rows.map(({ talk, depth }) => (
          <a
            key={talk.session}
            href={runHref(data.run, 'conversation', { query: { session: talk.session } })}
            aria-current={talk === chosen?.talk ? 'true' : undefined}
            style={{ paddingLeft: `${14 + depth * 14}px` }}
          >
            <SessionMark at={data.progress.value.sessions.find(({ session }) => session === talk.session)} />
            <span class="talk-name">{talk.agent}</span>
            <span class="num">{ownCost(talk.session, data.ledger.value.lines)}</span>
          </a>
        ))}
        <Thread start={start} run={data.run} ended={ended} />
      </nav>
      <div class="talk-main">
        {chosen === undefined ? (
          <p class="faint talk-none">Nothing has been said yet.</p>
        ) : (
          <OneTalk
            key={chosen.talk.session}
            talk={chosen.talk}
            above={rows.find(({ talk }) => talk.session === chosen.talk.parent)?.talk.agent}
            data={data}
            start={start}
            cost={ownCost(chosen.talk.session, data.ledger.value.lines)}
            provenance={why.value.provenance}
            selected={address.selected?.kind === 'op' ? address.selected.path : undefined}
          />
        )}
        {!isPhone && <RunAsks data={data} run={start.run} />}
        {data.shownAt.value === undefined && waiting.length === 0 && (
          <Composer
            run={data.run}
            agent={info?.name ?? start.agent}
            thread={start.thread}
            live={live}
            takesJson={info?.input.format === 'json'}
          />
        )}
      </div>
      <aside class="side talk-why" aria-label="Why this answer">
        <div class="panel-head">
          <h2>Why this answer</h2>
          <p class="faint">Each step is what the one above it was told, by the journal.</p>
        </div>
        <div class="panel-body">
          {why.value.steps.length === 0 ? (
            <p class="faint">{ended ? 'No step leads to an end that nobody gave.' : 'There is no answer yet.'}</p>
          ) : (
            <WhySteps why={why.value} run={data.run} />
          )}
        </div>
      </aside>
    </div>
  );
};

function chosenRow(
  rows: readonly SessionRow[],
  asked: string | undefined,
  selected: RunTabProps['address']['selected'],
): SessionRow | undefined {
  const named = rows.find(({ talk }) => talk.session === asked);
  if (named !== undefined) return named;
  const path = selected?.kind === 'op' ? selected.path : undefined;
  const holds = ({ talk }: SessionRow): boolean => talk.entries.some(({ op }) => op === path);
  return (path === undefined ? undefined : rows.find(holds)) ?? rows[0];
}

function sessionKeys(rows: readonly SessionRow[], chosen: SessionRow | undefined): readonly KeyBinding[] {
  const at = rows.findIndex(({ talk }) => talk.session === chosen?.talk.session);
  const move = (step: number): void => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
    if (next !== undefined) setQuery({ session: next.talk.session });
  };
  return [
    { keys: 'ArrowDown|j', does: 'next session', run: () => move(1) },
    { keys: 'ArrowUp|k', does: 'the session before', run: () => move(-1) },
  ];
}

const SessionMark = ({ at }: { readonly at: SessionProgress | undefined }) =>
  at === undefined ? null : <StateMark state={stateOf(at.activity)} />;

function ownCost(session: string, lines: readonly LedgerLine[]): string {
  const own = lines.filter((line) => line.session === session);
  const priced = own.filter(({ usd }) => usd !== undefined);
  if (own.length === 0) return '';
  const sum = priced.length === 0 ? undefined : priced.reduce((total, { usd = 0 }) => total + usd, 0);
  return sum === undefined ? '$?' : cost(sum, own.length - priced.length);
}

/** The runs of the conversation that this one is part of. */
const Thread = ({ start, run, ended }: { readonly start: RunStart; readonly run: string; readonly ended: boolean }) => {
  const [thread, setThread] = useState<ThreadInfo | undefined>(undefined);
  useEffect(() => {
    if (start.thread === undefined) return undefined;
    const gone = new AbortController();
    getJson<ThreadInfo>(`/api/threads/${encodeURIComponent(start.thread)}`, gone.signal)
      .then(setThread)
      .catch(() => undefined); // the run itself is shown all the same
    return () => gone.abort();
  }, [start.thread, ended]);
  if (thread === undefined || thread.runs.length < 2) return null;
  return (
    <>
      <h2>This thread, {thread.runs.length} messages</h2>
      {thread.runs.map((row) => (
        <a key={row.run} href={runHref(row.run, 'conversation')} aria-current={row.run === run ? 'page' : undefined}>
          <span dir="auto">{row.input.text}</span>
        </a>
      ))}
    </>
  );
};
