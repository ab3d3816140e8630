// The conversations of a run: every session as it nests, what it was told and what it said, and why the answer came about.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RunStart } from '../../../../src/journal/event.ts';
import type { ThreadInfo } from '../../../../src/server/protocol.ts';
import { cost, duration } from '../../../../src/views/amounts.ts';
import { approvalsFold } from '../../../../src/views/approvals.ts';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import { type Conversation, transcriptFold } from '../../../../src/views/talk/transcript.ts';
import { whyFold } from '../../../../src/views/talk/why.ts';
import { opHref, runHref } from '../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { setQuery } from '../../app/router.ts';
import { getJson } from '../../data/api.ts';
import { cadre } from '../../data/cadre.ts';
import type { RunData } from '../../data/run-data.ts';
import { Button } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Answering, Question } from '../../parts/question.tsx';
import { TriggerTag } from '../../parts/state.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { sinceStart } from '../../parts/times.tsx';
import { WhySteps } from '../../parts/why-steps.tsx';
import type { RunTabProps } from '../run/tabs.ts';
import { Composer } from './composer.tsx';
import {
  type CallWithResult,
  mainArgument,
  nestedSessions,
  partsOf,
  type SessionRow,
  type Shown,
  shownEntries,
} from './talk.ts';
import './conversation.css';

export const ConversationTab = ({ data, address }: RunTabProps) => {
  const talks = useMemo(() => data.view(transcriptFold, (fold) => fold.conversations()), [data]);
  const why = useMemo(() => data.view(whyFold, (fold) => fold.why()), [data]);
  const waiting = useMemo(() => data.view(approvalsFold, (fold) => fold.waiting()), [data]);
  const start = data.events[0];
  const rows = nestedSessions(talks.value);
  const chosen = chosenRow(rows, address.query['session'], address.selected);
  const keys = useMemo(() => sessionKeys(rows, chosen), [rows, chosen?.talk.session]);
  useKeys(keys);
  if (start?.type !== 'run-start') return null;
  const ended = data.events.at(-1)?.type === 'run-end';
  const live = !ended && data.phase.value !== 'ended';
  const own = waiting.value.filter(({ path }) => chosen !== undefined && isWithin(path, chosen, rows));
  const info = cadre()?.agents.find(({ name, prefix }) => name === prefix + start.agent);
  return (
    <div class="talk">
      <nav class="talk-sessions" aria-label="Sessions">
        <h2>{rows.length === 1 ? '1 session' : `${rows.length} sessions, as they nest`}</h2>
        {rows.map(({ talk, depth }) => (
          <a
            key={talk.session}
            href={runHref(data.run, 'conversation', { query: { session: talk.session } })}
            aria-current={talk === chosen?.talk ? 'true' : undefined}
            style={{ paddingLeft: `${14 + depth * 14}px` }}
          >
            <span>{talk.agent}</span>
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
            data={data}
            start={start}
            selected={address.selected?.kind === 'op' ? address.selected.path : undefined}
          />
        )}
        {own.map(({ path, prompt, about }) => (
          <section key={path} class="talk-asks" aria-label={prompt}>
            <h3>
              <Icon name="person" />
              {prompt}
            </h3>
            <Question asked={{ run: data.run, path, prompt, about }} />
            <Answering asked={{ run: data.run, path, prompt, about }} />
          </section>
        ))}
        {data.shownAt.value === undefined && (
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

/** A question belongs to the nearest session above its op. */
function isWithin(path: string, { talk }: SessionRow, rows: readonly SessionRow[]): boolean {
  const above = rows
    .map((row) => row.talk.session)
    .filter((session) => path.startsWith(`${session}.`))
    .sort((left, right) => right.length - left.length)[0];
  return (above ?? rows[0]?.talk.session) === talk.session;
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
          <span>{row.input.text}</span>
        </a>
      ))}
    </>
  );
};

interface TalkProps {
  readonly talk: Conversation;
  readonly data: RunData;
  readonly start: RunStart;
  readonly selected: string | undefined;
}

const OneTalk = ({ talk, data, start, selected }: TalkProps) => {
  const [isPlain, setPlain] = useState(false);
  const shown = useMemo(() => shownEntries(talk), [talk]);
  const lines = data.ledger.value.lines;
  const writing = [...data.writing.value].filter(
    ([path]) => lines.every((line) => line.path !== path) && isOwn(path, talk),
  );
  return (
    <>
      <header class="talk-head">
        <strong>{talk.agent}</strong>
        {talk.trigger !== 'start' && <TriggerTag trigger={talk.trigger} />}
        <span class="faint">{talk.entries.at(-1)?.turn ?? 0} turns</span>
        <span class="grow" />
        <Button size="small" pressed={isPlain} onPress={() => setPlain(!isPlain)}>
          As the model saw it
        </Button>
      </header>
      <ol class="talk-entries" aria-label={`Conversation of ${talk.agent}`}>
        <li class="talk-entry">
          <span class="talk-when">system</span>
          <details open={isPlain}>
            <summary>{talk.system.split('\n')[0]}</summary>
            <TextBlock text={talk.system} as="code" />
          </details>
        </li>
        {shown.map((one) => (
          <li key={one.key} class={one.entry.op === selected ? 'talk-entry selected' : 'talk-entry'}>
            {one.kind === 'told' ? (
              <Told one={one} start={start} run={data.run} isPlain={isPlain} />
            ) : (
              <Reply one={one} start={start} run={data.run} line={lines.find(({ path }) => path === one.entry.op)} />
            )}
          </li>
        ))}
        {writing.map(([path, text]) => (
          <li key={path} class="talk-entry writing">
            <span class="talk-when">now</span>
            <div>
              <TextBlock text={text} />
            </div>
          </li>
        ))}
      </ol>
    </>
  );
};

const isOwn = (path: string, { session }: Conversation): boolean => {
  const rest = path.startsWith(`${session}.`) ? path.slice(session.length + 1) : undefined;
  return rest !== undefined && !rest.includes('.');
};

interface ToldProps {
  readonly one: Extract<Shown, { kind: 'told' }>;
  readonly start: RunStart;
  readonly run: string;
  readonly isPlain: boolean;
}

const Told = ({ one, start, run, isPlain }: ToldProps) => (
  <>
    <span class="talk-when">{one.entry.history === true ? 'before' : sinceStart(one.entry.at, start.at)}</span>
    <div>
      <p class="talk-who">
        <strong>told</strong>{' '}
        <a class="link mono" href={opHref(run, one.entry.op, 'conversation')}>
          {one.entry.op}
        </a>
      </p>
      {isPlain ? (
        <TextBlock text={one.text} as="code" />
      ) : (
        partsOf(one.text).map((part, index) => (
          <div key={`${index} ${part.heading ?? ''}`}>
            {part.heading !== undefined && <h4 class="talk-heading">{part.heading}</h4>}
            <TextBlock text={part.text} as="markdown" />
          </div>
        ))
      )}
    </div>
  </>
);

interface ReplyProps {
  readonly one: Extract<Shown, { kind: 'reply' }>;
  readonly start: RunStart;
  readonly run: string;
  readonly line: LedgerLine | undefined;
}

const Reply = ({ one, start, run, line }: ReplyProps) => (
  <>
    <span class="talk-when">
      turn {one.entry.turn}
      <br />
      {sinceStart(one.entry.at, start.at)}
    </span>
    <div>
      <p class="talk-who">
        <a class="link mono" href={opHref(run, one.entry.op, 'conversation')}>
          {one.entry.op}
        </a>
        <span class="grow" />
        {line !== undefined && (
          <span class="faint num">
            {line.usage?.input ?? 0} in, {line.usage?.output ?? 0} out {cost(line.usd, line.usd === undefined ? 1 : 0)}{' '}
            {line.ms !== undefined && duration(line.ms)}
          </span>
        )}
      </p>
      {one.reasoning !== undefined && (
        <details>
          <summary class="faint">reasoning</summary>
          <TextBlock text={one.reasoning} />
        </details>
      )}
      {one.text !== '' && <TextBlock text={one.text} as="markdown" />}
      {one.calls.map((call) => (
        <Call key={call.call.id} of={call} run={run} />
      ))}
    </div>
  </>
);

const Call = ({ of, run }: { readonly of: CallWithResult; readonly run: string }) => {
  const failed = of.result?.status === 'error';
  return (
    <div class={failed ? 'talk-call bad' : 'talk-call'}>
      <p class="talk-call-head">
        <Icon name={of.result === undefined ? 'running' : failed ? 'failed' : 'answered'} />
        <code>{of.call.name}</code> <span class="talk-about">{mainArgument(of.call)}</span>
        <span class="grow" />
        {of.op !== undefined && (
          <a class="link mono" href={opHref(run, of.op, 'conversation')}>
            {of.op}
          </a>
        )}
      </p>
      <details>
        <summary class="faint">arguments</summary>
        <TextBlock text={of.call.malformed ?? JSON.stringify(of.call.arguments, null, 2)} as="code" />
      </details>
      {of.result !== undefined && <TextBlock text={of.result.text} as="code" tone={failed ? 'bad' : 'usual'} />}
      {of.folded === true && <p class="faint">The model no longer sees this result, only its handle.</p>}
    </div>
  );
};
