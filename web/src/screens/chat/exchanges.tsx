// The messages of a thread with what came of each: those that are in the document, and how many are above and below.

import { useState } from 'preact/hooks';
import type { ThreadMessage } from '../../../../src/server/protocol.ts';
import { plural } from '../../../../src/views/amounts.ts';
import { wordingsOf } from '../../../../src/views/talk/threads.ts';
import { agentOfRun } from '../../data/cadre.ts';
import { type ChosenFile, chosenAgain, refusalBy, refusedOf } from '../../data/chosen-files.ts';
import { FilePicker } from '../../parts/file-picker.tsx';
import { QuestionField } from '../../parts/question-field.tsx';
import { AnswerText, Foot, Said } from './exchange.tsx';
import { LiveMessage, Unread } from './live-message.tsx';

export type Say = (input: unknown, files: readonly ChosenFile[], continues: string | null) => void;

interface ExchangeProps {
  readonly message: ThreadMessage;
  readonly wordings: readonly ThreadMessage[];
  readonly isEdited: boolean;
  readonly canEdit: boolean;
  readonly why: string | undefined;
  /** The run of the last message of the thread. */
  readonly last: string | undefined;
  readonly onEdit: (run: string | undefined) => void;
  readonly onSay: Say;
  readonly onEnd: (run: string) => void;
}

/** A message, and what came of it. */
const Exchange = (props: ExchangeProps) => {
  const { message, why, last, onEdit, onSay } = props;
  return (
    <div data-key={message.run} class="chat-exchange">
      {props.isEdited ? (
        <EditField message={message} onSay={onSay} onClose={() => onEdit(undefined)} />
      ) : (
        <Said
          message={message}
          wordings={props.wordings}
          onEdit={props.canEdit ? () => onEdit(message.run) : undefined}
        />
      )}
      {message.ending === undefined ? (
        <LiveMessage message={message} onAgain={(input) => onSay(input, [], message.run)} onEnd={props.onEnd} />
      ) : (
        <article class="chat-turn">
          <AnswerText message={message} outcome={message.ending} />
          <Foot
            message={message}
            outcome={message.ending}
            why={why}
            onAgain={() =>
              onSay(
                message.input.data ?? message.input.text,
                chosenAgain(message.run, message.input.files),
                message.continues ?? null,
              )
            }
          />
          <Unread run={message.run} onAgain={(input) => onSay(input, [], last ?? null)} />
        </article>
      )}
    </div>
  );
};

interface ExchangesProps extends Pick<ExchangeProps, 'why' | 'onEdit' | 'onSay' | 'onEnd'> {
  readonly of: readonly ThreadMessage[];
  /** Those of them that are in the document. */
  readonly from: number;
  readonly to: number;
  readonly runs: readonly ThreadMessage[];
  readonly editing: string | undefined;
  readonly takesJson: boolean;
}

export const Exchanges = ({ of, from, to, runs, editing, takesJson, ...rest }: ExchangesProps) => (
  <>
    {from > 0 && <p class="faint chat-more">{plural(from, 'earlier message')} above</p>}
    {of.slice(from, to).map((message) => (
      <Exchange
        key={message.run}
        message={message}
        wordings={wordingsOf(message, runs)}
        isEdited={editing === message.run}
        canEdit={message.state !== 'running' && !takesJson}
        last={of.at(-1)?.run}
        {...rest}
      />
    ))}
    {to < of.length && <p class="faint chat-more">{plural(of.length - to, 'later message')} below</p>}
  </>
);

interface EditProps {
  readonly message: ThreadMessage;
  readonly onSay: Say;
  readonly onClose: () => void;
}

const EditField = ({ message, onSay, onClose }: EditProps) => {
  const [text, setText] = useState(message.input.text);
  const [files, setFiles] = useState(chosenAgain(message.run, message.input.files));
  const refusal = refusalBy(agentOfRun(message));
  return (
    <QuestionField
      label="Word the message anew"
      placeholder=""
      text={text}
      onText={setText}
      onSend={() => onSay(text, files, message.continues ?? null)}
      off={refusedOf(files, refusal)}
      sends="Send"
      first
      onKey={({ key }) => {
        if (key === 'Escape') onClose();
        return key === 'Escape';
      }}
    >
      <FilePicker files={files} onChange={setFiles} refusal={refusal} />
      <span>Starts a branch here; this wording stays. Esc leaves it.</span>
    </QuestionField>
  );
};
