// Shapes: what a key takes, described once. From one shape come the reading of a value with its findings, the words for
// what is right, the JSON Schema for editors, and the form in which a value is written back.

import type { JsonObject } from '../../base/text/json.ts';
import { didYouMean } from '../../base/text/nearest.ts';
import type { ScalarNode, Stretch, YamlNode } from '../../base/yaml/node.ts';
import type { Finding, ReportFinding } from '../diagnostic.ts';
import type { Source } from '../source.ts';
import { formatDuration, MAX_DURATION_MS, parseDuration } from './duration.ts';

/** The source of a value, and the receiver of findings about it. */
export interface ReadContext {
  readonly source: Source;
  /** Absolute: what relative paths in this file start from. */
  readonly folder: string;
  readonly report: ReportFinding;
}

export interface Shape<Value> {
  /** The right value, in words that follow "takes": `a whole number from 1 to 100`. */
  readonly says: string;
  /** Draft 2020-12. */
  readonly schema: JsonObject;
  /** Undefined where the value is wrong, which has then been reported. `path` names the key in messages. */
  read(node: YamlNode, path: string, reading: ReadContext): Value | undefined;
  /** The value as it is written in YAML, where that differs from the value. */
  write?(value: Value): unknown;
}

/** A reference to an agent as it was written, and where. */
export interface Ref extends Stretch {
  readonly text: string;
  readonly source: Source;
}

/** Reports a finding at a place of the file that is read. */
export function reportAt(
  at: Stretch,
  { source, report }: ReadContext,
  finding: Omit<Finding, 'source' | 'at'>,
): undefined {
  report({ ...finding, source, at });
}

/** `right` is the value that is right, in words that follow "takes". A `help` replaces the usual one. */
export function wrongValue(
  node: YamlNode,
  path: string,
  right: string | { readonly says: string; readonly help?: string | undefined },
  reading: ReadContext,
): undefined {
  const { says, help } = typeof right === 'string' ? { says: right } : right;
  const nothing = node.kind === 'scalar' && node.value === null;
  return reportAt(node, reading, {
    code: nothing ? 'value/missing' : 'value/type',
    message: nothing
      ? `\`${path}\` has no value; it takes ${says}`
      : `\`${path}\` is ${shown(node)}, but takes ${says}`,
    help: help ?? (nothing ? 'Give it a value, or remove the line.' : `Write ${says}.`),
  });
}

function outOfRange(node: YamlNode, path: string, says: string, reading: ReadContext): undefined {
  return reportAt(node, reading, {
    code: 'value/range',
    message: `\`${path}\` is ${shown(node)}, but takes ${says}`,
    help: `Write ${says}.`,
  });
}

function shown(node: YamlNode): string {
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'map') return 'an object of keys and values';
  if (typeof node.value === 'string') return `"${node.value.length > 60 ? `${node.value.slice(0, 60)}…` : node.value}"`;
  return String(node.value);
}

function scalar<Value>(
  says: string,
  schema: JsonObject,
  take: (value: ScalarNode['value'], fail: { type(help?: string): undefined; range(): undefined }) => Value | undefined,
): Shape<Value> {
  return {
    says,
    schema,
    read(node, path, reading) {
      if (node.kind !== 'scalar' || node.value === null) return wrongValue(node, path, says, reading);
      return take(node.value, {
        type: (help) => wrongValue(node, path, { says, help }, reading),
        range: () => outOfRange(node, path, says, reading),
      });
    },
  };
}

export function text(says = 'a text', schema: JsonObject = {}): Shape<string> {
  return scalar(says, { type: 'string', minLength: 1, ...schema }, (value, fail) => {
    if (typeof value !== 'string') return fail.type(`Put it in quotes: "${String(value)}".`);
    return value.trim() === '' ? fail.range() : value;
  });
}

export function matchingText(pattern: RegExp, says: string): Shape<string> {
  return scalar(says, { type: 'string', pattern: pattern.source }, (value, fail) => {
    if (typeof value !== 'string') return fail.type(`Put it in quotes: "${String(value)}".`);
    return pattern.test(value) ? value : fail.range();
  });
}

export const flag: Shape<boolean> = scalar('true or false', { type: 'boolean' }, (value, fail) =>
  typeof value === 'boolean' ? value : fail.type('Write true or false, without quotes.'),
);

export function integer(min: number, max: number): Shape<number> {
  const says = `a whole number from ${min} to ${max}`;
  return scalar(says, { type: 'integer', minimum: min, maximum: max }, (value, fail) => {
    if (typeof value !== 'number') return fail.type();
    return Number.isInteger(value) && value >= min && value <= max ? value : fail.range();
  });
}

/** A number in a range; `above` leaves the lower end out. */
export function number({ min, max, above = false }: { min: number; max: number; above?: boolean }): Shape<number> {
  const says = above ? `a number above ${min}, at most ${max}` : `a number from ${min} to ${max}`;
  const schema = { type: 'number', ...(above ? { exclusiveMinimum: min } : { minimum: min }), maximum: max };
  return scalar(says, schema, (value, fail) => {
    if (typeof value !== 'number') return fail.type();
    return value <= max && (above ? value > min : value >= min) ? value : fail.range();
  });
}

const durationSays = 'a duration: 500ms, 30s, 10m, 2h or a number of seconds, up to 500h';

export const durationShape: Shape<number> = {
  ...scalar(
    durationSays,
    {
      oneOf: [
        { type: 'number', exclusiveMinimum: 0, maximum: MAX_DURATION_MS / 1000 },
        { type: 'string', pattern: '^\\s*[0-9]{1,12}(\\.[0-9]{1,6})?\\s*(ms|s|m|h)?\\s*$' },
      ],
    },
    (value, fail) => {
      const ms = parseDuration(value);
      if (ms === undefined) return fail.type();
      return ms > 0 && ms <= MAX_DURATION_MS ? ms : fail.range();
    },
  ),
  write: formatDuration,
};

export function choice<const Choice extends string>(choices: readonly Choice[]): Shape<Choice> {
  const says = choices.length === 1 ? choices[0]! : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  return scalar(says, { enum: choices }, (value, fail) => {
    const found = choices.find((one) => one === value);
    return found ?? fail.type(didYouMean(String(value), choices).trimStart() || `Write ${says}.`);
  });
}

export const ref: Shape<Ref> = {
  says: 'the name of an agent, its path or an alias',
  schema: { type: 'string', minLength: 1 },
  read(node, path, reading) {
    const written = text(ref.says).read(node, path, reading);
    return written === undefined
      ? undefined
      : { text: written.trim(), source: reading.source, start: node.start, end: node.end };
  },
  write: (value) => value.text,
};

/** A list that is longer than `most` loses the rest, and the finding says its `help`. */
export function list<Value>(
  of: Shape<Value>,
  { min = 0, most }: { min?: number; most?: { readonly count: number; readonly help: string } } = {},
): Shape<readonly Value[]> {
  const says = `a list, each entry ${of.says}`;
  return {
    says,
    schema: { type: 'array', items: of.schema, ...(min > 0 ? { minItems: min } : {}) },
    read(node, path, reading) {
      if (node.kind !== 'list')
        return wrongValue(node, path, { says, help: 'Write it as [a, b], or one "- entry" a line.' }, reading);
      if (node.items.length < min) reportFew(node, path, min, reading);
      const values = node.items
        .map((item, index) => of.read(item, `${path}[${index}]`, reading))
        .filter((value) => value !== undefined);
      if (most === undefined || values.length <= most.count) return values;
      const message = `\`${path}\` has ${values.length} entries, and the limit is ${most.count}`;
      reportAt(node, reading, { code: 'value/range', message, help: most.help });
      return values.slice(0, most.count);
    },
    write: (values) => values.map((value) => (of.write === undefined ? value : of.write(value))),
  };
}

/** Fewer values than a key needs. */
export const reportFew = (node: YamlNode, path: string, min: number, reading: ReadContext): undefined =>
  reportAt(node, reading, { code: 'value/range', message: `\`${path}\` is empty`, help: `Name at least ${min}.` });

/** The first entry of a list; `ignored` is the warning about each of the others. */
export function firstOf<Value>(
  of: Shape<Value>,
  ignored: (text: string) => { readonly code: string; readonly message: string; readonly help: string },
): Shape<Value> {
  const { says, schema, read } = list(of, { min: 1 });
  return {
    says,
    schema,
    read(node, path, reading) {
      const [first] = read(node, path, reading) ?? [];
      for (const at of node.kind === 'list' ? node.items.slice(1) : [])
        if (at.kind === 'scalar') reportAt(at, reading, { ...ignored(String(at.value)), severity: 'warning' });
      return first;
    },
  };
}

/** Chooses among shapes by what the value is in YAML, so that a finding is about the form that was meant. */
export function byForm<One = never, Many = never, Keyed = never>(forms: {
  readonly scalar?: Shape<One>;
  readonly list?: Shape<Many>;
  readonly map?: Shape<Keyed>;
}): Shape<One | Many | Keyed> {
  const shapes = [forms.scalar, forms.list, forms.map].filter((form) => form !== undefined);
  const says = shapes.map((form) => form.says).join(', or ');
  return {
    says,
    schema: { anyOf: shapes.map((form) => form.schema) },
    read(node, path, reading) {
      const form: Shape<One | Many | Keyed> | undefined = forms[node.kind];
      if (form === undefined) return wrongValue(node, path, says, reading);
      return node.kind === 'scalar' && node.value === null
        ? wrongValue(node, path, says, reading)
        : form.read(node, path, reading);
    },
  };
}

/** One word, or else a number. */
export function wordOr(word: string, of: Shape<number>): Shape<number | string> {
  const says = `${word}, or ${of.says}`;
  return {
    says,
    schema: { anyOf: [{ enum: [word] }, of.schema] },
    read(node, path, reading) {
      if (node.kind === 'scalar' && node.value === word) return word;
      const isNumber = node.kind === 'scalar' && typeof node.value === 'number';
      return isNumber ? of.read(node, path, reading) : wrongValue(node, path, says, reading);
    },
  };
}

/** A value, or `~`. A key with nothing behind it has no value. */
export function orNone<Value>(of: Shape<Value>): Shape<Value | null> {
  const says = `${of.says}, or ~`;
  return {
    says,
    schema: { anyOf: [of.schema, { type: 'null' }] },
    read(node, path, reading) {
      if (node.kind !== 'scalar' || node.value !== null) return of.read(node, path, reading);
      const written = reading.source.text.slice(node.start, node.end);
      return /^(?:~|null)$/i.test(written) ? null : wrongValue(node, path, says, reading);
    },
  };
}
