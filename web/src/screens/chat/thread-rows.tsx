// The list of threads: a row says what was asked first, whom, how long it is, what it cost, and how it stands.

import type { ThreadRow } from '../../../../src/server/protocol.ts';
import { cost, dayAndTime, plural } from '../../../../src/views/amounts.ts';
import { askedWords } from '../../../../src/views/asking/asked-words.ts';
import { chatHref } from '../../app/addresses.ts';
import { go } from '../../app/router.ts';
import { approvals } from '../../data/approvals.ts';
import { cadre } from '../../data/cadre.ts';
import { serverNow } from '../../data/clock.ts';
import { type useThreads } from '../../data/threads.ts';
import { shortName } from '../../parts/agent-names.ts';
import { Button, FilterField } from '../../parts/controls.tsx';
import { Loading } from '../../parts/loading.tsx';
import { StateMark, type StateName } from '../../parts/state.tsx';
import { dayWords } from '../../parts/times.tsx';

interface Props {
  readonly threads: ReturnType<typeof useThreads>;
  readonly chosen: string | undefined;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** They are the whole screen, as on a phone without a chosen one. */
  readonly isScreen: boolean;
}

export const ThreadRows = ({ threads, chosen, query, onQuery, isScreen }: Props) => {
  const rows = threads.rows.value;
  const reading = threads.reading.value;
  return (
    <nav class="chat-threads ruled-right stack paper" aria-label="Chats">
      <div class="chat-threads-head line gaps">
        {isScreen ? <h1 class="name">Chats</h1> : <strong>Chats</strong>}
        <span class="faint num">{threads.total.value ?? '–'}</span>
        <span class="grow" />
        <Button size="small" icon="plus" keys="shift+n" onPress={() => go(chatHref('new'))}>
          New chat
        </Button>
      </div>
      <div class="chat-find">
        <FilterField value={query} placeholder="Find: words, agent" onChange={onQuery} />
      </div>
      <div
        class="fills scrolls"
        tabIndex={0}
        role="region"
        aria-label="Chats, newest first"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          if (scrollHeight - scrollTop - clientHeight < 400) threads.more();
        }}
      >
        {typeof reading === 'object' && <p class="err">The chats cannot be read: {reading.refused.message}</p>}
        {reading === 'loading' && <Loading />}
        {reading === 'ready' && rows.length === 0 && (
          <p class="faint inset">{query === '' ? 'No chats yet.' : 'No match. Remove a word.'}</p>
        )}
        {byDay(rows).map(({ day, of }) => (
          <section key={day} aria-label={day}>
            <h2 class="head list-head">{day}</h2>
            {of.map((row) => (
              <Row key={row.thread} row={row} isChosen={row.thread === chosen} />
            ))}
          </section>
        ))}
      </div>
    </nav>
  );
};

const Row = ({ row, isChosen }: { readonly row: ThreadRow; readonly isChosen: boolean }) => {
  const asks = row.waiting > 0 ? approvals.value.find(({ run }) => run === row.run) : undefined;
  return (
    <a
      class="list-row cols chat-row choosable small-text faint"
      href={chatHref(row.thread)}
      aria-current={isChosen ? 'page' : undefined}
    >
      <StateMark state={stateOfThread(row)} />
      <b class="name cut" dir="auto" title={row.title}>
        {row.title}
      </b>
      <time class="num" title={dayAndTime(row.at)} dateTime={new Date(row.at).toISOString()}>
        {timeOf(row.at)}
      </time>
      <span class="line chat-row-note">
        <span class="cut" title={row.agent}>
          {shortName(cadre()?.agents ?? [], row.agent)}
        </span>
        {row.waiting > 0 ? (
          <span class="cut limit-words"> · asks you{asks === undefined ? '' : `: ${askedWords(asks)}`}</span>
        ) : (
          <span class="cut">{` · ${plural(row.messages, 'message')} · ${row.fault ?? costOf(row)}`}</span>
        )}
      </span>
    </a>
  );
};

export const costOf = ({ usd, atLeast }: Pick<ThreadRow, 'usd' | 'atLeast'>): string =>
  usd === undefined && !atLeast ? '–' : cost(usd, atLeast ? 1 : 0);

export function stateOfThread({
  state,
  outcome,
  waiting,
}: Pick<ThreadRow, 'state' | 'outcome' | 'waiting'>): StateName {
  if (waiting > 0) return 'person';
  return state === 'ended' ? (outcome ?? 'answered') : state;
}

const timeOf = (at: number): string => dayAndTime(at).slice(11, 16);

/** The days under the words that a person would say. */
function byDay(rows: readonly ThreadRow[]): readonly { readonly day: string; readonly of: readonly ThreadRow[] }[] {
  const now = serverNow();
  const [today, yesterday] = [dayWords(now), dayWords(now - 86_400_000)];
  const days: { day: string; of: ThreadRow[] }[] = [];
  for (const row of rows) {
    const words = dayWords(row.at);
    const day = words === today ? 'Today' : words === yesterday ? 'Yesterday' : words;
    const last = days.at(-1);
    if (last?.day === day) last.of.push(row);
    else days.push({ day, of: [row] });
  }
  return days;
}
