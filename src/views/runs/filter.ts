// The filter, the same words in every list: `agent: tool: model: state: trigger: op: type: folder: fork: cost:>0.01
// time:>5s since:2h since:2026-11-09 until:2026-11-15` and plain text; `-` excludes. A word that is not understood is plain
// text, never an error: `unknownWords` says which those are.

import { nearest } from '../../base/text/nearest.ts';
import { type Calendar, dayAfter, HOUR_MS, isDay } from './calendar.ts';

const FILTER_FIELDS = [
  'agent',
  'tool',
  'model',
  'state',
  'trigger',
  'op',
  'type',
  'folder',
  'fork',
  'label',
  'thread',
  'cost',
  'time',
  'since',
  'until',
  'mark',
] as const;
type FilterField = (typeof FILTER_FIELDS)[number];

/** The fields of a run in a list. */
export const RUN_FIELDS: readonly FilterField[] = [
  'agent',
  'state',
  'folder',
  'fork',
  'label',
  'thread',
  'cost',
  'time',
  'since',
  'until',
  'mark',
];

interface FilterTerm {
  readonly field: FilterField | 'text';
  readonly value: string;
  readonly not: boolean;
  /** A comparison for `cost` (dollars), `time` (milliseconds) and `since` (milliseconds). */
  readonly compare?: { readonly sign: '>' | '<'; readonly amount: number };
  /** The moment of a day in `since` and `until`: from it on, or before it. */
  readonly moment?: number;
}

export type Filter = readonly FilterTerm[];

/** The fields of a row for a filter. A field that a row does not have matches nothing. */
export interface FilteredRow {
  readonly agent?: string | readonly string[] | undefined;
  readonly tool?: string | readonly string[] | undefined;
  readonly model?: string | readonly string[] | undefined;
  readonly state?: string | readonly string[] | undefined;
  readonly trigger?: string | undefined;
  readonly op?: string | undefined;
  readonly type?: string | undefined;
  readonly folder?: string | undefined;
  readonly fork?: string | undefined;
  readonly label?: string | undefined;
  readonly thread?: string | undefined;
  readonly mark?: string | readonly string[] | undefined;
  readonly usd?: number | undefined;
  readonly ms?: number | undefined;
  readonly at?: number | undefined;
  /** Everything else that plain text is looked for in. */
  readonly text?: string | undefined;
}

/** `calendar`: for days. Without it, a day is not understood. */
export function parseFilter(text: string, calendar?: Calendar): Filter {
  return wordsOf(text).map(({ word }) => termOf(word, calendar));
}

function wordsOf(text: string): readonly { readonly word: string; readonly from: number }[] {
  return [...text.matchAll(/-?(?:[a-z]+:)?"[^"]*"?|\S+/gi)].map(({ 0: word, index: from }) => ({ word, from }));
}

function termOf(word: string, calendar: Calendar | undefined): FilterTerm {
  const { not, bare, key, value } = partsOf(word);
  const field = FILTER_FIELDS.find((one) => one === key);
  if (field === undefined) return { field: 'text', value: unquoted(bare).toLowerCase(), not };
  const compare = compareOf(field, value);
  const moment = field === 'since' || field === 'until' ? momentOf(field, value, calendar) : undefined;
  return { field, value, not, ...(compare !== undefined && { compare }), ...(moment !== undefined && { moment }) };
}

function partsOf(word: string) {
  const not = word.length > 1 && word.startsWith('-');
  const bare = not ? word.slice(1) : word;
  const found = /^([a-z]+):(.+)$/is.exec(bare);
  return { not, bare, key: found?.[1]?.toLowerCase(), value: unquoted(found?.[2] ?? '').toLowerCase() };
}

/** `2026-11-15`, `2026-11-15T13` and `2026-11-15T13:30`. `until` has the whole day or hour before it. */
function momentOf(field: 'since' | 'until', value: string, calendar: Calendar | undefined): number | undefined {
  const [, day = '', hours, minutes] = /^(\d{4}-\d\d-\d\d)(?:t(\d\d)(?::(\d\d))?)?$/.exec(value) ?? [];
  if (calendar === undefined || !isDay(day) || Number(hours ?? 0) > 23 || Number(minutes ?? 0) > 59) return undefined;
  if (hours === undefined) return calendar.startOf(field === 'since' ? day : dayAfter(day));
  const moment = calendar.momentOf(day, Number(hours), Number(minutes ?? 0));
  return field === 'until' && minutes === undefined ? moment + HOUR_MS : moment;
}

const STATES: readonly string[] =
  'running person queued broken-off ended unanswered answered failed exhausted timed-out over-budget cancelled routed left refused denied in-doubt done waiting'.split(
    ' ',
  );

/** The words that look as if they said more than their letters, and do not in a list with these fields. */
export function unknownWords(
  text: string,
  fields: readonly FilterField[],
  calendar: Calendar,
): readonly {
  /** The offset in the text of the filter. */
  readonly from: number;
  readonly to: number;
  readonly word: string;
  /** The nearest word that is known. */
  readonly nearest?: string;
}[] {
  return wordsOf(text).flatMap(({ word, from }) => {
    const { key, value } = partsOf(word);
    if (key === undefined || value.startsWith('//')) return [];
    const at = { from, to: from + word.length, word };
    const field = fields.find((one) => one === key);
    if (field === undefined) return [{ ...at, ...meant(nearest(key, fields)) }];
    if (field === 'state' && !STATES.some((state) => state.startsWith(value)))
      return [{ ...at, ...meant(nearest(value, STATES), 'state:') }];
    const { compare, moment } = termOf(word, calendar);
    const isAmount = field === 'cost' || field === 'time' || field === 'since' || field === 'until';
    return isAmount && compare === undefined && moment === undefined ? [{ ...at, nearest: EXAMPLES[field] }] : [];
  });
}

const meant = (found: string | undefined, before = ''): { readonly nearest?: string } =>
  found === undefined ? {} : { nearest: before === '' ? `${found}:` : before + found };

const EXAMPLES = { cost: 'cost:>0.01', time: 'time:>5s', since: 'since:2h', until: 'until:2026-11-15' } as const;

const unquoted = (text: string): string => text.replace(/^"(.*?)"?$/s, '$1');

function compareOf(field: FilterField, value: string): FilterTerm['compare'] {
  const [, sign = '', rest = ''] = /^([<>]?)=?(.*)$/.exec(value) ?? [];
  const amount = field === 'cost' ? Number(rest.replace(/^\$/, '') || Number.NaN) : duration(rest);
  if (field === 'since' && Number.isFinite(amount)) return { sign: '<', amount };
  if (field === 'until' && Number.isFinite(amount)) return { sign: '>', amount };
  if ((field === 'cost' || field === 'time') && sign !== '' && Number.isFinite(amount))
    return { sign: sign === '<' ? '<' : '>', amount };
  return undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function duration(text: string): number {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text);
  return found === null ? Number.NaN : Number(found[1]) * (UNITS[found[2] ?? 's'] ?? 1000);
}

/** True if a row fits every term. `now` is for `since`. */
export function matches(row: FilteredRow, filter: Filter, now: number): boolean {
  return filter.every((term) => holds(row, term, now) !== term.not);
}

function holds(row: FilteredRow, { field, value, compare, moment }: FilterTerm, now: number): boolean {
  switch (field) {
    case 'text':
      return textOf(row).includes(value);
    case 'cost':
      return compared(row.usd, compare);
    case 'time':
      return compared(row.ms, compare);
    case 'since':
    case 'until':
      if (moment !== undefined) return row.at !== undefined && row.at >= moment === (field === 'since');
      return compared(row.at === undefined ? undefined : now - row.at, compare);
    case 'op':
      return row.op === value || row.op?.startsWith(`${value}.`) === true;
    case 'fork':
      return row.fork !== undefined && (value === 'yes' || row.fork.toLowerCase().includes(value));
    case 'state':
      return list(row.state).some((state) => state.startsWith(value));
    default:
      return list(row[field]).some((one) => one.toLowerCase().includes(value));
  }
}

function compared(amount: number | undefined, compare: FilterTerm['compare']): boolean {
  if (amount === undefined || compare === undefined) return false;
  return compare.sign === '>' ? amount > compare.amount : amount < compare.amount;
}

const list = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

const textOf = (row: FilteredRow): string =>
  [row.text, row.label, row.op, row.type, row.trigger, ...list(row.agent), ...list(row.tool), ...list(row.state)]
    .filter((part) => part !== undefined)
    .join('\n')
    .toLowerCase();
