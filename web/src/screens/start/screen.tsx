// Starts an agent: a form from the schema of its input, checked by the server before anything is spent, and beside it
// what will be sent, what it can cost at most, and the command that does the same.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AgentInfo, InputCheck, StartedRun } from '../../../../src/server/protocol.ts';
import { type Address, agentHref, runHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { go, setQuery } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { postJson, problemOf } from '../../data/api.ts';
import { cadre } from '../../data/cadre.ts';
import { offline } from '../../data/connection.ts';
import { Button, Choices } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { type ChosenFile, FilePicker } from '../../parts/file-picker.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Empty } from '../../parts/panel.tsx';
import { type Field, fieldsOf } from '../../parts/schema-fields.ts';
import { Beside } from './beside.tsx';
import { foldedFields, initialValues, type Values, valueOf, writtenIn } from './fields.ts';
import './start.css';

export const StartScreen = ({ agent, address }: { readonly agent: string; readonly address: Address }) => {
  const now = cadre();
  useTitle(`Start ${agent}`);
  if (now === undefined) return <Loading />;
  const found = now.agents.find(({ name }) => name === agent);
  if (found === undefined)
    return (
      <Empty part title={`There is no agent ${agent}`}>
        <p>It may have been renamed. The agents are: {now.agents.map(({ name }) => name).join(', ')}.</p>
      </Empty>
    );
  return <StartDialog agent={found} given={address.query['input']} side={address.query['side']} />;
};

const CHECK_MS = 250;

interface DialogProps {
  readonly agent: AgentInfo;
  readonly given: string | undefined;
  readonly side: string | undefined;
}

const StartDialog = ({ agent, given, side }: DialogProps) => {
  const takesJson = agent.input.format === 'json';
  const fields = useMemo(() => (takesJson ? fieldsOf(agent.input.schema) : undefined), [agent]);
  const isForm = fields !== undefined && side !== 'json';
  const [values, setValues] = useState<Values>(() => objectIn(given) ?? initialValues(fields ?? []));
  const [givenNames, setGivenNames] = useState(() => namesIn(objectIn(given)));
  const [text, setText] = useState(() => given ?? (takesJson ? JSON.stringify(values, null, 2) : ''));
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const [isTouched, setTouched] = useState(given !== undefined);
  const write = (written: Values): void => {
    setTouched(true);
    setValues(written);
  };
  const writeText = (written: string): void => {
    setTouched(true);
    setText(written);
  };
  /** The values of another run, or of a text. */
  const take = (taken: Values | undefined): void => {
    setValues(taken ?? values);
    setGivenNames(namesIn(taken));
  };
  const input = inputOf(takesJson, isForm, values, text);
  const check = useCheck(agent.name, input);
  const [busy, setBusy] = useState(false);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const close = (): void => go(agentHref(agent.name));
  const wrong = check?.ok === false ? (check.message ?? 'The input is not right yet.') : undefined;
  /** A form that nobody has written in has no mistakes yet. It still cannot be sent. */
  const told = isTouched ? wrong : undefined;
  const off = offline() ?? wrong ?? (busy ? 'It is being started.' : undefined);
  const start = async (): Promise<void> => {
    if (off !== undefined) return;
    setBusy(true);
    setWhy(undefined);
    try {
      const { run } = await postJson<StartedRun>('/api/runs', {
        agent: agent.name,
        input,
        ...(files.length > 0 && { files }),
      });
      go(runHref(run));
    } catch (thrown) {
      setWhy(problemOf(thrown).message);
      setBusy(false);
    }
  };
  const latest = useRef(start);
  latest.current = start;
  useKeys(useMemo(() => [{ keys: 'mod+Enter', does: 'start', run: () => void latest.current() }], []));
  return (
    <Dialog
      title={`Start ${agent.name}`}
      aside={<span class="faint">{agent.file}</span>}
      onClose={close}
      footer={
        <>
          <span class={told === undefined && why === undefined ? 'ok' : 'err'} role="status">
            {(told !== undefined || why !== undefined) && <Icon name="failed" />}
            {why ?? (told === undefined ? 'Nothing has been spent.' : `${counted(check)} Nothing has been spent.`)}
          </span>
          <span class="grow" />
          <Button onPress={close}>Close</Button>
          <Button kind="main" icon="play" keys="mod+Enter" off={off} onPress={() => void start()}>
            Start
          </Button>
        </>
      }
    >
      <div class="start">
        <div class="start-form">
          {agent.description !== undefined && <p class="faint">{agent.description}</p>}
          {fields !== undefined && (
            <div class="start-side">
              <Choices
                label="How it is written"
                chosen={isForm ? 'form' : 'json'}
                of={[
                  { value: 'form', name: 'Form' },
                  { value: 'json', name: 'JSON' },
                ]}
                onChoose={(value) => {
                  if (value === 'json') setText(JSON.stringify(values, null, 2));
                  else take(objectIn(text));
                  setQuery({ side: value === 'json' ? 'json' : undefined });
                }}
              />
              <span class="faint">
                It takes JSON: {fields.filter(({ required }) => required).length} of {fields.length} fields are
                required.
              </span>
            </div>
          )}
          {isForm ? (
            <FormFields
              fields={fields}
              given={givenNames}
              values={values}
              violations={(isTouched && check?.violations) || []}
              path="$"
              onChange={write}
            />
          ) : (
            <label class="start-field">
              <span>
                <strong>{takesJson ? 'JSON' : 'What is asked'}</strong> <span class="faint">{agent.usage}</span>
              </span>
              <textarea
                class={takesJson ? 'input mono' : 'input'}
                data-first="true"
                rows={takesJson ? 12 : 6}
                value={text}
                aria-invalid={told !== undefined}
                spellcheck={!takesJson}
                onInput={(event) => writeText(event.currentTarget.value)}
              />
              {wrong !== undefined && text.trim() !== '' && <span class="err">{wrong}</span>}
            </label>
          )}
          {!takesJson && <FilePicker files={files} onChange={setFiles} />}
        </div>
        <Beside
          agent={agent}
          input={input}
          onUse={(used) => {
            take(objectIn(used));
            writeText(used);
          }}
        />
      </div>
    </Dialog>
  );
};

const namesIn = (values: Values | undefined): ReadonlySet<string> => new Set(Object.keys(values ?? {}));

/** The object that a text of JSON stands for. */
function objectIn(text: string | undefined): Values | undefined {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : undefined;
  } catch {
    return undefined;
  }
}

function inputOf(takesJson: boolean, isForm: boolean, values: Values, text: string): unknown {
  if (!takesJson) return text;
  if (isForm) return values;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const counted = (check: InputCheck | undefined): string => {
  const count = check?.violations.length ?? 0;
  return count > 0
    ? `${count === 1 ? '1 field is' : `${count} fields are`} not right yet.`
    : 'The input is not right yet.';
};

/** Asks the server, a moment after the last key. */
function useCheck(agent: string, input: unknown): InputCheck | undefined {
  const [check, setCheck] = useState<InputCheck | undefined>(undefined);
  const key = JSON.stringify(input);
  useEffect(() => {
    const gone = new AbortController();
    const timer = setTimeout(() => {
      postJson<InputCheck>(`/api/agents/${encodeURIComponent(agent)}/input`, { input }, gone.signal)
        .then(setCheck)
        .catch(() => undefined); // the start itself says what is wrong
    }, CHECK_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [agent, key]);
  return check;
}

interface RowsProps {
  readonly fields: readonly Field[];
  readonly values: Values;
  readonly violations: InputCheck['violations'];
  readonly path: string;
  readonly onChange: (values: Values) => void;
}

/** The optional fields stand behind one control, unless one of them is wrong or there is no other field. */
const FormFields = ({ given, ...rows }: RowsProps & { readonly given: ReadonlySet<string> }) => {
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
        <details class="start-more" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
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
        onChange(value === undefined ? others : { ...values, [field.name]: value });
      };
      return (
        <div key={field.name} class="start-field">
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
              {own} {message}
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

const FieldInput = ({ field, value, isWrong, onChange }: InputProps) => {
  const { name, says, help, required, what } = field;
  const label = (
    <span>
      <strong>{name}</strong>{' '}
      <span class="faint">{[says, required ? '' : 'optional', help].filter(Boolean).join(' · ')}</span>
    </span>
  );
  if (what.kind === 'choice' && what.of.length <= MOST_BUTTONS)
    return (
      <>
        {label}
        <Choices
          label={name}
          chosen={typeof value === 'string' ? value : ''}
          of={what.of.map((one) => ({ value: one, name: one }))}
          onChoose={onChange}
        />
      </>
    );
  if (what.kind === 'choice')
    return (
      <label>
        {label}
        <select
          class="input"
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          <option value="" />
          {what.of.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
    );
  if (what.kind === 'boolean')
    return (
      <label class="start-check">
        <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
        {label}
      </label>
    );
  const isLong = what.kind === 'list' || what.kind === 'json' || (what.kind === 'text' && what.long);
  const props = {
    class: what.kind === 'text' ? 'input' : 'input mono',
    value: writtenIn(value, what),
    'aria-invalid': isWrong,
    'aria-required': required,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange(valueOf(event.currentTarget.value, what)),
  };
  return (
    <label>
      {label}
      {isLong ? <textarea rows={what.kind === 'json' ? 4 : 2} {...props} /> : <input type="text" {...props} />}
    </label>
  );
};
