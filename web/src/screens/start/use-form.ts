// The state of the dialog that starts an agent: a form or a text, the part of it that is sent, and the fields that are
// still missing.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AgentInfo, InputCheck } from '../../../../src/server/protocol.ts';
import { setQuery } from '../../app/router.ts';
import { postJson } from '../../data/api.ts';
import type { ChosenFile } from '../../data/chosen-files.ts';
import { type Field, fieldsOf } from '../../parts/schema-fields.ts';
import { firstMissing, initialValues, type Values } from './fields.ts';

export interface StartForm {
  readonly takesJson: boolean;
  /** Undefined where no form can be made of the schema. */
  readonly fields: readonly Field[] | undefined;
  readonly isForm: boolean;
  readonly values: Values;
  /** The fields that another run, or a link, gave. */
  readonly givenNames: ReadonlySet<string>;
  readonly text: string;
  readonly files: readonly ChosenFile[];
  readonly input: unknown;
  /** A form that nobody has written in has no mistakes yet. */
  readonly violations: InputCheck['violations'];
  readonly wrong: string | undefined;
  /** The reason why it cannot be sent, in words for the next step. */
  readonly missing: string | undefined;
  readonly setFiles: (files: readonly ChosenFile[]) => void;
  readonly write: (values: Values) => void;
  readonly writeText: (text: string) => void;
  /** The input of another run. */
  readonly use: (input: string) => void;
  readonly turn: (side: 'form' | 'json') => void;
}

export function useForm(agent: AgentInfo, given: string | undefined, side: string | undefined): StartForm {
  const takesJson = agent.input.format === 'json';
  const fields = useMemo(() => (takesJson ? fieldsOf(agent.input.schema) : undefined), [agent]);
  const isForm = fields !== undefined && side !== 'json';
  const [values, setValues] = useState<Values>(() => objectIn(given) ?? initialValues(fields ?? []));
  const [givenNames, setGivenNames] = useState(() => namesIn(objectIn(given)));
  const [text, setText] = useState(() => given ?? (takesJson ? JSON.stringify(values, null, 2) : ''));
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const [isTouched, setTouched] = useState(given !== undefined);
  const input = inputOf(takesJson, isForm, values, text);
  const check = useCheck(agent.name, input);
  const take = (taken: Values | undefined): void => {
    setValues(taken ?? values);
    setGivenNames(namesIn(taken));
  };
  const writeText = (written: string): void => {
    setTouched(true);
    setText(written);
  };
  return {
    takesJson,
    fields,
    isForm,
    values,
    givenNames,
    text,
    files,
    input,
    violations: (isTouched && check?.violations) || [],
    wrong: isTouched && check?.ok === false && text.trim() !== '' ? (check.message ?? NOT_RIGHT) : undefined,
    missing: isForm ? missingIn(fields, values, check) : missingText(takesJson, text, check),
    setFiles,
    write(written) {
      setTouched(true);
      setValues(written);
    },
    writeText,
    use(used) {
      take(objectIn(used));
      writeText(used);
    },
    turn(to) {
      if (to === 'json') setText(JSON.stringify(values, null, 2));
      else take(objectIn(text));
      setQuery({ side: to === 'json' ? 'json' : undefined });
    },
  };
}

const NOT_RIGHT = 'The input is not right yet.';

/** The first field without a value; else the first that the server finds wrong. */
function missingIn(fields: readonly Field[], values: Values, check: InputCheck | undefined): string | undefined {
  const missing = firstMissing(fields, values);
  if (missing !== undefined) return `Fill in ${missing} to start`;
  if (check?.ok !== false) return undefined;
  const wrong = check.violations[0]?.path.replace(/^\$\.?/, '');
  return wrong === undefined || wrong === '' ? (check.message ?? NOT_RIGHT) : `Correct ${wrong} to start`;
}

function missingText(takesJson: boolean, text: string, check: InputCheck | undefined): string | undefined {
  if (text.trim() === '') return takesJson ? 'Write the JSON to start' : 'Write your question to start';
  return check?.ok === false ? (check.message ?? NOT_RIGHT) : undefined;
}

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

const CHECK_MS = 250;

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
