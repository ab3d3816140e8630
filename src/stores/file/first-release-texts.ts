// Journals of Cadre 0.1.0 hold a long text once: where a later event repeats it, they have `{"$see": "<seq>/<path>"}`,
// which names the text by its event and its JSON pointer. Events are lifted to whole texts as they are read.
// R1. Only fields whose type is string are lifted, so that no data of a user is taken for a reference.
// R2. A journal without references costs one search a line: earlier lines are looked up only where a reference stands.

import type { OpStart, RunEvent } from '../../journal/event.ts';

type Path = readonly (string | number)[];

/** Whether a line may hold a reference (R2). */
export const mayRefer = (line: string): boolean => line.includes('"$see"');

/** Changes an event that was freshly parsed. Throws where a reference does not lead to a text of an earlier event. */
export function liftTexts(event: RunEvent, eventAt: (seq: number) => RunEvent): void {
  for (const path of placesOf(event)) {
    const found = at(event, path);
    if (isReference(found)) put(event, path, namedText(found.$see, event.seq, eventAt));
  }
}

function namedText(see: string, before: number, eventAt: (seq: number) => RunEvent): string {
  const [seq, ...steps] = see.split('/');
  const isEarlier = /^\d+$/.test(seq ?? '') && Number(seq) < before;
  const text = isEarlier ? at(eventAt(Number(seq)), steps.map(unescaped)) : undefined;
  if (typeof text !== 'string') throw new Error(`it names the text at ${see}, which is not there`);
  return text;
}

/** Escapes `/` and `~` in a name as a JSON pointer does. */
const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

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
    default:
      return (event.op as { readonly kind: string }).kind === 'subagent' ? DELEGATED : NOWHERE;
  }
}

function listed(event: RunEvent, list: Path, ...fields: readonly Path[]): readonly Path[] {
  const items = at(event, list);
  if (!Array.isArray(items)) return NOWHERE;
  return items.flatMap((_, index) => fields.map((field) => [...list, index, ...field]));
}

const isReference = (found: unknown): found is { readonly $see: string } =>
  typeof found === 'object' && found !== null && '$see' in found && typeof found.$see === 'string';

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
