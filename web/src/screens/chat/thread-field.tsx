// The field below a thread. While its last run is at work it writes to that run; otherwise it asks the next question. It
// never answers what an agent asks.

import { useState } from 'preact/hooks';
import type { AgentInfo } from '../../../../src/server/protocol.ts';
import { problemOf } from '../../data/api.ts';
import { type ChosenFile, type FileRefusal, refusalBy, refusedOf } from '../../data/chosen-files.ts';
import { offline } from '../../data/connection.ts';
import { tellRun } from '../../data/told.ts';
import { FilePicker } from '../../parts/file-picker.tsx';
import { QuestionField } from '../../parts/question-field.tsx';

interface Props {
  readonly agent: string;
  /** The agent as it is now; undefined if it is not there any more. */
  readonly asked: AgentInfo | undefined;
  /** Its last run, while that is at work. */
  readonly atWork: string | undefined;
  readonly isBrokenOff: boolean;
  /** The focus goes to it. */
  readonly first: boolean;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly files: readonly ChosenFile[];
  readonly onFiles: (files: readonly ChosenFile[]) => void;
  /** Its last run waits for a person. */
  readonly asks: boolean;
  readonly onSay: (input: unknown, files: readonly ChosenFile[]) => void;
  readonly onEditLast: () => void;
}

const noFiles: FileRefusal = () => 'files go with a question, not with a message to a run at work.';

export const ThreadField = (props: Props) => {
  const { agent, asked, atWork, text, onText, files, onFiles, asks, onEditLast } = props;
  const takesJson = asked?.input.format === 'json';
  const { why, say } = useSaying(props, takesJson);
  const isLive = atWork !== undefined;
  const refusal = isLive ? noFiles : refusalBy(asked);
  return (
    <>
      {why !== undefined && (
        <p class="err" role="alert">
          {why}
        </p>
      )}
      <QuestionField
        label={`Message ${agent}`}
        placeholder={`Message ${agent}`}
        text={text}
        onText={onText}
        onSend={say}
        off={
          refusedOf(files, refusal) ??
          (isLive ? offline() : props.isBrokenOff ? 'Resume the run above first.' : undefined)
        }
        sends="Send"
        mono={takesJson}
        first={props.first}
        onKey={({ key }) => {
          const edits = key === 'ArrowUp' && text === '';
          if (edits) onEditLast();
          return edits;
        }}
      >
        <FilePicker files={files} onChange={onFiles} refusal={refusal} />
        <Hints asks={asks} isLive={isLive} />
      </QuestionField>
    </>
  );
};

const Hints = ({ asks, isLive }: { readonly asks: boolean; readonly isLive: boolean }) =>
  asks ? (
    <span>Read after your answer above. Enter sends the message; it never approves.</span>
  ) : (
    <>
      {isLive && <span>Read before its next turn.</span>}
      <span class="wide-only">Enter sends, ⇧Enter a new line.</span>
    </>
  );

/** A text is a message to the run at work; without one, or if it ended meanwhile, it asks the next question. */
function useSaying({ agent, atWork, text, onText, files, onFiles, onSay }: Props, takesJson: boolean) {
  const [why, setWhy] = useState<string | undefined>(undefined);
  const ask = (sent: string): void => {
    const input = takesJson ? parsed(sent) : { value: sent };
    if (input !== undefined) {
      onFiles([]);
      return onSay(input.value, files);
    }
    onText(sent);
    return setWhy(`${agent} takes JSON, and this is not JSON.`);
  };
  const say = (): void => {
    setWhy(undefined);
    onText('');
    if (atWork === undefined) return ask(text);
    tellRun(atWork, text).catch((thrown: unknown) => {
      const { code, message } = problemOf(thrown);
      if (code === 'run/finished') return ask(text); // it ended while the message was on its way
      onText(text);
      return setWhy(message);
    });
    return undefined;
  };
  return { why, say };
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
