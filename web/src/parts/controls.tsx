// Buttons, choices, commands to copy, the filter field. A control that is off says why.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { unknownWords } from '../../../src/views/runs/filter.ts';
import { shownKey } from '../app/keys.ts';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  /** The key that does the same, as bindings say it. */
  readonly keys?: string;
  readonly kind?: 'plain' | 'main' | 'bare' | 'stop';
  readonly size?: 'usual' | 'small' | 'tiny';
  /** The label of a button without words. */
  readonly label?: string;
  /** The reason why it cannot be used now. */
  readonly off?: string | undefined;
  readonly pressed?: boolean;
  readonly onPress: (event: MouseEvent) => void;
}

export const Button = (props: ButtonProps) => {
  const { children, icon, keys, kind = 'plain', size = 'usual', label, off, pressed, onPress } = props;
  const looks = ['btn', kind === 'plain' ? '' : kind, size === 'usual' ? '' : size].filter((look) => look !== '');
  return (
    <button
      type="button"
      class={looks.join(' ')}
      aria-label={label}
      aria-pressed={pressed}
      aria-disabled={off === undefined ? undefined : 'true'}
      title={off ?? label}
      onClick={(event) => {
        if (off === undefined) onPress(event);
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
      {keys !== undefined && <Key keys={keys} />}
    </button>
  );
};

/** Closes a sheet or a drawer; beside a working area there is no need to. */
export const SheetClose = ({ onPress }: { readonly onPress: () => void }) => (
  <span class="sheet-close">
    <Button kind="bare" size="tiny" icon="close" label="Close" onPress={onPress} />
  </span>
);

export const Key = ({ keys }: { readonly keys: string }) => <kbd aria-hidden="true">{shownKey(keys)}</kbd>;

/** A link that looks like a button. */
export const LinkButton = (props: {
  readonly href: string;
  readonly children: ComponentChildren;
  readonly icon?: IconName;
  readonly keys?: string;
  readonly main?: boolean;
}) => (
  <a class={props.main === true ? 'btn main' : 'btn'} href={props.href}>
    {props.icon !== undefined && <Icon name={props.icon} />}
    {props.children}
    {props.keys !== undefined && <Key keys={props.keys} />}
  </a>
);

interface Choice<Value extends string> {
  readonly value: Value;
  readonly name: string;
  /** `–` until it is known. */
  readonly count?: number | string;
}

/** One of a few, side by side. The arrow keys move between them. */
export function Choices<Value extends string>(props: {
  readonly label: string;
  readonly of: readonly Choice<Value>[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}) {
  const { of, chosen, onChoose } = props;
  const isChosen = of.some(({ value }) => value === chosen); // else the keys come in at the first
  const move = (event: KeyboardEvent, step: number): void => {
    const index = of.findIndex(({ value }) => value === chosen);
    const next = of[(index + step + of.length) % of.length];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(next.value);
    const row = event.currentTarget as HTMLElement;
    (row.children[of.indexOf(next)] as HTMLElement | undefined)?.focus();
  };
  return (
    <div
      class="seg"
      role="radiogroup"
      aria-label={props.label}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') move(event, 1);
        else if (event.key === 'ArrowLeft') move(event, -1);
      }}
    >
      {of.map(({ value, name, count }, index) => (
        <button
          key={value}
          type="button"
          role="radio"
          aria-checked={value === chosen}
          tabIndex={value === chosen || (!isChosen && index === 0) ? 0 : -1}
          onClick={() => onChoose(value)}
        >
          {name}
          {count !== undefined && <small>{count}</small>}
        </button>
      ))}
    </div>
  );
}

interface SelectProps<Value extends string> {
  readonly label: ComponentChildren;
  /** The label is for those who do not see the field. */
  readonly isHidden?: boolean;
  readonly value: Value;
  /** Without a name, a value is its own. */
  readonly of: readonly { readonly value: Value; readonly name?: string }[];
  readonly isRequired?: boolean;
  /** As wide as the other fields of a form. */
  readonly isWide?: boolean;
  readonly onChoose: (value: Value) => void;
}

/** One of many, in a field that opens. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, isHidden, value, of, isRequired, isWide, onChoose } = props;
  return (
    <label>
      {isHidden === true ? <span class="sr">{label}</span> : label}{' '}
      <select
        class={isWide === true ? 'input' : 'input own-width'}
        value={value}
        aria-required={isRequired}
        onChange={(event) => onChoose(event.currentTarget.value as Value)}
      >
        {of.map((one) => (
          <option key={one.value} value={one.value}>
            {one.name ?? one.value}
          </option>
        ))}
      </select>
    </label>
  );
}

const COPIED_MS = 1500;

/** Copies a text, and says so in its own place. */
export const Copy = ({
  text,
  label,
  keys,
}: {
  readonly text: string;
  readonly label: string;
  readonly keys?: string;
}) => {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      kind="bare"
      size="tiny"
      icon={copied ? 'answered' : 'copy'}
      label={copied ? 'Copied' : label}
      {...(keys !== undefined && { keys })}
      onPress={() => void copyText(text).then(setCopied)}
    />
  );
};

/**
 * Copies a text, and tells whether it could. If the browser gives no clipboard (a page that is not served over TLS or
 * loopback) or refuses it (a page without the focus), a field is selected instead.
 */
export async function copyText(text: string): Promise<boolean> {
  return (
    (await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )) || copyField(text)
  );
}

function copyField(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/** The command that does the same in a terminal. */
export const Command = ({ line }: { readonly line: string }) => (
  <div class="cmd line gaps soft">
    <span class="grow pre breaks" dir="auto">
      {line}
    </span>
    <Copy text={line} label="Copy the command" />
  </div>
);

interface FilterFieldProps {
  readonly value: string;
  readonly placeholder: string;
  readonly width?: number;
  /** Words that this list does not know: they are underlined, with the nearest that it does. */
  readonly unknown?: ReturnType<typeof unknownWords>;
  readonly onChange: (value: string) => void;
}

/** A filter field. `/` goes to it, Escape empties and leaves it. */
export const FilterField = ({ value, placeholder, width, unknown = [], onChange }: FilterFieldProps) => {
  const input = useRef<HTMLInputElement>(null);
  const shadow = useRef<HTMLSpanElement>(null);
  return (
    <>
      <label
        class="filter line gaps-6 small-text faint paper field-box"
        style={width === undefined ? {} : { '--wide': `${width}px` }}
      >
        <Icon name="search" />
        <span class="sr">Filter</span>
        <span class="filter-text">
          {unknown.length > 0 && (
            <span class="filter-words" ref={shadow} aria-hidden="true">
              {underlined(value, unknown)}
            </span>
          )}
          <input
            class="bare-field"
            dir="auto"
            ref={input}
            type="text"
            data-filter="true"
            value={value}
            placeholder={placeholder}
            spellcheck={false}
            autocomplete="off"
            onScroll={({ currentTarget }) => shadow.current?.scrollTo(currentTarget.scrollLeft, 0)}
            onInput={(event) => onChange(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              event.stopPropagation();
              onChange('');
              input.current?.blur();
            }}
          />
        </span>
        <Key keys="/" />
      </label>
      <Meant value={value} unknown={unknown} onChange={onChange} />
    </>
  );
};

/** The word that was meant, to press. */
const Meant = ({ value, unknown = [], onChange }: Pick<FilterFieldProps, 'value' | 'unknown' | 'onChange'>) => {
  const meant = meantBy(unknown);
  if (meant === undefined) return null;
  return (
    <span class="small-text nowrap" role="status">
      <button
        type="button"
        class="link under"
        onClick={() => onChange(value.slice(0, meant.from) + meant.word + value.slice(meant.to))}
      >
        {meant.word}?
      </button>
    </span>
  );
};

/** The first word with a near one that is known, and that in its place. */
function meantBy(unknown: NonNullable<FilterFieldProps['unknown']>) {
  for (const { from, to, word, nearest } of unknown) {
    if (nearest === undefined) continue;
    const value = nearest.endsWith(':') ? word.slice(word.indexOf(':') + 1) : '';
    return { from, to, word: `${word.startsWith('-') ? '-' : ''}${nearest}${value}` };
  }
  return undefined;
}

function underlined(value: string, unknown: NonNullable<FilterFieldProps['unknown']>): ComponentChildren {
  let from = 0;
  const parts = unknown.flatMap((one) => {
    const before = value.slice(from, one.from);
    from = one.to;
    return [before, <u key={one.from}>{value.slice(one.from, one.to)}</u>];
  });
  return [...parts, value.slice(from)];
}

/** The action of `/`. */
export function focusFilter(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[data-filter]');
  field?.focus();
  field?.select();
  return field !== null;
}
