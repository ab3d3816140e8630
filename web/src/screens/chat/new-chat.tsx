// A chat that has not begun: whom to ask, and the field. It begins with its first message.

import { useState } from 'preact/hooks';
import { chatHref, startHref } from '../../app/addresses.ts';
import { go, setQuery } from '../../app/router.ts';
import { cadre } from '../../data/cadre.ts';
import { outbox, send, withdraw } from '../../data/outbox.ts';
import { firstAgent } from '../../parts/ask/ask-words.ts';
import { NoAgent } from '../../parts/ask/no-agent.tsx';
import { LinkButton } from '../../parts/controls.tsx';
import { Loading } from '../../parts/loading.tsx';
import { QuestionField } from '../../parts/question-field.tsx';
import { Pending } from './pending.tsx';

const PLACE = 'new';

interface Props {
  readonly agent: string | undefined;
  /** It was asked for, so the focus goes to its field. */
  readonly isFirst: boolean;
}

export const NewChat = ({ agent: named, isFirst }: Props) => {
  const now = cadre();
  const [text, setText] = useState('');
  if (now === undefined) return <Loading />;
  const agent = now.agents.find(({ name }) => name === named) ?? firstAgent(now);
  if (agent === undefined) return <NoAgent cadre={now} isFirstVisit />;
  const takesJson = agent.input.format === 'json';
  const start = (): void => {
    send(PLACE, { agent: agent.name, input: text, thread: 'new' }, ({ key, started }) => {
      withdraw(key);
      go(chatHref(started.thread ?? started.run), { replace: true });
    });
    setText('');
  };
  return (
    <section class="chat-talk" aria-label="New chat">
      <header class="chat-head">
        <BackToChats />
        <h1>New chat</h1>
      </header>
      <div class="chat-begin">
        <label class="chat-whom">
          <span>Whom do you want to ask?</span>
          <select class="input" value={agent.name} onChange={(event) => setQuery({ agent: event.currentTarget.value })}>
            {now.agents.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {agent.description !== undefined && <p dir="auto">{agent.description}</p>}
        {outbox.value
          .filter(({ place }) => place === PLACE)
          .map((message) => (
            <Pending key={message.key} message={message} onBack={setText} />
          ))}
      </div>
      <footer class="chat-foot">
        {takesJson ? (
          <LinkButton href={startHref(agent.name)} main>
            Fill in what {agent.name} takes
          </LinkButton>
        ) : (
          <QuestionField
            key={agent.name}
            label={`Message ${agent.name}`}
            placeholder={agent.usage ?? `Message ${agent.name}`}
            text={text}
            onText={setText}
            onSend={start}
            sends="Send"
            first={isFirst}
          >
            <span class="wide-only">Enter sends, ⇧Enter a new line.</span>
          </QuestionField>
        )}
      </footer>
    </section>
  );
};

/** The threads are a page of their own on a phone. */
export const BackToChats = () => (
  <a class="btn bare small chat-back" href="/chat" aria-label="All chats">
    ‹
  </a>
);
