// The lines of a prompt with their numbers, and those marked that stand on this side alone: to read, or below the field in
// which they are written.

import { changedLines } from './experiment.ts';

interface Props {
  readonly text: string;
  /** The text of the other side. */
  readonly other: string;
  readonly look: 'added' | 'removed';
}

const Lines = ({ text, other, look }: Props) => {
  const changed = changedLines(other, text);
  return (
    <>
      {text.split('\n').map((line, index) => (
        <span key={index} class={changed.has(index) ? look : undefined}>
          {`${line}\n`}
        </span>
      ))}
    </>
  );
};

export const PromptText = ({ label, ...lines }: Props & { readonly label: string }) => (
  <div class="prompt-lines scrolls" dir="auto" role="figure" aria-label={label} tabIndex={0}>
    <Lines {...lines} />
  </div>
);

interface FieldProps extends Props {
  readonly label: string;
  readonly onInput: (text: string) => void;
}

/** As high as its text: the lines below it make the room, and draw the marks. */
export const PromptField = ({ label, onInput, ...lines }: FieldProps) => (
  <div class="prompt-field field-box paper scrolls">
    <div class="prompt-lines" dir="auto" aria-hidden="true">
      <Lines {...lines} />
    </div>
    <textarea
      class="bare-field"
      dir="auto"
      rows={1}
      aria-label={label}
      value={lines.text}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  </div>
);
