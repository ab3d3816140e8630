// A finding of the check: a stable code, a place, the mistake and the way out; and the three forms in which findings
// are printed. Never reads a file: excerpts come from the texts handed in.

import { countedNoun } from '../base/text/words.ts';
import type { Stretch } from '../base/yaml/node.ts';
import type { ComparedSchemas } from '../patterns/review.ts';
import { groupedFindings, othersText } from './finding-groups.ts';
import { placeOf, type Source, type SourcePosition } from './source.ts';

type Severity = 'error' | 'warning';

export interface Diagnostic {
  /** Stable, for machines: `key/unknown`. */
  readonly code: string;
  readonly severity: Severity;
  /** Relative to the cadre's folder, with forward slashes; `.` is the folder itself. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endColumn?: number;
  readonly message: string;
  /** The way out. */
  readonly help: string;
  readonly compared?: ComparedSchemas;
}

/** A finding before its place is worked out. A missing stretch means the first character of the file. */
export interface Finding {
  readonly code: string;
  readonly severity?: Severity;
  readonly source: Source;
  readonly at?: Stretch;
  readonly message: string;
  readonly help: string;
  readonly compared?: ComparedSchemas;
}

/** The words of a finding: the mistake, and the way out. */
export type FindingText = Pick<Finding, 'message' | 'help'>;

export type ReportFinding = (finding: Finding) => void;

export function diagnosticOf({ code, severity = 'error', source, at, message, help, compared }: Finding): Diagnostic {
  const place: SourcePosition = at === undefined ? { line: 1, column: 1 } : placeOf(source, at);
  return { code, severity, file: source.file, ...place, message, help, ...(compared && { compared }) };
}

export const isError = (diagnostic: Diagnostic): boolean => diagnostic.severity === 'error';

/** Sorted by file, line and column, then code and message; what was found twice is listed once. */
export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const sorted = diagnostics.toSorted(
    (a, b) =>
      compare(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      compare(a.code, b.code) ||
      compare(a.message, b.message),
  );
  return sorted.filter((one, index) => index === 0 || JSON.stringify(one) !== JSON.stringify(sorted[index - 1]));
}

/** Compares by code unit, which is the same on every machine. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export type Tone = 'error' | 'warning' | 'place' | 'excerpt' | 'help';

interface TextOptions {
  /** The texts for excerpts, by file. */
  readonly texts?: ReadonlyMap<string, string>;
  /** The words for a file. Default: its path. */
  readonly pathOf?: (file: string) => string;
  /** Colours, where wanted. */
  readonly style?: (tone: Tone, text: string) => string;
}

export function renderText(diagnostics: readonly Diagnostic[], options: TextOptions = {}): string {
  const style = options.style ?? ((_tone, text) => text);
  const pathOf = options.pathOf ?? ((file) => file);
  const linesOf = memoized((file) => options.texts?.get(file)?.split(/\r?\n/));
  return groupedFindings(diagnostics)
    .map(({ first: one, others }) => {
      const head = style('place', `${pathOf(one.file)}:${one.line}:${one.column}`);
      const parts = [`${head} ${style(one.severity, one.severity)} ${one.code}: ${one.message}`];
      const excerpt = excerptOf(one, linesOf(one.file)?.[one.line - 1]);
      if (excerpt !== undefined) parts.push(style('excerpt', excerpt));
      if (one.help !== '') parts.push(style('help', `  = ${one.help}`));
      if (others.length > 0) parts.push(style('place', othersText(others, pathOf)));
      return parts.join('\n');
    })
    .join('\n\n');
}

export function renderJson(diagnostics: readonly Diagnostic[]): string {
  return JSON.stringify(diagnostics, null, 2);
}

/** Workflow commands that GitHub shows beside the lines of a pull request. */
export function renderGithub(diagnostics: readonly Diagnostic[], options: Pick<TextOptions, 'pathOf'> = {}): string {
  const pathOf = options.pathOf ?? ((file) => file);
  return diagnostics
    .map((one) => {
      const properties: [string, string | number][] = [
        ['file', pathOf(one.file)],
        ['line', one.line],
        ['col', one.column],
        ...(one.endColumn === undefined ? [] : [['endColumn', one.endColumn] as [string, number]]),
        ['title', one.code],
      ];
      const listed = properties.map(([key, value]) => `${key}=${escapeProperty(String(value))}`).join(',');
      return `::${one.severity} ${listed}::${escapeData(one.help === '' ? one.message : `${one.message}\n${one.help}`)}`;
    })
    .join('\n');
}

export function summarize(diagnostics: readonly Diagnostic[], agents: number): string {
  const errors = diagnostics.filter(isError).length;
  const warnings = countedNoun(diagnostics.length - errors, 'warning');
  return `${countedNoun(errors, 'error')}, ${warnings} in ${countedNoun(agents, 'agent')}`;
}

const EXCERPT_WIDTH = 160;

/** The line and a caret under the place. Long lines are cut around it, and say so with `…`. */
/** The line of a finding with carets below it. Undefined if there is nothing to show. */
export function excerptOf(one: Diagnostic, written: string | undefined): string | undefined {
  if (written === undefined || written.trim() === '') return undefined;
  const line = written.replaceAll(PASSWORD_IN_ADDRESS, (password) => '*'.repeat(password.length));
  const from = Math.max(0, one.column - 1 - EXCERPT_WIDTH / 2);
  const to = from + EXCERPT_WIDTH;
  const before = (from > 0 ? '…' : '') + line.slice(from, one.column - 1);
  const width = Math.max(1, Math.min(one.endColumn ?? one.column + 1, to) - one.column);
  const marked = line.slice(one.column - 1, one.column - 1 + width);
  const rest = line.slice(one.column - 1 + width, to) + (line.length > to ? '…' : '');
  const gutter = String(one.line);
  const shown = (text: string): string => text.replaceAll(/(?!\t)\p{Cc}/gu, '\u00b7');
  const pad = before.replaceAll(/[^\t]/gu, ' ');
  const carets = '^'.repeat(Math.max(1, Array.from(marked).length));
  return `  ${gutter} | ${shown(before + marked + rest)}\n  ${' '.repeat(gutter.length)} | ${pad}${carets}`;
}

/** An excerpt is printed in logs that others read. */
const PASSWORD_IN_ADDRESS = /(?<=:\/\/[^\s/?#@:]{0,256}:)[^\s/?#@]+(?=@)/g;

const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

function memoized<Value>(make: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, make(key));
    return known.get(key)!;
  };
}
