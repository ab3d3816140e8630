// The filter, the same words in every list: `agent: tool: model: state: trigger: op: type: folder: fork: cost:>0.01
// time:>5s since:2h` and plain text; `-` excludes. Pure. A word that is not understood is plain text, never an error.

export const FILTER_FIELDS = [
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
] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

export interface FilterTerm {
  readonly field: FilterField | 'text';
  readonly value: string;
  readonly not: boolean;
  /** For `cost` (dollars), `time` (milliseconds) and `since` (milliseconds). */
  readonly compare?: { readonly sign: '>' | '<'; readonly amount: number };
}

export type Filter = readonly FilterTerm[];

/** What is known of a row. A field that a row does not have matches nothing. */
export interface Filtered {
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
  readonly usd?: number | undefined;
  readonly ms?: number | undefined;
  readonly at?: number | undefined;
  /** Everything else that plain text is looked for in. */
  readonly text?: string | undefined;
}

export function parseFilter(text: string): Filter {
  const words = text.match(/-?(?:[a-z]+:)?"[^"]*"?|\S+/gi) ?? [];
  return words.map(termOf);
}

function termOf(word: string): FilterTerm {
  const not = word.length > 1 && word.startsWith('-');
  const bare = not ? word.slice(1) : word;
  const found = /^([a-z]+):(.+)$/is.exec(bare);
  const field = FILTER_FIELDS.find((known) => known === found?.[1]?.toLowerCase());
  if (field === undefined) return { field: 'text', value: unquoted(bare).toLowerCase(), not };
  const value = unquoted(found?.[2] ?? '').toLowerCase();
  const compare = compareOf(field, value);
  return { field, value, not, ...(compare !== undefined && { compare }) };
}

const unquoted = (text: string): string => text.replace(/^"(.*?)"?$/s, '$1');

function compareOf(field: FilterField, value: string): FilterTerm['compare'] {
  const [, sign = '', rest = ''] = /^([<>]?)=?(.*)$/.exec(value) ?? [];
  const amount = field === 'cost' ? Number(rest.replace(/^\$/, '') || Number.NaN) : duration(rest);
  if (field === 'since' && Number.isFinite(amount)) return { sign: '<', amount };
  if ((field === 'cost' || field === 'time') && sign !== '' && Number.isFinite(amount))
    return { sign: sign === '<' ? '<' : '>', amount };
  return undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function duration(text: string): number {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text);
  return found === null ? Number.NaN : Number(found[1]) * (UNITS[found[2] ?? 's'] ?? 1000);
}

/** Whether a row fits every term. `now` is for `since`. */
export function matches(row: Filtered, filter: Filter, now: number): boolean {
  return filter.every((term) => holds(row, term, now) !== term.not);
}

function holds(row: Filtered, { field, value, compare }: FilterTerm, now: number): boolean {
  switch (field) {
    case 'text':
      return textOf(row).includes(value);
    case 'cost':
      return compared(row.usd, compare);
    case 'time':
      return compared(row.ms, compare);
    case 'since':
      return compared(row.at === undefined ? undefined : now - row.at, compare);
    case 'op':
      return row.op === value || row.op?.startsWith(`${value}.`) === true;
    case 'fork':
      return row.fork !== undefined && (value === 'yes' || row.fork.toLowerCase().includes(value));
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

const textOf = (row: Filtered): string =>
  [row.text, row.label, row.op, row.type, row.trigger, ...list(row.agent), ...list(row.tool), ...list(row.state)]
    .filter((part) => part !== undefined)
    .join('\n')
    .toLowerCase();
