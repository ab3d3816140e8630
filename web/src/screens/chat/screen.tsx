// Chats: the threads at the left, one of them in the middle, and why an answer came about at the right.

import { useMemo, useState } from 'preact/hooks';
import type { Address } from '../../app/addresses.ts';
import { chatHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { go, setQuery } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { useThreads } from '../../data/threads.ts';
import { useMedia } from '../../parts/media.ts';
import { NewChat } from './new-chat.tsx';
import { OneThread } from './one-thread.tsx';
import { ThreadRows } from './thread-rows.tsx';
import { WhySide } from './why-side.tsx';
import './chat.css';

export const ChatScreen = ({ thread, address }: { readonly thread: string | undefined; readonly address: Address }) => {
  const [query, setQueryText] = useState('');
  const threads = useThreads(query);
  useTitle('Chat');
  useKeys(
    useMemo(() => {
      const move = (step: number): boolean => {
        const rows = threads.rows.peek();
        const at = rows.findIndex((row) => row.thread === thread);
        const next = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step))];
        if (next !== undefined) go(chatHref(next.thread));
        return next !== undefined;
      };
      return [
        { keys: 'j', does: 'next chat', run: () => move(1) },
        { keys: 'k', does: 'the chat before', run: () => move(-1) },
      ];
    }, [threads, thread]),
  );
  const why = address.query['why'];
  const shown = thread ?? (address.query['agent'] === undefined ? undefined : 'new');
  const isPhone = useMedia('(max-width: 719px)');
  return (
    <div class={shown === undefined ? 'chat frame no-thread' : 'chat frame'}>
      <ThreadRows
        threads={threads}
        chosen={thread}
        query={query}
        onQuery={setQueryText}
        isScreen={isPhone && shown === undefined}
      />
      {shown === undefined || shown === 'new' ? (
        <NewChat key={thread ?? ''} agent={address.query['agent']} isFirst={shown === 'new'} />
      ) : (
        <OneThread key={shown} thread={shown} at={address.query['at']} why={why} />
      )}
      {why !== undefined && <WhySide key={why} run={why} onClose={() => setQuery({ why: undefined })} />}
    </div>
  );
};
