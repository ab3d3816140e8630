// The field in which a person writes to an agent: the first question, a new run, a new chat, a further message, an edit.
// Enter sends, Shift and Enter begin a new line. It never answers a question that an agent asks.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

interface Props {
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSend: () => void;
  /** The reason why it cannot be sent now. */
  readonly off?: string | undefined;
  /** The action of the button, in a word. */
  readonly sends: string;
  readonly icon?: IconName;
  /** Says on the button what it sends. */
  readonly worded?: boolean;
  /** The focus goes here with the field. */
  readonly first?: boolean;
  readonly mono?: boolean;
  readonly children?: ComponentChildren;
  /** A key in the field, before the field takes it. True: it was taken. */
  readonly onKey?: (event: KeyboardEvent) => boolean;
}

const MOST_HEIGHT = 240;

export const QuestionField = (props: Props) => {
  const { label, placeholder, text, onText, onSend, off, onKey } = props;
  const field = useFitted(text, props.first === true);
  const send = (): void => {
    if (off === undefined && text.trim() !== '') onSend();
  };
  return (
    <form
      class="ask-field field-box paper"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        class={props.mono === true ? 'bare-field mono' : 'bare-field'}
        rows={1}
        dir="auto"
        aria-label={label}
        data-first={props.first}
        placeholder={placeholder}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (onKey?.(event) === true) event.preventDefault();
          else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && !event.metaKey && !event.ctrlKey) {
            event.preventDefault();
            if (!event.repeat) send();
          }
        }}
      />
      <div class="ask-field-foot gaps-6 line tiny-text faint">
        {props.children}
        <span class="grow" />
        <Send {...props} off={off ?? (text.trim() === '' ? 'Write something first.' : undefined)} />
      </div>
    </form>
  );
};

const Send = ({ sends, icon = 'send', worded = false, off }: Pick<Props, 'sends' | 'icon' | 'worded' | 'off'>) => (
  <button
    type="submit"
    class={worded ? 'btn main' : 'btn main small'}
    aria-label={worded ? undefined : sends}
    aria-disabled={off === undefined ? undefined : 'true'}
    title={off}
  >
    {worded ? sends : <Icon name={icon} />}
    {worded && <kbd aria-hidden="true">↵</kbd>}
  </button>
);

/** As high as its text; with the focus at its end where it comes first. */
function useFitted(text: string, isFirst: boolean) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(MOST_HEIGHT, element.scrollHeight)}px`;
  }, [text]);
  useLayoutEffect(() => {
    if (!isFirst) return;
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, []);
  return field;
}
