// The field below a thread. While its last run is at work it writes to that run; otherwise it asks the next question. It
// never answers what an agent asks.

import { useState } from 'preact/hooks';
import { problemOf } from '../../data/api.ts';
import { offline } from '../../data/connection.ts';
import { tellRun } from '../../data/told.ts';
import { QuestionField } from '../../parts/question-field.tsx';

interface Props {
  readonly agent: string;
  readonly takesJson: boolean;
  /** Its last run, while that is at work. */
  readonly atWork: string | undefined;
  readonly isBrokenOff: boolean;
  /** The focus goes to it. */
  readonly first: boolean;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Its last run waits for a person. */
  readonly asks: boolean;
  readonly onSay: (input: unknown) => void;
  readonly onEditLast: () => void;
}

export const ThreadField = (props: Props) => {
  const { agent, takesJson, atWork, text, onText, asks, onSay, onEditLast } = props;
  const [why, setWhy] = useState<string | undefined>(undefined);
  const isLive = atWork !== undefined;
  const ask = (sent: string): void => {
    const input = takesJson ? parsed(sent) : { value: sent };
    if (input !== undefined) return onSay(input.value);
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
        off={isLive ? offline() : props.isBrokenOff ? 'Resume the run above first.' : undefined}
        sends="Send"
        mono={takesJson}
        first={props.first}
        onKey={({ key }) => {
          const edits = key === 'ArrowUp' && text === '';
          if (edits) onEditLast();
          return edits;
        }}
      >
        {asks ? (
          <span>Read after your answer above. Enter sends the message; it never approves.</span>
        ) : (
          <>
            {isLive && <span>Read before its next turn.</span>}
            <span class="wide-only">Enter sends, ⇧Enter a new line.</span>
          </>
        )}
      </QuestionField>
    </>
  );
};

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
