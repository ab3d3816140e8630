// Tables for `each`: rows of a list, a CSV file or a file of JSON lines, and texts that name their columns. Pure.

import { readJson } from '../base/text/json.ts';
import { nearest } from '../base/text/nearest.ts';
import { fail } from '../kernel/fault.ts';

export type TableRow = Readonly<Record<string, unknown>>;

const MAX_ROWS = 100_000;

/** The kind is told by the name: `.csv`, or JSON lines. */
export function rowsOf(text: string, file: string): readonly TableRow[] {
  const rows = /\.csv$/i.test(file) ? csvRows(text, file) : jsonRows(text, file);
  if (rows.length === 0) fail('config/invalid', `${file} has no rows.`);
  if (rows.length > MAX_ROWS) fail('config/invalid', `${file} has ${rows.length} rows; at most ${MAX_ROWS} are taken.`);
  return rows;
}

function jsonRows(text: string, file: string): readonly TableRow[] {
  return text.split('\n').flatMap((line, index): TableRow[] => {
    if (line.trim() === '') return [];
    const read = readJson(line);
    if (!read.ok) return fail('config/invalid', `${file}:${index + 1} is not a line of JSON: it ${read.why}.`);
    if (typeof read.value !== 'object' || read.value === null || Array.isArray(read.value))
      return fail('config/invalid', `${file}:${index + 1} is not an object, as {"order": 17}.`);
    return [read.value as TableRow];
  });
}

function csvRows(text: string, file: string): readonly TableRow[] {
  const [head, ...lines] = csvLines(text.replace(/^\uFEFF/, ''), file);
  if (head === undefined) return [];
  const names = head.fields.map((name) => name.trim());
  const twice = names.find((name, index) => name === '' || names.indexOf(name) !== index);
  if (twice !== undefined)
    fail('config/invalid', `${file}:1 has ${twice === '' ? 'a column without a name' : `two columns "${twice}"`}.`);
  return lines.map(({ fields, line }) => {
    if (fields.length !== names.length)
      fail('config/invalid', `${file}:${line} has ${fields.length} fields, and the first line names ${names.length}.`);
    return Object.fromEntries(names.map((name, index) => [name, fields[index]]));
  });
}

/** Fields in quotes may hold commas, line breaks and doubled quotes. Empty lines are left out. */
function csvLines(text: string, file: string) {
  const lines: { readonly fields: readonly string[]; readonly line: number }[] = [];
  let fields: string[] = [];
  let field = '';
  let quoted = false;
  let line = 1;
  let began = 1;
  const endLine = (): void => {
    if (fields.length > 0 || field !== '') lines.push({ fields: [...fields, field], line: began });
    fields = [];
    field = '';
    began = line;
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] as string;
    if (letter === '\n') line++;
    if (quoted) {
      if (letter !== '"') field += letter;
      else if (text[at + 1] === '"') field += text[at++] as string;
      else quoted = false;
    } else if (letter === '"' && field === '') quoted = true;
    else if (letter === ',') {
      fields.push(field);
      field = '';
    } else if (letter === '\n') endLine();
    else if (letter !== '\r') field += letter;
  }
  if (quoted) fail('config/invalid', `${file}:${began} opens a quote that is never closed.`);
  endLine();
  return lines;
}

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** The value with every `{{column}}` filledIn in. A text that is one placeholder alone becomes the value itself. */
export function fillTemplate(value: unknown, row: TableRow, where: string): unknown {
  if (typeof value === 'string') return filledText(value, row, where);
  if (Array.isArray(value)) return value.map((one) => fillTemplate(one, row, where));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillTemplate(one, row, where)]));
}

function filledText(text: string, row: TableRow, where: string): unknown {
  const whole = /^\{\{\s*([^{}]*?)\s*\}\}$/.exec(text)?.[1];
  if (whole !== undefined) return column(whole, row, where);
  return text.replaceAll(PLACEHOLDER, (_all, name: string) => {
    const value = column(name, row, where);
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

function column(name: string, row: TableRow, where: string): unknown {
  if (Object.hasOwn(row, name)) return row[name];
  const near = nearest(name, Object.keys(row));
  return fail(
    'config/invalid',
    `${where} names {{${name}}}, and the row has ${Object.keys(row).join(', ')}.${near === undefined ? '' : ` Did you mean {{${near}}}?`}`,
  );
}
