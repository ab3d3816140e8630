// A chat that has not begun: whom to ask, and the field of the first visit. It begins with its first message, which is kept
// until it could be sent.

import { useState } from 'preact/hooks';
import { chatHref } from '../../app/addresses.ts';
import { go, setQuery } from '../../app/router.ts';
import { cadre } from '../../data/cadre.ts';
import type { ChosenFile } from '../../data/chosen-files.ts';
import { outbox, send, withdraw } from '../../data/outbox.ts';
import { AskAgent } from '../../parts/ask/ask-agent.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Pending } from './pending.tsx';

const PLACE = 'new';

/** Chats that were begun here and not shown yet: the focus goes on in the field below them. */
export const begunChats = new Set<string>();

interface Props {
  readonly agent: string | undefined;
  /** It was asked for, so the focus goes to its field. */
  readonly isFirst: boolean;
}

interface Back {
  readonly text: string;
  readonly files: readonly ChosenFile[];
  readonly times: number;
}

export const NewChat = ({ agent, isFirst }: Props) => {
  const now = cadre();
  /** A message that was taken back, to be worded anew. */
  const [back, setBack] = useState<Back>({ text: '', files: [], times: 0 });
  if (now === undefined) return <Loading />;
  return (
    <section class="pane chat-talk" aria-label="New chat">
      <header class="chat-head gaps-10 line ruled">
        <BackToChats />
        <h1>New chat</h1>
      </header>
      <div class="fills scrolls">
        <AskAgent
          key={back.times}
          cadre={now}
          named={agent}
          isFirstVisit={false}
          {...(!isFirst && { isFirst })}
          text={back.text}
          files={back.files}
          onChoose={(name) => setQuery({ agent: name })}
          onAsk={({ name }, text, files) =>
            send(PLACE, { agent: name, input: text, thread: 'new' }, files, ({ key, started }) => {
              withdraw(key);
              begunChats.add(started.thread ?? started.run);
              go(chatHref(started.thread ?? started.run), { replace: true });
            })
          }
        >
          {outbox.value
            .filter(({ place }) => place === PLACE)
            .map((message) => (
              <Pending
                key={message.key}
                message={message}
                onBack={(text, files) => setBack({ text, files, times: back.times + 1 })}
              />
            ))}
        </AskAgent>
      </div>
    </section>
  );
};

/** The threads are a page of their own on a phone. */
export const BackToChats = () => (
  <a class="btn bare small chat-back" href="/chat" aria-label="All chats">
    ‹
  </a>
);
