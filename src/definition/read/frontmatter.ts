// Splits an agent file into its frontmatter, as a tree with positions in the file, and its body, the system prompt.
// The fences are lines of exactly `---`. Nothing between them is ever evaluated.

import type { MapNode } from '../../base/yaml/node.ts';
import type { ReportFinding } from '../diagnostic.ts';
import type { Source } from '../source.ts';
import { yamlTree } from './yaml-tree.ts';

interface Frontmatter {
  /** Undefined where it could not be read, which has been reported. */
  readonly fields: MapNode | undefined;
  readonly body: string;
}

/** True if a text is an agent file at all: its first line is `---`. Other Markdown is left alone. */
export const opensFrontmatter = (text: string): boolean => /^\uFEFF?---[ \t]*(?:\r?\n|$)/.test(text.slice(0, 200));

/** The two parts of a text that opens with a fence. Undefined where it does not, or where it is never closed. */
export function splitFrontmatter(text: string):
  | {
      readonly yaml: string;
      /** The offset in the text at which the YAML begins. */
      readonly offset: number;
      readonly body: string;
    }
  | undefined {
  const offset = text.indexOf('\n') + 1;
  const close = offset === 0 || !opensFrontmatter(text) ? undefined : closingFence(text, offset);
  if (close === undefined) return undefined;
  return { yaml: text.slice(offset, close.start), offset, body: bodyAfter(text, close.end) };
}

const bodyAfter = (text: string, end: number): string =>
  text
    .slice(end)
    .replace(/^\r?\n/, '')
    .trim();

export function parseFrontmatter(source: Source, report: ReportFinding): Frontmatter {
  const { text } = source;
  const open = text.indexOf('\n') + 1;
  const close = open === 0 ? undefined : closingFence(text, open);
  if (close === undefined) {
    report({
      code: 'frontmatter/unclosed',
      source,
      at: fenceAt(text),
      message: 'the frontmatter that begins here is never closed',
      help: 'Put a line of exactly --- between the last key and the system prompt.',
    });
    return { fields: undefined, body: '' };
  }
  const tree = yamlTree(source, text.slice(open, close.start), open, report);
  const body = bodyAfter(text, close.end);
  if (body === '') {
    report({
      code: 'body/empty',
      severity: 'warning',
      source,
      at: { start: close.start, end: close.start + 3 },
      message: 'nothing follows the frontmatter: this agent has no system prompt',
      help: 'Write what the agent is and does below the ---.',
    });
  }
  if (tree === undefined) return { fields: undefined, body };
  if (tree.kind === 'map') return { fields: tree, body };
  if (tree.kind === 'scalar' && tree.value === null) {
    return { fields: { kind: 'map', entries: new Map(), ...fenceAt(text) }, body };
  }
  report({
    code: 'frontmatter/not-keys',
    source,
    at: tree,
    message: `the frontmatter is ${tree.kind === 'list' ? 'a list' : 'a text'}, but takes keys and values`,
    help: 'Write one "key: value" a line, as in "description: Answers questions about orders".',
  });
  return { fields: undefined, body };
}

function fenceAt(text: string): { start: number; end: number } {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  return { start, end: start + 3 };
}

/** The first line from `open` on that is `---`. Spaces may follow it. */
function closingFence(text: string, open: number): { start: number; end: number } | undefined {
  for (let start = open; start >= open; start = text.indexOf('\n', start) + 1) {
    if (text.startsWith('---', start)) {
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline + 1;
      if (text.slice(start + 3, end).trim() === '') return { start, end };
    }
    if (text.indexOf('\n', start) < 0) return undefined;
  }
  return undefined;
}
