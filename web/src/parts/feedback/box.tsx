// The marks on a run in words: those of others, yours with its one line, and the test that is made of the run.

import { useState } from 'preact/hooks';
import { dayAndTime } from '../../../../src/views/amounts.ts';
import { Icon } from '../icon.tsx';
import { MakeTest } from './make-test.tsx';
import type { FeedbackState, MarkedRun } from './use-feedback.ts';
import './feedback.css';

export const FeedbackBox = ({ of, marked }: { readonly of: FeedbackState; readonly marked: MarkedRun }) => {
  const { yours, others, why } = of;
  return (
    <div class="feedback paper small-text">
      {others.length > 0 && (
        <ul>
          {others.map((note) => (
            <li key={note.by} class="line gaps">
              <Icon name={note.mark} />
              <span dir="auto" class="breaks">
                <b>{note.mark}</b>, by <bdi>{note.by}</bdi>
                {note.text !== undefined && `: ${note.text}`}
              </span>
              <span class="grow" />
              <time class="faint num">{dayAndTime(note.at)}</time>
            </li>
          ))}
        </ul>
      )}
      {yours !== undefined && <Reason key={yours.mark} of={of} />}
      {why !== undefined && (
        <p class="err" role="alert">
          {why}
        </p>
      )}
      {yours !== undefined && <MakeTest key={`test ${yours.mark}`} marked={marked} mark={yours.mark} />}
    </div>
  );
};

/** Kept on Enter, and when the field is left. */
const Reason = ({ of: { yours, isKept, put } }: { readonly of: FeedbackState }) => {
  const known = yours?.text ?? '';
  const [text, setText] = useState(known);
  const keep = (): void => {
    if (yours !== undefined && text.trim() !== known) put(yours.mark, text.trim());
  };
  const isSaid = isKept && text.trim() === known;
  return (
    <label class="line wraps">
      <span class="faint">{yours?.mark === 'bad' ? 'What was wrong' : 'What was good'}</span>
      <input
        class="input grow"
        dir="auto"
        maxLength={2000}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          keep();
        }}
      />
      <span class="ok" role="status">
        {isSaid && (
          <>
            <Icon name="answered" /> kept
          </>
        )}
      </span>
    </label>
  );
};
