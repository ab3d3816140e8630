// One thread: its messages with the newest at the bottom, and the field below them.

import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ThreadInfo, ThreadMessage } from '../../../../src/server/protocol.ts';
import { cost, plural } from '../../../../src/views/amounts.ts';
import { branchOf } from '../../../../src/views/talk/threads.ts';
import { chatHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { address, go, setQuery } from '../../app/router.ts';
import { approvals } from '../../data/approvals.ts';
import { agentOfRun, cadre } from '../../data/cadre.ts';
import { type ChosenFile } from '../../data/chosen-files.ts';
import { outbox, send, withdraw } from '../../data/outbox.ts';
import { useThread } from '../../data/threads.ts';
import { placeOf } from '../../parts/agent-names.ts';
import { LoadingScreen } from '../../parts/loading.tsx';
import { Empty } from '../../parts/panel.tsx';
import { useWindow } from '../../parts/use-window.ts';
import { Exchanges, type Say } from './exchanges.tsx';
import { BackToChats, begunChats } from './new-chat.tsx';
import { Pending } from './pending.tsx';
import { ThreadField } from './thread-field.tsx';
import { useEnd } from './use-end.ts';

interface Props {
  readonly thread: string;
  /** A message of the branch that is shown. */
  readonly at: string | undefined;
  readonly why: string | undefined;
}

export const OneThread = ({ thread, at, why }: Props) => {
  const data = useThread(thread);
  const info = data.info.value;
  const refused = data.refused.value;
  if (refused !== undefined)
    return (
      <section class="pane chat-talk">
        <Empty title="This chat cannot be shown">
          <p>{refused.message}</p>
          <p>
            <a class="link" href={chatHref()}>
              All chats
            </a>
          </p>
        </Empty>
      </section>
    );
  if (info === undefined)
    return (
      <section class="pane chat-talk">
        <LoadingScreen />
      </section>
    );
  return <Talk info={info} at={at} why={why} onSent={data.again} />;
};

interface TalkProps extends Pick<Props, 'at' | 'why'> {
  readonly info: ThreadInfo;
  readonly onSent: () => void;
}

const Talk = ({ info, at, why, onSent }: TalkProps) => {
  const { thread, agent } = info;
  const [editing, setEditing] = useState<string | undefined>(undefined);
  const draft = useDraft();
  const [isBegun] = useState(() => begunChats.has(thread));
  useEffect(() => void begunChats.delete(thread), [thread]);
  const [over, setOver] = useState<string | undefined>(undefined);
  const { mine, shown } = useMessages(info, at);
  const last = shown.at(-1);
  const asked = last && agentOfRun(last);
  const end = useEnd(`${shown.length} ${last?.run} ${last?.state} ${mine.length}`);
  const say: Say = (input, given, continues) => {
    send(thread, { agent, input, thread, continues }, given, onSent);
    setEditing(undefined);
    if (address.peek().query['at'] !== undefined) go(chatHref(thread), { replace: true });
    end.toEnd();
  };
  useWhyKey(shown, why);
  return (
    <section class="pane chat-talk" aria-label={`Chat with ${agent}`}>
      <Head info={info} messages={shown.length + mine.length} />
      <Messages
        of={shown}
        end={end}
        exchanges={{ runs: info.runs, editing, why, takesJson: asked?.input.format === 'json' }}
        onEdit={setEditing}
        onSay={say}
        onEnd={setOver}
      >
        {mine.map((message) => (
          <Pending key={message.key} message={message} onBack={draft.put} />
        ))}
      </Messages>
      {end.hasNews && <NewBelow onPress={end.toEnd} />}
      <footer class="chat-foot">
        <ThreadField
          agent={placeOf(cadre()?.agents ?? [], agent).name}
          asked={asked}
          atWork={last?.state === 'running' && last.run !== over ? last.run : undefined}
          isBrokenOff={last?.state === 'broken-off'}
          first={isBegun}
          {...draft.field}
          asks={approvals.value.some(({ run }) => run === last?.run)}
          onSay={(input, given) => say(input, given, last?.run ?? null)}
          onEditLast={() => setEditing(shown.findLast(({ state }) => state !== 'running')?.run ?? editing)}
        />
      </footer>
    </section>
  );
};

type OfExchanges = Parameters<typeof Exchanges>[0];

interface MessagesProps extends Pick<OfExchanges, 'of' | 'onEdit' | 'onSay' | 'onEnd'> {
  readonly end: ReturnType<typeof useEnd>;
  readonly exchanges: Pick<OfExchanges, 'runs' | 'editing' | 'why' | 'takesJson'>;
  /** The messages of this page that have no run yet. */
  readonly children: ComponentChildren;
}

/** Those near what is seen are in the document; at the end it stays at the end. */
const Messages = ({ of, end, exchanges, children, ...does }: MessagesProps) => {
  const { from, to, onNear } = useWindow(of.length, end.box);
  return (
    <div
      ref={end.box}
      class="chat-list stack fills scrolls"
      role="region"
      aria-label="Messages, newest at the bottom"
      tabIndex={0}
      onScroll={() => {
        end.look();
        onNear();
      }}
    >
      <div ref={end.content}>
        <Exchanges of={of} from={from} to={to} {...exchanges} {...does} />
        {children}
      </div>
    </div>
  );
};

function useWhyKey(shown: readonly ThreadMessage[], why: string | undefined): void {
  const toggleWhy = (): void =>
    setQuery({ why: why === undefined ? shown.findLast(({ ending }) => ending !== undefined)?.run : undefined });
  useKeys(useMemo(() => [{ keys: 'b', does: 'why this answer', run: toggleWhy }], [shown, why]));
}

const NewBelow = ({ onPress }: { readonly onPress: () => void }) => (
  <button type="button" class="btn chat-below" onClick={onPress}>
    New answer below
  </button>
);

/** The words and files of the field, until they are sent. */
function useDraft() {
  const [text, onText] = useState('');
  const [files, onFiles] = useState<readonly ChosenFile[]>([]);
  const put = (written: string, given: readonly ChosenFile[]): void => {
    onText(written);
    onFiles(given);
  };
  return { field: { text, onText, files, onFiles }, put };
}

/** The messages of the branch that is shown, and those of this page that have no run yet. */
function useMessages({ thread, runs }: ThreadInfo, at: string | undefined) {
  const mine = outbox.value.filter(({ place }) => place === thread);
  const branch = useMemo(() => branchOf(runs, at), [runs, at]);
  // Those that began a run are shown as that run as soon as it is known.
  useEffect(() => {
    for (const { key, state } of mine)
      if (typeof state === 'object' && 'began' in state && runs.some(({ run }) => run === state.began)) withdraw(key);
  }, [runs, mine.length]);
  return { mine, shown: mine.length === 0 ? branch : upTo(branch, mine[0]?.request.continues) };
}

/** The messages that a branch keeps when it goes on after one of them; null: none. */
function upTo(branch: readonly ThreadMessage[], continues: string | null | undefined): readonly ThreadMessage[] {
  if (continues === undefined) return branch;
  return branch.slice(0, branch.findIndex(({ run }) => run === continues) + 1);
}

const Head = ({ info, messages }: { readonly info: ThreadInfo; readonly messages: number }) => {
  const { agent, runs } = info;
  const place = placeOf(cadre()?.agents ?? [], agent);
  const priced = runs.flatMap(({ usd }) => (usd === undefined ? [] : [usd]));
  const unpriced = runs.reduce((sum, run) => sum + run.unpriced, 0);
  const sum = priced.length === 0 ? undefined : priced.reduce((all, usd) => all + usd, 0);
  const isKnown = runs.some(({ calls }) => calls > 0);
  return (
    <header class="chat-head gaps-10 line ruled">
      <BackToChats />
      <h1 class="cut" title={agent}>
        {place.name}
      </h1>
      <span class="faint cut wide-only" dir="auto" title={runs[0]?.input.text}>
        {place.folder !== '' && `${place.folder} · `}
        {runs[0]?.input.text.replaceAll(/\s+/g, ' ').slice(0, 200)}
      </span>
      <span class="grow" />
      <span class="faint num" title={`All ${plural(runs.length, 'run')} of this chat, other wordings too`}>
        {plural(messages, 'message')} · {isKnown ? cost(sum, unpriced) : '–'}
      </span>
    </header>
  );
};
