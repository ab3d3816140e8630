// A run that has no end in the thread yet: at work, broken off, or ended a moment ago.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { ThreadMessage } from '../../../../src/server/protocol.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { forget, messagesRead, told } from '../../data/told.ts';
import { Button } from '../../parts/controls.tsx';
import { CancelDialog } from '../run/actions/end-dialogs.tsx';
import { endingOf } from '../run/run-facts.ts';
import { viewOf } from '../run/run-view.ts';
import { AnswerText } from './exchange.tsx';
import { LiveAnswer } from './live-answer.tsx';
import { useCancelKey } from './use-cancel-key.ts';

interface Props {
  readonly message: ThreadMessage;
  /** Sends a message that nobody read, as one of its own. */
  readonly onAgain: (input: string) => void;
  /** Its end is on the screen: the server's list of the thread may say so later. */
  readonly onEnd: (run: string) => void;
}

export const LiveMessage = ({ message, onAgain, onEnd }: Props) => {
  const data = useRun(message.run);
  const [isCancelling, setCancelling] = useState(false);
  useCancelKey(() => setCancelling(true), message.run);
  const { events, count } = data.extent.value;
  const ended = endingOf(events, count);
  const isOver = ended !== undefined;
  useLayoutEffect(() => {
    if (isOver) onEnd(message.run);
  }, [isOver]);
  if (ended !== undefined)
    return (
      <article class="chat-turn">
        <AnswerText message={message} outcome={ended.outcome} />
        <Unread run={message.run} onAgain={onAgain} />
      </article>
    );
  return (
    <>
      <LiveAnswer message={message} data={data} onCancel={() => setCancelling(true)} />
      <OnTheWay run={message.run} />
      {isCancelling && <CancelDialog view={viewOf(data)} onClose={() => setCancelling(false)} />}
    </>
  );
};

/** The messages that were written to it since it began. */
const OnTheWay = ({ run }: { readonly run: string }) => {
  const data = useRun(run);
  const sent = told.value.get(run) ?? [];
  const { events, count } = data.extent.value;
  const read = sent.length === 0 ? [] : messagesRead(events, count);
  return (
    <>
      {sent.map((text, index) => (
        <Told key={`${index} ${text}`} text={text} words={read.includes(text) ? 'read' : 'read before its next turn'} />
      ))}
    </>
  );
};

interface UnreadProps {
  readonly run: string;
  readonly onAgain: (input: string) => void;
}

/** The messages to it that nobody has read, now that it has ended. */
export const Unread = (props: UnreadProps) =>
  (told.value.get(props.run) ?? []).length === 0 ? null : <UnreadOf {...props} />;

const UnreadOf = ({ run, onAgain }: UnreadProps) => {
  const data = useRun(run);
  const sent = told.value.get(run) ?? [];
  const { events, count } = data.extent.value;
  if (endingOf(events, count) === undefined) return null;
  const read = messagesRead(events, count);
  return (
    <>
      {sent.map((text, index) => (
        <Told
          key={`${index} ${text}`}
          text={text}
          words={read.includes(text) ? 'read' : 'not read: the run ended first'}
        >
          {!read.includes(text) && (
            <Button
              size="small"
              onPress={() => {
                forget(run, text);
                onAgain(text);
              }}
            >
              Send again
            </Button>
          )}
        </Told>
      ))}
    </>
  );
};

const Told = (props: { readonly text: string; readonly words: string; readonly children?: ComponentChildren }) => (
  <div class="chat-turn">
    <div class="chat-by line small-text faint wraps">
      <b class="name breaks">You</b>
      <span>{props.words}</span>
      <span class="grow" />
      {props.children}
    </div>
    <div class="chat-said pre" dir="auto">
      {props.text}
    </div>
  </div>
);
