// Reads YAML with the place of every node at hand, and collects all mistakes instead of stopping at the first.
// Knows nothing of scripts.

import type { Document, Node, YAMLMap } from 'yaml';
import { didYouMean } from '../../base/text/nearest.ts';
import { YAML_OPTIONS, yaml, yamlProblem } from '../../base/yaml/package.ts';
import { MAX_YAML_DEPTH, tooDeepAt } from '../../base/yaml/too-deep.ts';
import { fail, faultOf } from '../../kernel/fault.ts';

/** A node of the full parser's tree or of the quick one's. Only the reader that gave it looks inside. */
export type WrittenScript = object | null;

export interface YamlReader {
  readonly root: WrittenScript;
  /** The number of mistakes so far. */
  mistakes(): number;
  place(node: WrittenScript): { readonly line: number; readonly column: number };
  wrong(node: WrittenScript, message: string): void;
  /** The entries of a mapping; a wrong type or an unknown key is noted. Without `known`, any key is allowed. */
  entries(
    node: WrittenScript,
    what: string,
    known?: readonly string[],
  ): readonly { readonly key: string; readonly value: WrittenScript }[];
  items(node: WrittenScript, what: string): readonly WrittenScript[];
  text(node: WrittenScript, what: string): string | undefined;
  number(node: WrittenScript, what: string, least: number): number | undefined;
  /** Milliseconds. */
  duration(node: WrittenScript, what: string): number | undefined;
  /** The plain value. */
  value(node: WrittenScript): unknown;
  isMap(node: WrittenScript): boolean;
  isList(node: WrittenScript): boolean;
}

export function readYaml(
  text: string,
  file: string,
): YamlReader & {
  /** Raises all problems as one fault, if there are any. */
  settle(): void;
} {
  const { isAlias, isMap, isScalar, isSeq } = yaml();
  const { document, problems, positionOf } = parsedScript(text);
  const place = (node: Node | null) => positionOf(node?.range?.[0] ?? 0);
  const wrong = (node: Node | null, message: string) => {
    problems.push({ ...place(node), message });
  };
  const lost = new Set<Node>();
  const real = (node: Node | null): Node | null => {
    if (!isAlias(node)) return node;
    const found = node.resolve(document);
    if (found === undefined && !lost.has(node)) {
      lost.add(node);
      wrong(node, `*${node.source} refers to nothing: there is no &${node.source} before it.`);
    }
    return found ?? null;
  };
  const mapOf = (node: Node | null, what: string): YAMLMap | undefined => {
    const found = real(node);
    if (isMap(found)) return found;
    wrong(node, `${what} must be a mapping of keys to values.`);
    return undefined;
  };
  const scalarOf = (node: Node | null): unknown => {
    const found = real(node);
    return isScalar(found) ? found.value : undefined;
  };

  return {
    root: document.contents as Node | null,
    mistakes: () => problems.length,
    place,
    wrong,
    entries(node: Node | null, what, known) {
      return (mapOf(node, what)?.items ?? []).flatMap((pair) => {
        const at = pair.key as Node;
        const key = String(isScalar(at) ? at.value : at);
        if (known === undefined || known.includes(key)) return [{ key, value: pair.value as Node | null }];
        wrong(at, `unknown key "${key}" in ${what}.${didYouMean(key, known)} Known keys: ${known.join(', ')}.`);
        return [];
      });
    },
    items(node: Node | null, what) {
      const found = real(node);
      if (isSeq(found)) return found.items as readonly (Node | null)[];
      wrong(node, `${what} must be a list: begin each item with "- ".`);
      return [];
    },
    text(node: Node | null, what) {
      const value = scalarOf(node);
      if (typeof value === 'string') return value;
      if (typeof value === 'number' || typeof value === 'boolean') return String(value);
      wrong(node, `${what} must be a text.`);
      return undefined;
    },
    number(node: Node | null, what, least) {
      const value = scalarOf(node);
      if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value;
      wrong(node, `${what} must be a number of at least ${least}.`);
      return undefined;
    },
    duration(node: Node | null, what) {
      const ms = durationMs(scalarOf(node));
      if (ms === undefined) wrong(node, `${what} must be a duration: 200ms, 1.5s, 2m, 1h, or a number of seconds.`);
      return ms;
    },
    value(node: Node | null) {
      try {
        return real(node)?.toJS(document) as unknown;
      } catch (error) {
        wrong(node, `this value cannot be read: ${faultOf(error).message}.`); // aliases without end, or to nothing
        return undefined;
      }
    },
    isMap: (node: Node | null) => isMap(real(node)),
    isList: (node: Node | null) => isSeq(real(node)),
    settle() {
      if (problems.length === 0) return;
      problems.sort((a, b) => a.line - b.line || a.column - b.column);
      const listed = problems.map(({ line, column, message }) => `${file}:${line}:${column} ${message}`);
      fail('config/invalid', listed.join('\n'), { file, problems });
    },
  };
}

/** The tree of a text, which is empty where the text is nested too deeply, and the mistakes of its syntax. */
function parsedScript(text: string) {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const positionOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const problems: { readonly line: number; readonly column: number; readonly message: string }[] = [];
  const deep = tooDeepAt(text);
  const document: Document = parseDocument(deep === undefined ? text : '', { ...YAML_OPTIONS, lineCounter: lines });
  if (deep !== undefined) {
    const before = text.slice(0, deep).split('\n');
    const message = `the YAML is nested too deeply to be read. Nest no deeper than ${MAX_YAML_DEPTH} levels.`;
    problems.push({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message });
  }
  for (const { pos, message } of document.errors)
    problems.push({ ...positionOf(pos[0]), message: yamlProblem(message) });
  return { document, problems, positionOf };
}

/** Undefined where it is not one. */
export function durationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return value >= 0 && Number.isFinite(value) ? value * 1000 : undefined;
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(typeof value === 'string' ? value.trim() : '');
  if (found === null) return undefined;
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[found[2] ?? 's'] ?? 1000;
  return Number(found[1]) * unit;
}
