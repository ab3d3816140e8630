// The field below a thread. While its last run is at work it writes to that run; otherwise it asks the next question. It
// never answers what an agent asks.

import { useState } from 'preact/hooks';
import type { ThreadMessage } from '../../../../src/server/protocol.ts';
import { problemOf } from '../../data/api.ts';
import { offline } from '../../data/connection.ts';
import { tellRun } from '../../data/told.ts';
import { QuestionField } from '../../parts/question-field.tsx';

interface Props {
  readonly agent: string;
  readonly takesJson: boolean;
  readonly last: ThreadMessage | undefined;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Its last run waits for a person. */
  readonly asks: boolean;
  readonly onSay: (input: unknown) => void;
  readonly onEditLast: () => void;
}

export const ThreadField = ({ agent, takesJson, last, text, onText, asks, onSay, onEditLast }: Props) => {
  const [why, setWhy] = useState<string | undefined>(undefined);
  const isLive = last?.state === 'running';
  const say = (): void => {
    setWhy(undefined);
    if (isLive) {
      const sent = text;
      tellRun(last.run, sent).catch((thrown: unknown) => {
        onText(sent);
        setWhy(problemOf(thrown).message);
      });
    } else {
      const input = takesJson ? parsed(text) : { value: text };
      if (input === undefined) return setWhy(`${agent} takes JSON, and this is not JSON.`);
      onSay(input.value);
    }
    onText('');
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
        off={isLive ? offline() : last?.state === 'broken-off' ? 'Resume the run above first.' : undefined}
        sends="Send"
        mono={takesJson}
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
