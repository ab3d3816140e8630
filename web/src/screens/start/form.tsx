// The form of a schema's fields. Required fields come first, and the optional ones stand behind one control.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { InputCheck } from '../../../../src/server/protocol.ts';
import { Choices, Select } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { Field } from '../../parts/schema-fields.ts';
import { foldedFields, isLeftOut, type Values, valueOf, writtenIn } from './fields.ts';

interface RowsProps {
  readonly fields: readonly Field[];
  readonly values: Values;
  readonly violations: InputCheck['violations'];
  readonly path: string;
  readonly onChange: (values: Values) => void;
}

/** The optional fields stand behind one control, unless one of them is wrong or there is no other field. */
export const FormFields = ({ given, ...rows }: RowsProps & { readonly given: ReadonlySet<string> }) => {
  const { open, folded } = foldedFields(rows.fields, given);
  const isWrong = folded.some(({ name }) => rows.violations.some(({ path }) => `${path}.`.startsWith(`$.${name}.`)));
  const [isOpen, setOpen] = useState(open.length === 0);
  useEffect(() => {
    if (isWrong) setOpen(true);
  }, [isWrong]);
  return (
    <>
      <FieldRows {...rows} fields={open} />
      {folded.length > 0 && (
        <details class="start-more small-text" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            {folded.length} optional: {folded.map(({ name }) => name).join(', ')}
          </summary>
          <FieldRows {...rows} fields={folded} />
        </details>
      )}
    </>
  );
};

const FieldRows = ({ fields, values, violations, path, onChange }: RowsProps) => (
  <>
    {fields.map((field) => {
      const own = `${path}.${field.name}`;
      const wrong = violations.filter((one) => one.path === own);
      const put = (value: unknown): void => {
        const { [field.name]: _before, ...others } = values;
        onChange(isLeftOut(value, field) ? others : { ...values, [field.name]: value });
      };
      return (
        <div key={field.name} class="field">
          {field.what.kind === 'object' ? (
            <fieldset>
              <legend>{field.name}</legend>
              <FieldRows
                fields={field.what.fields}
                values={(values[field.name] ?? {}) as Values}
                violations={violations}
                path={own}
                onChange={put}
              />
            </fieldset>
          ) : (
            <FieldInput field={field} value={values[field.name]} isWrong={wrong.length > 0} onChange={put} />
          )}
          {wrong.map(({ message }) => (
            <span key={message} class="err">
              <Icon name="failed" />
              {message}
            </span>
          ))}
        </div>
      );
    })}
  </>
);

interface InputProps {
  readonly field: Field;
  readonly value: unknown;
  readonly isWrong: boolean;
  readonly onChange: (value: unknown) => void;
}

const MOST_BUTTONS = 5;

const FieldInput = (props: InputProps) => {
  const { field, value, onChange } = props;
  const { what } = field;
  const label = <Label of={field} />;
  if (what.kind === 'choice') return <ChoiceInput {...props} label={label} of={what.of} />;
  if (what.kind === 'boolean')
    return (
      <label class="line gaps">
        <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
        {label}
      </label>
    );
  return (
    <label>
      {label}
      <WrittenField {...props} />
    </label>
  );
};

const Label = ({ of: { name, says, required, help } }: { readonly of: InputProps['field'] }) => (
  <span>
    <strong>{name}</strong>{' '}
    <span class="faint" dir="auto">
      {[says, required ? '' : 'optional', help].filter(Boolean).join(' · ')}
    </span>
  </span>
);

interface ChoiceProps extends InputProps {
  readonly label: ComponentChildren;
  readonly of: readonly string[];
}

/** A few are buttons, many a field that opens. */
const ChoiceInput = ({ label, of, field, value, onChange }: ChoiceProps) => {
  const chosen = typeof value === 'string' ? value : '';
  if (of.length > MOST_BUTTONS)
    return (
      <Select
        isWide
        label={label}
        value={chosen}
        of={['', ...of].map((one) => ({ value: one }))}
        onChoose={(one) => onChange(one || undefined)}
      />
    );
  return (
    <>
      {label}
      <Choices
        label={field.name}
        chosen={chosen}
        of={of.map((one) => ({ value: one, name: one }))}
        onChoose={onChange}
      />
    </>
  );
};

const WrittenField = ({ field: { what, required }, value, isWrong, onChange }: InputProps) => {
  const isLong = what.kind === 'list' || what.kind === 'json' || (what.kind === 'text' && what.long);
  const props = {
    class: what.kind === 'text' ? 'input' : 'input mono',
    value: writtenIn(value, what),
    'aria-invalid': isWrong,
    'aria-required': required,
    dir: 'auto' as const,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange(valueOf(event.currentTarget.value, what)),
  };
  return isLong ? <textarea rows={what.kind === 'json' ? 4 : 2} {...props} /> : <input type="text" {...props} />;
};
