// The subject of a question, large: a change line by line, a command as it would run, an address, a question in words,
// and every argument in a table.

import { escapeUnseen } from '../../../../src/base/text/escape-unseen.ts';
import { type Preview, previewOf } from '../../../../src/kernel/approval.ts';
import { questionIn } from '../../../../src/kernel/person.ts';
import { serverQuestionIn } from '../../../../src/kernel/server-question.ts';
import { signInIn } from '../../../../src/kernel/sign-in.ts';
import { argumentRows } from '../../../../src/views/asking/arguments-text.ts';
import {
  linesText,
  personLines,
  previewLines,
  type QuestionLine,
  signInLines,
} from '../../../../src/views/asking/question-lines.ts';
import { Command } from '../controls.tsx';
import { Diff } from './diff.tsx';

interface Props {
  readonly about: unknown;
  /** The fields of a form stand beside it, to be filled in. */
  readonly isOpen: boolean;
}

/** A change says all that its arguments say: they are folded below it. */
export const Subject = ({ about, isOpen }: Props) => {
  const preview = previewOf(about);
  const question = questionIn(about);
  if (question !== undefined) {
    const server = serverQuestionIn(about)?.server;
    const fields = isOpen ? undefined : question.fields;
    return (
      <>
        {server !== undefined && (
          <p class="soft small-text" dir="auto">
            The MCP server "{escapeUnseen(server)}" asks:
          </p>
        )}
        <p class="question-text pre breaks" dir="auto">
          {linesText(personLines({ question: question.question, ...(fields && { fields }) }))}
        </p>
      </>
    );
  }
  const signIn = signInIn(about);
  if (signIn !== undefined) return <SignIn lines={signInLines(signIn)} />;
  const { arguments: given } = (about ?? {}) as { readonly arguments?: unknown };
  if (preview?.kind === 'diff')
    return (
      <>
        <Diff text={preview.text} paths={preview.paths.map(escapeUnseen)} />
        <details>
          <summary class="small-text soft">Arguments of the call</summary>
          <Arguments given={given} />
        </details>
      </>
    );
  return (
    <>
      {preview !== undefined && <Previewed preview={preview} />}
      <Arguments given={given} />
    </>
  );
};

const SignIn = ({ lines }: { readonly lines: readonly QuestionLine[] }) => {
  const isCommand = ({ tone }: QuestionLine): boolean => tone === 'strong';
  return (
    <>
      <p class="question-text pre" dir="auto">
        {lines[0]?.text}
      </p>
      <Command line={linesText(lines.filter(isCommand)).slice('$ '.length)} />
      {lines.slice(1).map((line) =>
        isCommand(line) ? null : (
          <p key={line.text} class="soft small-text" dir="auto">
            {line.text}
          </p>
        ),
      )}
    </>
  );
};

const Previewed = ({ preview }: { readonly preview: Exclude<Preview, { kind: 'diff' }> }) => {
  const lines = previewLines(preview);
  if (preview.kind === 'request') {
    const [address, ...facts] = lines;
    return (
      <>
        <div class="cmd line gaps soft">
          <span class="grow pre breaks" dir="auto">
            {address?.text}
          </span>
        </div>
        <p class="soft small-text">{linesText(facts)}</p>
      </>
    );
  }
  return (
    <>
      <div class="cmd line gaps soft">
        <span class="grow pre breaks" dir="auto">
          {linesText(lines.filter(({ tone }) => tone === 'strong')).slice('$ '.length)}
        </span>
      </div>
      <dl class="pairs question-facts small-text">
        <div class="ruled">
          <dt class="soft">runs in</dt>
          <dd class="mono">{escapeUnseen(preview.cwd)}</dd>
        </div>
        <div class="ruled">
          <dt class="soft">kept apart by</dt>
          <dd>{escapeUnseen(preview.sandbox)}</dd>
        </div>
      </dl>
    </>
  );
};

const Arguments = ({ given }: { readonly given: unknown }) => {
  const rows = argumentRows(given);
  if (rows.length === 0) return <p class="soft">It has no arguments.</p>;
  return (
    <dl class="question-args boxed paper">
      {rows.map(({ key, text }, index) => (
        <div key={index} class="ruled">
          <dt class="mono ground soft small-text breaks" dir="auto">
            {key}
          </dt>
          <dd class="pre breaks scrolls" dir="auto">
            {text}
          </dd>
        </div>
      ))}
    </dl>
  );
};
