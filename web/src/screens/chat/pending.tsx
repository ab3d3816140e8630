// A message that has not begun a run: on its way, held back until the server can be reached, or refused.

import type { ChosenFile } from '../../data/chosen-files.ts';
import { type OutgoingMessage, withdraw } from '../../data/outbox.ts';
import { Button } from '../../parts/controls.tsx';
import { ChosenFiles } from '../../parts/file-picker.tsx';

interface Props {
  readonly message: OutgoingMessage;
  /** Gives the text and its files back to the field. */
  readonly onBack: (text: string, files: readonly ChosenFile[]) => void;
}

export const Pending = ({ message, onBack }: Props) => {
  const { key, request, files, state } = message;
  const text = typeof request.input === 'string' ? request.input : JSON.stringify(request.input);
  const isHeld = state === 'waiting' || (typeof state === 'object' && 'refused' in state);
  return (
    <article class="chat-turn" aria-busy={!isHeld}>
      <p class="chat-by line small-text faint wraps">
        <b class="name breaks">You</b>
        {state === 'waiting' && <span class="limit-words">not sent, reconnecting</span>}
        {typeof state === 'object' && 'refused' in state && (
          <span class="err" role="alert">
            not sent: {state.refused.message}
          </span>
        )}
        <span class="grow" />
        {isHeld && (
          <Button
            kind="bare"
            size="small"
            onPress={() => {
              withdraw(key);
              onBack(text, files);
            }}
          >
            Take it back
          </Button>
        )}
      </p>
      <div class="chat-said pre" dir="auto">
        {text}
      </div>
      <ChosenFiles files={files} />
    </article>
  );
};
