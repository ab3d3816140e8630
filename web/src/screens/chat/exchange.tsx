// A message and its answer. The figures are those of its own run.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isBroken, type Outcome } from '../../../../src/kernel/outcome.ts';
import type { ThreadMessage } from '../../../../src/server/protocol.ts';
import { bytes, cost, dayAndTime, duration, plural, tokens } from '../../../../src/views/amounts.ts';
import { faultWords } from '../../../../src/views/fault-words.ts';
import { loopWords } from '../../../../src/views/step-words.ts';
import { runHref } from '../../app/addresses.ts';
import { setQuery } from '../../app/router.ts';
import { Button, Copy } from '../../parts/controls.tsx';
import { FeedbackBox, Thumbs } from '../../parts/feedback/feedback.tsx';
import { useFeedback } from '../../parts/feedback/use-feedback.ts';
import { SentFiles } from '../../parts/file-picker.tsx';
import { StateWord } from '../../parts/state.tsx';
import { TextBlock } from '../../parts/text-block.tsx';

interface SaidProps {
  readonly message: ThreadMessage;
  readonly wordings: readonly ThreadMessage[];
  readonly onEdit: (() => void) | undefined;
}

/** A message of a person, and its other wordings. */
export const Said = ({ message, wordings, onEdit }: SaidProps) => {
  const { input, startedAt, run } = message;
  return (
    <article class="chat-turn">
      <div class="chat-by line small-text faint wraps">
        <b class="name breaks">You</b>
        <time title={dayAndTime(startedAt)}>{dayAndTime(startedAt).slice(11, 16)}</time>
        <span class="grow" />
        {wordings.length > 1 && <Wordings of={wordings.map((one) => one.run)} shown={run} />}
        {onEdit !== undefined && (
          <Button kind="bare" size="small" icon="pencil" onPress={onEdit}>
            Edit
          </Button>
        )}
      </div>
      <div class="chat-said pre" dir="auto">
        <Words text={input.text} />
      </div>
      {input.files !== undefined && <SentFiles run={run} files={input.files} />}
    </article>
  );
};

const Wordings = ({ of, shown }: { readonly of: readonly string[]; readonly shown: string }) => {
  const place = of.indexOf(shown);
  const step = (by: number, icon: 'previous' | 'following', label: string, end: string) => (
    <Button
      kind="bare"
      size="tiny"
      icon={icon}
      label={label}
      off={of[place + by] === undefined ? end : undefined}
      onPress={() => setQuery({ at: of[place + by], why: undefined })}
    />
  );
  return (
    <span class="gaps-2 line">
      {place > 0 && 'edited '}
      {step(-1, 'previous', 'The wording before', 'This is the first wording.')}
      <span class="num">
        {place + 1} of {of.length}
      </span>
      {step(1, 'following', 'The next wording', 'This is the last wording.')}
    </span>
  );
};

/** So many letters of a message are shown at first: one with a text file may have a million. */
const SHOWN = 4000;

const Words = ({ text }: { readonly text: string }) => {
  const [isOpen, setOpen] = useState(false);
  if (isOpen || text.length <= SHOWN) return <>{text}</>;
  return (
    <>
      {text.slice(0, SHOWN)}…{' '}
      <Button kind="bare" size="small" onPress={() => setOpen(true)}>
        Show all {bytes(text.length)}
      </Button>
    </>
  );
};

interface AnswerProps {
  readonly message: Pick<ThreadMessage, 'agent' | 'stage'>;
  readonly outcome: Outcome;
  /** The way to get the whole, if the stream cut the text. */
  readonly children?: ComponentChildren;
}

/** The agent that answered, and the one that was asked if that is another. */
export const By = ({ agent, asked, children }: { agent: string; asked: string; children?: ComponentChildren }) => (
  <p class="chat-by line small-text faint wraps">
    <b class="name breaks">{agent}</b>
    {agent !== asked && <span>for {asked}</span>}
    {children}
  </p>
);

/** An answer, or in its place how it ended and what was written until then. */
export const AnswerText = ({ message, outcome, children }: AnswerProps) => {
  const text = isBroken(outcome) ? outcome.partial : 'text' in outcome ? outcome.text : undefined;
  const isJson = 'data' in outcome && outcome.data !== undefined;
  return (
    <>
      <By agent={outcome.agent ?? message.stage ?? message.agent} asked={message.agent} />
      {'unmet' in outcome && <p class="limit-words">{loopWords(outcome)}</p>}
      {isBroken(outcome) && (
        <p class="line gaps wraps">
          <StateWord state={outcome.kind} />
          <span dir="auto">{faultWords(outcome.fault)}</span>
        </p>
      )}
      {text !== undefined && text !== '' && (
        <div class={isBroken(outcome) ? 'chat-partial' : 'chat-answer'}>
          {isBroken(outcome) && <span class="tag">partial</span>}
          <TextBlock text={text} as={isJson ? 'code' : 'markdown'} />
        </div>
      )}
      {children}
    </>
  );
};

interface FootProps {
  readonly message: ThreadMessage;
  readonly outcome: Outcome;
  readonly why: string | undefined;
  readonly onAgain: () => void;
}

export const Foot = ({ message, outcome, why, onAgain }: FootProps) => {
  const { run, startedAt, endedAt = startedAt, usd, unpriced, calls, tokens: used } = message;
  const text = 'text' in outcome ? outcome.text : undefined;
  const isOpen = why === run;
  const feedback = useFeedback(run, message.notes);
  return (
    <>
      <div class="chat-figures line small-text faint wraps">
        <span class="num" title={`${tokens(used.input)} tokens in, ${tokens(used.output)} out`}>
          {duration(endedAt - startedAt)} · {calls === 0 ? '–' : cost(usd, unpriced)} · {plural(calls, 'call')}
        </span>
        <Button
          kind="bare"
          size="small"
          icon="back"
          pressed={isOpen}
          onPress={() => setQuery({ why: isOpen ? undefined : run })}
        >
          {isBroken(outcome) ? 'What led here' : 'Why this answer'}
        </Button>
        {isBroken(outcome) && (
          <Button size="small" icon="replay" onPress={onAgain}>
            Try again
          </Button>
        )}
        <Thumbs of={feedback} />
        {text !== undefined && <Copy text={text} label="Copy the answer" />}
        <a class="btn bare small" href={runHref(run)}>
          Open run
        </a>
      </div>
      <FeedbackBox of={feedback} marked={{ run, agent: message.agent, outcome }} />
    </>
  );
};
