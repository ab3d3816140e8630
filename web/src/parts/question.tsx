// A question to a person, and the answer to it: a call that waits for a yes, or a question of an agent. The same on the
// screen of approvals and inside a conversation. The state changes with the event, never before.

import { useMemo, useRef, useState } from 'preact/hooks';
import { type Preview, previewOf, restWords } from '../../../src/kernel/approval.ts';
import { questionIn } from '../../../src/kernel/person.ts';
import type { ApprovalInfo, GivenVerdict } from '../../../src/server/protocol.ts';
import { escapeUnseen } from '../../../src/text/escape-unseen.ts';
import { argumentRows } from '../../../src/views/asking/arguments-text.ts';
import { linesText, personLines, previewLines } from '../../../src/views/asking/question-lines.ts';
import { useKeys } from '../app/keys.ts';
import { problemOf } from '../data/api.ts';
import { giveVerdict } from '../data/approvals.ts';
import { offline } from '../data/connection.ts';
import { Button, Command } from './controls.tsx';
import { DiffText } from './diff-text.tsx';

type Asked = Pick<ApprovalInfo, 'run' | 'path' | 'prompt' | 'about' | 'digest'>;

/** What is asked, large: a change as a diff, a command as it would run, and every argument in a table. */
export const Question = ({ asked }: { readonly asked: Pick<Asked, 'about'> }) => {
  const preview = previewOf(asked.about);
  const question = questionIn(asked.about);
  if (question !== undefined)
    return <p class="question-text">{linesText(personLines({ question: question.question }))}</p>;
  const { arguments: given } = (asked.about ?? {}) as { readonly arguments?: unknown };
  return (
    <>
      {preview !== undefined && <Previewed preview={preview} />}
      <Arguments given={given} />
    </>
  );
};

const Previewed = ({ preview }: { readonly preview: Preview }) => {
  const lines = previewLines(preview);
  if (preview.kind === 'diff')
    return <DiffText text={linesText(lines)} label={escapeUnseen(`Change of ${preview.paths.join(', ')}`)} />;
  if (preview.kind === 'request') {
    const [address, ...facts] = lines;
    return (
      <>
        <div class="cmd">
          <span>{address?.text}</span>
        </div>
        <p class="faint">{linesText(facts)}</p>
      </>
    );
  }
  return (
    <>
      <div class="cmd">
        <span>{linesText(lines.filter(({ tone }) => tone === 'strong')).slice('$ '.length)}</span>
      </div>
      <dl class="question-facts">
        <div>
          <dt>runs in</dt>
          <dd class="mono">{escapeUnseen(preview.cwd)}</dd>
        </div>
        <div>
          <dt>kept apart by</dt>
          <dd>{escapeUnseen(preview.sandbox)}</dd>
        </div>
      </dl>
    </>
  );
};

const Arguments = ({ given }: { readonly given: unknown }) => {
  const rows = argumentRows(given);
  if (rows.length === 0) return <p class="faint">It has no arguments.</p>;
  return (
    <dl class="question-args">
      {rows.map(({ key, text }, index) => (
        <div key={index}>
          <dt class="mono">{key}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
};

/** The note and the buttons. `mod+Enter` does what is proposed, `mod+Backspace` denies. */
export const Answering = ({ asked }: { readonly asked: Asked }) => {
  const question = questionIn(asked.about);
  const isOnce = previewOf(asked.about)?.rest?.once === true;
  const [note, setNote] = useState('');
  const [busy, setBusy] = useState(false);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const give = async (verdict: GivenVerdict): Promise<void> => {
    setBusy(true);
    setWhy(undefined);
    try {
      await giveVerdict(asked, verdict);
    } catch (thrown) {
      setWhy(problemOf(thrown).message);
    } finally {
      setBusy(false);
    }
  };
  const noted = note.trim() === '' ? {} : { note: note.trim() };
  const off = offline() ?? (busy ? 'The answer is on its way.' : undefined);
  const yes = (): void => {
    if (off !== undefined) return;
    if (question === undefined) void give({ approved: true, ...noted });
    else if (note.trim() !== '') void give({ approved: true, answer: note.trim() });
  };
  const no = (): void => {
    if (off === undefined) void give({ approved: false, ...noted });
  };
  const latest = useRef({ yes, no });
  latest.current = { yes, no };
  useKeys(
    useMemo(
      () => [
        { keys: 'mod+Enter', does: question === undefined ? 'approve' : 'answer', run: () => latest.current.yes() },
        { keys: 'mod+Backspace', does: 'deny', run: () => latest.current.no() },
      ],
      [asked.run, asked.path],
    ),
  );
  const command = `cadre approve ${asked.run} ${asked.path}`;
  return (
    <div class="answering">
      {question?.options !== undefined && (
        <div class="actions" role="group" aria-label="Answers">
          {question.options.map((option) => (
            <Button key={option} off={off} onPress={() => void give({ approved: true, answer: option })}>
              {option}
            </Button>
          ))}
        </div>
      )}
      {question?.options === undefined && (
        <label class="answering-note">
          <span>
            <strong>{question === undefined ? 'Note' : 'Your answer'}</strong>{' '}
            <span class="faint">
              {question === undefined
                ? 'the model reads it if you deny, and the journal keeps it'
                : 'the agent reads it, and the journal keeps it'}
            </span>
          </span>
          <textarea
            class="input"
            rows={2}
            value={note}
            placeholder={question === undefined ? 'Why, if you like' : ''}
            onInput={(event) => setNote(event.currentTarget.value)}
          />
        </label>
      )}
      <div class="actions">
        {question === undefined ? (
          <>
            <Button kind="main" icon="answered" keys="mod+Enter" off={off} onPress={yes}>
              Approve
            </Button>
            {!isOnce && (
              <Button
                off={off}
                label={`For the rest of this run: also ${restWords(asked.about)}`}
                onPress={() => void give({ approved: true, scope: 'run', ...noted })}
              >
                For the rest of this run
              </Button>
            )}
          </>
        ) : (
          question.options === undefined && (
            <Button
              kind="main"
              icon="answered"
              keys="mod+Enter"
              off={off ?? (note.trim() === '' ? 'Write an answer first.' : undefined)}
              onPress={yes}
            >
              Answer
            </Button>
          )
        )}
        <Button kind="stop" icon="failed" keys="mod+Backspace" off={off} onPress={no}>
          {question === undefined ? 'Deny' : 'Do not answer'}
        </Button>
      </div>
      {why !== undefined && (
        <p class="err" role="alert">
          {why}
        </p>
      )}
      {question === undefined && (
        <p class="faint">
          {isOnce ? 'Yes' : 'Yes is for this one call. For the rest of this run'} also covers {restWords(asked.about)}.
          What may be called without asking at all is said in the agent's file, under <code>trust</code>, not here.
        </p>
      )}
      <Command line={question === undefined ? command : `${command} --answer "…"`} />
    </div>
  );
};
