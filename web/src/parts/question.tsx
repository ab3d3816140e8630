// A question to a person, and the answer to it: a call that waits for a yes, or a question of an agent. The same on the
// screen of approvals and inside a conversation. The state changes with the event, never before.

import { useMemo, useRef, useState } from 'preact/hooks';
import { previewOf, restWords } from '../../../src/kernel/approval.ts';
import { questionIn } from '../../../src/kernel/person.ts';
import type { ApprovalInfo, GivenVerdict } from '../../../src/server/protocol.ts';
import { useKeys } from '../app/keys.ts';
import { problemOf } from '../data/api.ts';
import { giveVerdict } from '../data/approvals.ts';
import { offline } from '../data/connection.ts';
import { Button, Command } from './controls.tsx';
import { DiffText } from './diff-text.tsx';
import { JsonText } from './json-text.tsx';

type Asked = Pick<ApprovalInfo, 'run' | 'path' | 'prompt' | 'about'>;

/** What is asked, large: arguments as a table, a change as a diff, a command as it would run. */
export const Question = ({ asked }: { readonly asked: Asked }) => {
  const preview = previewOf(asked.about);
  const question = questionIn(asked.about);
  if (question !== undefined) return <p class="question-text">{question.question}</p>;
  if (preview?.kind === 'diff') return <DiffText text={preview.text} label={`Change of ${preview.paths.join(', ')}`} />;
  if (preview?.kind === 'command')
    return (
      <>
        <div class="cmd">
          <span>{preview.command}</span>
        </div>
        <dl class="question-facts">
          <div>
            <dt>runs in</dt>
            <dd class="mono">{preview.cwd}</dd>
          </div>
          <div>
            <dt>kept apart by</dt>
            <dd>{preview.sandbox}</dd>
          </div>
        </dl>
      </>
    );
  const { arguments: given } = (asked.about ?? {}) as { readonly arguments?: unknown };
  return <Arguments given={given} />;
};

/** Every argument has a row. What is not a plain value stands as JSON. */
const Arguments = ({ given }: { readonly given: unknown }) => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return <JsonText value={given ?? {}} />;
  const entries = Object.entries(given);
  if (entries.length === 0) return <p class="faint">It has no arguments.</p>;
  return (
    <dl class="question-args">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt class="mono">{name}</dt>
          <dd>
            {typeof value === 'object' && value !== null ? (
              <JsonText value={value} />
            ) : (
              `${value as string | number | boolean | null}`
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
};

/** The note and the buttons. `mod+Enter` does what is proposed, `mod+Backspace` denies. */
export const Answering = ({ asked }: { readonly asked: Asked }) => {
  const question = questionIn(asked.about);
  const [note, setNote] = useState('');
  const [busy, setBusy] = useState(false);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const give = async (verdict: GivenVerdict): Promise<void> => {
    setBusy(true);
    setWhy(undefined);
    try {
      await giveVerdict(asked.run, asked.path, verdict);
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
            <Button
              off={off}
              label={`For the rest of this run: also ${restWords(asked.about)}`}
              onPress={() => void give({ approved: true, scope: 'run', ...noted })}
            >
              For the rest of this run
            </Button>
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
          Yes is for this one call. <em>For the rest of this run</em> also covers {restWords(asked.about)}. What may be
          called without asking at all is said in the agent's file, under <code>trust</code>, not here.
        </p>
      )}
      <Command line={question === undefined ? command : `${command} --answer "…"`} />
    </div>
  );
};
