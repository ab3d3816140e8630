// The activity of a live run: its sessions, the most telling first, and a line to write to it.

import { useState } from 'preact/hooks';
import type { ControlAccepted, SendToRun } from '../../../../../src/server/protocol.ts';
import { clock, duration, plural } from '../../../../../src/views/amounts.ts';
import { doingNow, rankWithRoot } from '../../../../../src/views/progress/doing-now.ts';
import type { SessionProgress } from '../../../../../src/views/progress/progress.ts';
import {
  countSessions,
  countWords,
  isAtWork,
  isBadGroup,
  type SessionCounts,
  type SessionGroup,
} from '../../../../../src/views/progress/session-counts.ts';
import { opHref } from '../../../app/addresses.ts';
import { postJson, problemOf } from '../../../data/api.ts';
import { tick, useTicking } from '../../../data/clock.ts';
import { offline } from '../../../data/connection.ts';
import { SheetClose } from '../../../parts/controls.tsx';
import { QuestionField } from '../../../parts/question-field.tsx';
import { ShareBar } from '../../../parts/share-bar.tsx';
import { StateMark, stateOf } from '../../../parts/state.tsx';
import type { RunView } from '../run-view.ts';
import { sinceOf } from './since.ts';

const MOST = 40;

interface NowProps {
  readonly view: RunView;
  /** A message is to be written. */
  readonly focus?: boolean;
  readonly onClose: () => void;
}

export const NowPanel = ({ view, focus = false, onClose }: NowProps) => {
  useTicking(true);
  const { sessions } = view.data.progress.value;
  const counts = countSessions(sessions);
  const ranked = sessions
    .map((session, index) => ({ session, rank: rankWithRoot(session, index, 3.5) }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ session }) => session);
  const shown = ranked.slice(0, MOST);
  return (
    <>
      <div class="bar inset-bar">
        <strong>Now</strong>
        <span class="faint small-text">
          {plural(sessions.length, 'session')}, {counts.get('at work') ?? 0} at work
        </span>
        <span class="grow" />
        <SheetClose onPress={onClose} />
      </div>
      <div class="panel-body" tabIndex={0}>
        {sessions.length > MOST && <Share counts={counts} of={sessions.length} />}
        {shown.map((session) => (
          <NowRow key={session.session} view={view} session={session} />
        ))}
        {ranked.length > MOST && (
          <p class="faint small-text">
            {countWords(countSessions(ranked.slice(MOST))).join(' · ')}. They are listed when their row is opened.
          </p>
        )}
      </div>
      <Compose view={view} focus={focus} />
    </>
  );
};

const NowRow = ({ view, session }: { readonly view: RunView; readonly session: SessionProgress }) => {
  const { activity, agent, label, place, turn, snippet, task, said, startedAt, endedAt } = session;
  const isOver = activity.kind === 'failed' || (activity.kind === 'done' && activity.waits !== 'still');
  const ended = endedAt === undefined || !isOver ? '' : ` after ${duration(endedAt - startedAt)}`;
  const since = isAtWork(session) ? ` for ${clock(tick.value - sinceOf(view.data.extent.value, session))}` : ended;
  const words = snippet.trim() === '' ? task : snippet;
  return (
    <div class="now-row ruled">
      <header class="line gaps nowrap small-text faint">
        <StateMark state={stateOf(activity)} />
        <a href={opHref(view.data.run, session.session)}>
          <b class="name">{agent}</b>
        </a>
        {label !== undefined && <span class="tag">{label}</span>}
        {place !== undefined && <span class="tag">{place}</span>}
        {turn > 0 && <span>{view.turnWords(session)}</span>}
        <span class="grow" />
        <span class="num cut">
          <bdi>{doingNow(session)}</bdi>
          {since}
        </span>
      </header>
      {words !== undefined && (
        <p
          class={`small-text soft breaks${activity.kind === 'thinking' && snippet !== '' ? ' writes' : ''}`}
          dir="auto"
        >
          {words}
        </p>
      )}
      {said !== undefined && (
        <p class="small-text soft breaks">
          <span class="faint">said, #{said.number}</span> <bdi>{said.text}</bdi>
        </p>
      )}
    </div>
  );
};

/** Very many sessions, by what they do. */
const Share = ({ counts, of }: { readonly counts: SessionCounts; readonly of: number }) => {
  const sum = (fits: (group: SessionGroup) => boolean): number =>
    [...counts].reduce((all, [group, count]) => all + (fits(group) ? count : 0), 0);
  const [live, bad, good] = [sum((group) => group === 'at work'), sum(isBadGroup), counts.get('answered') ?? 0];
  return (
    <div class="now-share ruled">
      <ShareBar
        parts={[
          { share: live / of, family: 'live' },
          { share: bad / of, family: 'bad' },
          { share: good / of, family: 'good' },
        ]}
      />
      <p class="small-text">{countWords(counts).join(' · ')}</p>
    </div>
  );
};

/** A line to write to a live run. It is shown as sent until a take has read it. */
export const Compose = ({ view, focus }: { readonly view: RunView; readonly focus: boolean }) => {
  const { text, setText, sent, why, send } = useMessage(view);
  const agent = view.facts.value.start?.agent ?? '';
  return (
    <div class="compose ruled-above">
      {sent !== undefined && (
        <p class="small-text soft">
          <b>{wasRead(view, sent.at) ? 'Read' : 'Sent, not read yet'}</b> <bdi>{sent.text}</bdi>
        </p>
      )}
      <QuestionField
        key={String(focus)}
        label={`Message ${agent}`}
        placeholder={`Message ${agent}`}
        text={text}
        onText={setText}
        onSend={send}
        off={offline()}
        sends="Send"
        first={focus}
      >
        <span>{why ?? 'It reads it before its next turn.'}</span>
      </QuestionField>
    </div>
  );
};

/** A message that could not be sent stands in the field again. */
function useMessage(view: RunView) {
  const [text, setText] = useState('');
  const [sent, setSent] = useState<{ readonly text: string; readonly at: number } | undefined>(undefined);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const send = (): void => {
    const said = text.trim();
    setWhy(undefined);
    setSent({ text: said, at: view.data.count.value });
    setText('');
    postJson<ControlAccepted>(`/api/runs/${encodeURIComponent(view.data.run)}/messages`, {
      text: said,
    } satisfies SendToRun).catch((thrown: unknown) => {
      setWhy(problemOf(thrown).message);
      setSent(undefined);
      setText(said);
    });
  };
  return { text, setText, sent, why, send };
}

function wasRead(view: RunView, since: number): boolean {
  const { events, count } = view.data.extent.value;
  return events.slice(since, count).some((event) => event.type === 'op' && event.kind === 'take');
}
