// The answer to an open question: yes or no, one of its options, the fields of a form, or a text. It listens to its own keys, and answers once.
// ASK-1. An answer names what was drawn: run, op and digest.
// ASK-2. A key counts while the focus is inside, and once for each press; a click counts if the button went down on the
//        same button, armed (ARM-3). Enter alone answers nothing.
// ASK-3. After an answer was sent, nothing more is sent, unless the server refused it.

import type { ComponentChildren, RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { previewOf, restWords } from '../../../../src/kernel/approval.ts';
import { questionIn } from '../../../../src/kernel/person.ts';
import { signInIn } from '../../../../src/kernel/sign-in.ts';
import type { ApprovalInfo, GivenVerdict } from '../../../../src/server/protocol.ts';
import { toolAskedAbout } from '../../../../src/views/asking/asked-words.ts';
import { diffFiles } from '../../../../src/views/asking/diff-rows.ts';
import { problemOf } from '../../data/api.ts';
import { giveVerdict } from '../../data/approvals.ts';
import { offline } from '../../data/connection.ts';
import { Button } from '../controls.tsx';
import type { IconName } from '../icon.tsx';
import { AnswerFields } from './answer-fields.tsx';
import { type Arming, useArming } from './arming.ts';
import { linesOf } from './diff.tsx';
import { filledIn, newDraft } from './form-draft.ts';

type Answer = Omit<GivenVerdict, 'seen'>;

interface Props {
  readonly asked: ApprovalInfo;
  /** The reason why it cannot be answered now, besides those that the form itself knows. */
  readonly off: string | undefined;
  readonly note: string;
  readonly onNote: (note: string) => void;
  readonly keys: { current: ((event: KeyboardEvent) => void) | undefined };
}

export const AnswerForm = ({ asked, off: away, note, onNote, keys }: Props) => {
  const question = questionIn(asked.about);
  const buttons = useRef<HTMLDivElement>(null);
  const arming = useArming(buttons, asked.digest);
  const [isForRest, setForRest] = useState(false);
  const fields = question?.options === undefined ? question?.fields : undefined;
  const [draft, setDraft] = useState(() => newDraft(fields ?? []));
  const filled = fields && filledIn(fields, draft);
  const { state, give } = useVerdict(asked);
  const off = offline() ?? away ?? (state.kind === 'sent' ? 'It is sent.' : undefined);
  const no: Answer = { approved: false, ...noted(note) };
  const yes = yesOf(question, { note, filled, isForRest });
  keys.current = (event) => {
    if (event.repeat || off !== undefined || !arming.takesPress()) return;
    const answer = event.key === 'Enter' ? yes : no;
    if (answer !== undefined) give(answer);
  };
  const press: PressOf = (answer, why) => ({
    arming,
    off: off ?? why,
    give: () => answer !== undefined && give(answer),
  });
  const missing = filled?.ok === false ? filled.problem : 'Write an answer first.';
  const further = isForRest ? (toolAskedAbout(asked.about) ?? 'such') : undefined;
  return (
    <div class="do stack gaps small-text">
      {question?.options !== undefined ? (
        <Options of={question.options} buttons={buttons} press={press} no={no} />
      ) : (
        <div class="btns line gaps" ref={buttons}>
          <Press kind="main" icon="answered" keys="mod+Enter" {...press(yes, yes === undefined ? missing : undefined)}>
            {state.kind === 'sent' ? 'Sent' : yesWords(asked, further)}
          </Press>
          <Press kind="stop" icon="failed" keys="mod+Backspace" {...press(no)}>
            {noWords(asked)}
          </Press>
        </div>
      )}
      {mayBeForRest(asked) && <ForRest asked={asked} isOn={isForRest} onChange={setForRest} />}
      {fields !== undefined && <AnswerFields fields={fields} draft={draft} onDraft={setDraft} />}
      {question?.options === undefined && fields === undefined && (
        <NoteField label={question === undefined ? undefined : 'Your answer'} note={note} onNote={onNote} />
      )}
      {state.kind === 'refused' && (
        <p class="err" role="alert">
          {state.why}
        </p>
      )}
    </div>
  );
};

/** A call, and not one that is asked for each time. */
const mayBeForRest = ({ about }: ApprovalInfo): boolean =>
  questionIn(about) === undefined && signInIn(about) === undefined && previewOf(about)?.rest?.once !== true;

const noWords = ({ about }: ApprovalInfo): string =>
  signInIn(about) !== undefined ? 'Do without' : questionIn(about) === undefined ? 'Deny' : 'Do not answer';

/** A button that gives this answer; `why`: the reason why it cannot be given. */
type PressOf = (answer: Answer | undefined, why?: string) => Pick<PressProps, 'arming' | 'off' | 'give'>;

const noted = (note: string) => (note.trim() === '' ? {} : { note: note.trim() });

interface Given {
  readonly note: string;
  readonly filled: ReturnType<typeof filledIn> | undefined;
  readonly isForRest: boolean;
}

/** Undefined while there is nothing to answer with; options are answers of their own. */
function yesOf(question: ReturnType<typeof questionIn>, { note, filled, isForRest }: Given): Answer | undefined {
  if (question === undefined) return { approved: true, ...noted(note), ...(isForRest && { scope: 'run' as const }) };
  const words = filled === undefined ? note.trim() : filled.ok ? filled.answer : '';
  return question.options === undefined && words !== '' ? { approved: true, answer: words } : undefined;
}

interface OptionsProps {
  readonly of: readonly string[];
  readonly buttons: RefObject<HTMLDivElement | null>;
  readonly press: PressOf;
  readonly no: Answer;
}

/** The answers that the agent offers, one button each. */
const Options = ({ of, buttons, press, no }: OptionsProps) => (
  <div class="btns options line gaps wraps" role="group" aria-label="Answers" ref={buttons}>
    {of.map((option) => (
      <Press key={option} {...press({ approved: true, answer: option })}>
        <bdi>{option}</bdi>
      </Press>
    ))}
    <Press kind="stop" icon="failed" keys="mod+Backspace" {...press(no)}>
      Do not answer
    </Press>
  </div>
);

const ForRest = (props: {
  readonly asked: ApprovalInfo;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) => (
  <label class="check line gaps soft" title={restWords(props.asked.about)}>
    <input type="checkbox" checked={props.isOn} onChange={(event) => props.onChange(event.currentTarget.checked)} />
    <span>
      and further <code>{toolAskedAbout(props.asked.about) ?? 'such'}</code> calls{narrower(props.asked)}, for the rest
      of this run
    </span>
  </label>
);

/** An answer, or without a label a note to a verdict. */
const NoteField = (props: {
  readonly label: string | undefined;
  readonly note: string;
  readonly onNote: (note: string) => void;
}) => (
  <textarea
    class="input"
    rows={2}
    dir="auto"
    aria-label={props.label ?? 'Note'}
    placeholder={props.label ?? 'Note (the agent reads it if you deny)'}
    value={props.note}
    onInput={(event) => props.onNote(event.currentTarget.value)}
  />
);

/** `Approve`, `Approve 214 lines`, `Approve, and further edit_file` */
function yesWords({ about }: ApprovalInfo, further: string | undefined): string {
  if (questionIn(about) !== undefined) return 'Answer';
  if (signInIn(about) !== undefined) return 'Try again';
  const preview = previewOf(about);
  const lines = preview?.kind === 'diff' ? linesOf(diffFiles(preview.text)) : 0;
  return `Approve${lines > 200 ? ` ${lines} lines` : ''}${further === undefined ? '' : `, and further ${further}`}`;
}

const narrower = ({ about }: ApprovalInfo): string => {
  const words = previewOf(about)?.rest?.words;
  return words === undefined ? '' : ` ${words}`;
};

type VerdictState =
  | { readonly kind: 'none' }
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused'; readonly why: string };

/** The answers of this visit: also those of a form that was left, and drawn again before the event came (ASK-3). */
const answered = new Set<string>();

/** ASK-1, ASK-3. The state of the question changes with its event, never with what the server says here. */
function useVerdict(asked: ApprovalInfo): { readonly state: VerdictState; give(answer: Answer): void } {
  const name = `${asked.run} ${asked.path} ${asked.digest}`;
  const [state, setState] = useState<VerdictState>({ kind: answered.has(name) ? 'sent' : 'none' });
  return {
    state,
    give(answer) {
      if (answered.has(name)) return;
      answered.add(name);
      setState({ kind: 'sent' });
      giveVerdict(asked, answer).catch((thrown: unknown) => {
        const { message, code } = problemOf(thrown);
        if (code !== 'approval/decided') answered.delete(name); // that it is decided arrives as an event
        setState({ kind: 'refused', why: message });
      });
    },
  };
}

interface PressProps {
  readonly arming: Arming;
  readonly off: string | undefined;
  readonly give: () => void;
  readonly kind?: 'main' | 'stop';
  readonly icon?: IconName;
  readonly keys?: string;
  readonly children: ComponentChildren;
}

/** ASK-2 */
const Press = ({ arming, off, give, children, ...looks }: PressProps) => {
  const isDown = useRef(false);
  const notYet = arming.isArmed.value ? undefined : 'Look at it first.';
  return (
    <span
      class="press"
      onPointerDown={(event) => {
        isDown.current = event.button === 0 && off === undefined && arming.takesPress();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.metaKey || event.ctrlKey) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <Button
        {...looks}
        off={off ?? notYet}
        onPress={(event) => {
          const counts = event.detail === 0 ? arming.takesPress() : isDown.current;
          isDown.current = false;
          if (counts) give();
        }}
      >
        {children}
      </Button>
    </span>
  );
};
