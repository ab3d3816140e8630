// The fields of a form that a server asks a person to fill in, each with its words and its default.

import { useId } from 'preact/hooks';
import { escapeUnseen } from '../../../../src/base/text/escape-unseen.ts';
import type { FormField } from '../../../../src/kernel/server-question.ts';
import { Choices, Select } from '../controls.tsx';
import type { Draft } from './form-draft.ts';

interface Props {
  readonly fields: readonly FormField[];
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
}

export const AnswerFields = ({ fields, draft, onDraft }: Props) => (
  <div class="fields breaks">
    {fields.map((field) => (
      <OneField
        key={field.name}
        field={field}
        given={draft[field.name] ?? ''}
        onGiven={(given) => onDraft({ ...draft, [field.name]: given })}
      />
    ))}
  </div>
);

interface FieldProps {
  readonly field: FormField;
  readonly given: Draft[string];
  readonly onGiven: (given: Draft[string]) => void;
}

const OneField = (props: FieldProps) => {
  const { field } = props;
  const id = useId();
  return (
    <div class="field" role="group" aria-labelledby={id}>
      <span id={id}>
        <strong dir="auto">{escapeUnseen(field.name)}</strong>{' '}
        <span class="faint" dir="auto">
          {escapeUnseen(saysOf(field))}
        </span>
      </span>
      <FieldInput {...props} label={escapeUnseen(field.name)} />
    </div>
  );
};

const saysOf = ({ type, title, description, isRequired }: FormField): string =>
  [title, description, TYPES[type], isRequired ? '' : 'optional']
    .filter((part) => part !== undefined && part !== '')
    .join(' · ');

const TYPES: Readonly<Record<FormField['type'], string>> = {
  text: '',
  number: 'number',
  integer: 'whole number',
  'yes or no': '',
  'one of': '',
  'some of': '',
};

/** Choices with more characters are a list to choose from. */
const ROOM_FOR_CHOICES = 30;

const FieldInput = ({ field, given, onGiven, label }: FieldProps & { readonly label: string }) => {
  const options = field.type === 'yes or no' ? ['yes', 'no'] : field.options;
  if (typeof given !== 'string') return <Checks options={options} given={given} onGiven={onGiven} />;
  const named = options.map((value) => ({ value, name: escapeUnseen(value) }));
  if (options.length > 0 && options.join('').length + options.length * 2 <= ROOM_FOR_CHOICES)
    return <Choices label={label} chosen={given} of={named} onChoose={onGiven} />;
  if (options.length > 0)
    return (
      <Select
        label={label}
        isHidden
        isWide
        isRequired={field.isRequired}
        value={given}
        of={[{ value: '' }, ...named]}
        onChoose={onGiven}
      />
    );
  const isNumber = field.type === 'number' || field.type === 'integer';
  return (
    <input
      class={isNumber ? 'input mono' : 'input'}
      type="text"
      inputMode={isNumber ? 'decimal' : 'text'}
      dir="auto"
      autocomplete="off"
      aria-label={label}
      aria-required={field.isRequired}
      value={given}
      onInput={(event) => onGiven(event.currentTarget.value)}
    />
  );
};

interface ChecksProps {
  readonly options: readonly string[];
  readonly given: readonly string[];
  readonly onGiven: (given: readonly string[]) => void;
}

const Checks = ({ options, given, onGiven }: ChecksProps) => (
  <>
    {options.map((option) => (
      <label key={option} class="check line gaps soft">
        <input
          type="checkbox"
          checked={given.includes(option)}
          onChange={({ currentTarget }) =>
            onGiven(options.filter((one) => (one === option ? currentTarget.checked : given.includes(one))))
          }
        />
        <bdi>{escapeUnseen(option)}</bdi>
      </label>
    ))}
  </>
);
