// Long texts that a run records more than once, kept once: a child's answer is its last reply, its outcome and its
// parent's tool result. Later occurrences become `{"$see": "<seq>/<json pointer>"}`, which names the first.
// R1. Only fields whose type is string are ever replaced, so that no data of a user can look like a reference.
// R2. Writer and reader remember the same places in the same order, so each reference leads to an earlier event.
// R3. What was remembered of events that could not be written is forgotten again.

import type { OpEnd, OpStart, RunEvent } from '../event.ts';

/** Shorter texts stay where they are: a log is read with `less`, too. */
export const LONG = 512;

type Path = readonly (string | number)[];

export interface RepeatWriter {
  /** The event as it is written, as JSON. */
  encode(event: RunEvent): string;
  /** What was encoded since the last call has been written. */
  keep(): void;
  /** It was not (R3). */
  forget(): void;
}

export interface RepeatReader {
  /** The event as it was given; `written` is freshly parsed, and is changed. Throws where a reference leads nowhere. */
  decode(written: unknown): RunEvent;
  /** Goes on writing where the reading ended. */
  writer(): RepeatWriter;
}

export const repeatWriter = (): RepeatWriter => writerOn(new Map());

function writerOn(first: Map<string, string>): RepeatWriter {
  let unwritten: string[] = [];
  /** The event given is not changed. */
  const shortened = (event: RunEvent): unknown => {
    let written: unknown = event;
    for (const path of placesOf(event)) {
      const text = at(event, path);
      if (typeof text !== 'string' || text.length < LONG) continue;
      const see = first.get(text);
      if (see !== undefined) written = replaced(written, path, { $see: see });
      else {
        first.set(text, pointer(event.seq, path));
        unwritten.push(text);
      }
    }
    for (const path of sourcesOf(event)) {
      const text = at(event, path) as string;
      if (first.has(text)) continue;
      first.set(text, pointer(event.seq, path));
      unwritten.push(text);
    }
    return written;
  };
  return {
    encode(event) {
      const whole = JSON.stringify(event);
      if (whole.length < LONG) return whole; // and so is every text in it
      const written = shortened(event);
      return written === event ? whole : JSON.stringify(written);
    },
    keep() {
      if (unwritten.length > 0) unwritten = [];
    },
    forget() {
      for (const text of unwritten) first.delete(text);
      unwritten = [];
    },
  };
}

export function repeatReader(): RepeatReader {
  const texts = new Map<string, string>();
  const first = new Map<string, string>();
  const remember = (text: string, key: string): void => {
    if (first.has(text)) return;
    first.set(text, key);
    texts.set(key, text);
  };
  return {
    decode(written) {
      const event = written as RunEvent;
      for (const path of placesOf(event)) {
        const found = at(event, path);
        if (typeof found === 'string') {
          if (found.length >= LONG) remember(found, pointer(event.seq, path));
        } else if (isReference(found)) {
          const text = texts.get(found.$see);
          if (text === undefined) throw new Error(`it names the text at ${found.$see}, which is not there`);
          put(event, path, text);
        }
      }
      for (const path of sourcesOf(event)) remember(at(event, path) as string, pointer(event.seq, path));
      return event;
    },
    writer: () => writerOn(first),
  };
}

const INPUT: readonly Path[] = [
  ['input', 'text'],
  ['input', 'origin'],
  ['input', 'base'],
];
const CHILD_INPUT: readonly Path[] = INPUT.map((path) => ['op', ...path]);
const SAID: readonly Path[] = [['op', 'text']];
const DELEGATED: readonly Path[] = [
  ['op', 'request', 'task'],
  ['op', 'request', 'context'],
];
const RESULT: readonly Path[] = [
  ['result', 'value', 'text'],
  ['result', 'value', 'partial'],
  ['result', 'value', 'message', 'text'],
];
const OUTCOME: readonly Path[] = [
  ['outcome', 'text'],
  ['outcome', 'partial'],
];
const POSTED: readonly Path[] = [
  ['detail', 'saying', 'message'],
  ['value', 'message'],
];
const NOWHERE: readonly Path[] = [];

/** Where an event may hold a text that was there before. */
function placesOf(event: RunEvent): readonly Path[] {
  switch (event.type) {
    case 'run-start':
      return INPUT;
    case 'op-start':
      return placesOfStart(event);
    case 'op-end':
      return RESULT;
    case 'op':
      if (event.kind === 'post') return POSTED;
      if (event.kind !== 'take') return NOWHERE;
      return [
        ...listed(event, ['value', 'messages'], ['text']),
        ...listed(event, ['value', 'broadcasts'], ['message']),
      ];
    case 'run-end':
      return OUTCOME;
    default:
      return NOWHERE;
  }
}

function placesOfStart(event: OpStart): readonly Path[] {
  switch (event.op.kind) {
    case 'model': {
      const added =
        event.op.added.length === 0 ? NOWHERE : listed(event, ['op', 'added'], ['text'], ['result', 'text']);
      return event.op.system === undefined ? added : [['op', 'system'], ...added];
    }
    case 'run':
      if (event.op.input.sections === undefined) return CHILD_INPUT;
      return [...CHILD_INPUT, ...listed(event, ['op', 'input', 'sections'], [])];
    case 'say':
      return SAID;
    case 'subagent':
      return DELEGATED;
    default:
      return NOWHERE;
  }
}

function listed(event: RunEvent, list: Path, ...fields: readonly Path[]): readonly Path[] {
  const items = at(event, list);
  if (!Array.isArray(items)) return NOWHERE;
  return items.flatMap((_, index) => fields.map((field) => [...list, index, ...field]));
}

/** Long texts that a later event may repeat, in data that is itself never touched: what a reply gave to a tool. */
function sourcesOf(event: RunEvent): readonly Path[] {
  if (event.type !== 'op-end' || event.kind !== 'model' || !event.result.ok) return NOWHERE;
  const calls = at(event, CALLS);
  if (!Array.isArray(calls) || calls.length === 0) return NOWHERE;
  return calls.flatMap((_, index) => argumentsOf(event, index));
}

const CALLS: Path = ['result', 'value', 'message', 'calls'];

function argumentsOf(event: OpEnd, call: number): readonly Path[] {
  const path = [...CALLS, call, 'arguments'];
  const given = at(event, path);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return NOWHERE;
  return Object.entries(given).flatMap(([name, value]) =>
    typeof value === 'string' && value.length >= LONG ? [[...path, name]] : [],
  );
}

const isReference = (found: unknown): found is { readonly $see: string } =>
  typeof found === 'object' && found !== null && '$see' in found && typeof found.$see === 'string';

/** `/` and `~` in a name are written as in a JSON pointer. */
const pointer = (seq: number, path: Path): string =>
  `${seq}/${path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;

function at(root: unknown, path: Path): unknown {
  let found = root;
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as Record<string | number, unknown>)[step];
  }
  return found;
}

function put(root: unknown, path: Path, value: unknown): void {
  const holder = at(root, path.slice(0, -1)) as Record<string | number, unknown>;
  holder[path[path.length - 1] as string | number] = value;
}

/** A copy with one value changed; everything beside the path is shared. */
function replaced(root: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const copy = (Array.isArray(root) ? [...(root as unknown[])] : { ...(root as object) }) as Record<
    string | number,
    unknown
  >;
  copy[step] = replaced(copy[step], rest, value);
  return copy;
}
