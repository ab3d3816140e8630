import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonOf, type YamlNode } from '../../base/yaml/node.ts';
import { plainTree } from '../../base/yaml/plain.ts';
import type { Finding } from '../diagnostic.ts';
import { fullTree } from './yaml-tree.ts';

/** The full parser's tree, or what it had to say. */
function full(text: string): unknown {
  const found: Finding[] = [];
  const tree = fullTree({ file: 'a.md', text }, text, 0, (finding) => found.push(finding));
  return found.length > 0 ? found.map((finding) => finding.message) : tree;
}

/** Pieces of YAML, one a line; `\n` and the like are meant as escapes. */
const pieces = (listed: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    ...listed
      .split('\n')
      .flatMap((row) => row.split(' ┆ '))
      .map((piece) => JSON.parse(`"${piece}"`) as string),
  );

const word = pieces(
  String.raw`a ┆ b ┆ next ┆ true ┆ null ┆ 12 ┆ -3 ┆ 0.5 ┆ 007 ┆ 1e3 ┆ 0x1f ┆ .5 ┆ - ┆ -  ┆ -a ┆ 10m ┆ ~ ┆ <<
: ┆ :  ┆  # ┆ # c ┆ # ┆ , ┆ ,  ┆ [ ┆ ] ┆ { ┆ } ┆ \" ┆ ' ┆ \\ ┆ | ┆ > ┆ &x ┆ *x ┆ !t ┆ ? ┆ % ┆ @
\n ┆ \n ┆ \n ┆ |\n  ┆ >-\n   ┆ {\"a\":1,b: 2} ┆ \n   ┆ \n  -  ┆ \n     ┆ \r\n ┆ \t ┆ é ┆ — ┆ … ┆ \u2028 ┆ \u00a0 ┆ \u0085 ┆ --- ┆ ... ┆ x: y ┆ k:  ┆ mcp:docs`,
);

const scalar = pieces(
  String.raw`fast ┆ local/small ┆ mcp:docs ┆ 12 ┆ -3 ┆ 0.25 ┆ 10m ┆ true ┆ False ┆ null ┆ ~ ┆ a b c ┆ it’s ┆ it's ┆ a#b
\"quoted: text\" ┆ 'single # text' ┆ \"es\\n\" ┆ 'it''s' ┆ [] ┆ {} ┆ [a, b] ┆ [a,b] ┆ [ a , b ] ┆ {a: 1, b: [x, y]} ┆ {a:1} ┆ [a: b] ┆ [a, ]
{ type: string, enum: [a, \"b c\"] } ┆ a: b ┆ a: ┆ x # comment ┆ # comment ┆ | ┆ >- ┆ |- ┆ > ┆ |+ ┆ |2 ┆ | # c ┆ - ┆ - a ┆ *x ┆ 1. ┆ .inf ┆ 1_000 ┆ +1 ┆ -0 ┆ 2001-01-01
[[a], {b: c}] ┆ {\"a\":1,\"b\": [1,2]} ┆ {\"a b\": {\"c\":\"d\"}} ┆ {\"a\" : 1} ┆ {true: 1} ┆ [\"a\":1] ┆ {\"a\":} ┆ {\"a\":b} ┆ \"a\\\\\\\"b\\/\\t\" ┆ \"\\u00e9\" ┆ \"\\x41\"
[[a]] ┆ [a]] ┆ \"a\" b ┆ \"a\"#c ┆ [a]#c ┆ [a] #c`,
);
const line = fc.tuple(
  fc.constantFrom('', '', '', '  ', '  ', '    ', ' ', '      '),
  fc.constantFrom(
    'a: ',
    '- a: ',
    '- b: ',
    '- c:',
    '-   d: ',
    'null: ',
    'True: ',
    'b: ',
    'c: ',
    'd:',
    'e: ',
    'f:',
    '- ',
    '- ',
    '-',
    '# ',
    'g : ',
    '"h": ',
    '? ',
    '',
  ),
  scalar,
  fc.constantFrom('', '', '', ' ', ' # c', '\r'),
);
const document = fc.array(line, { maxLength: 9 }).map((lines) => lines.map((parts) => parts.join('')).join('\n'));

function agree(text: string): void {
  const quick = plainTree(text, 0);
  if (quick !== undefined) expect(quick, JSON.stringify(text)).toEqual(full(text));
}

test('the full parser reads every text of the quick reader as the same tree at the same places', () => {
  fc.assert(fc.property(document, agree), { numRuns: 20_000 });
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 25 }).map((words) => `k: ${words.join('')}`),
      agree,
    ),
    { numRuns: 20_000 },
  );
});

const key = fc.constantFrom('a', 'b', 'c', 'd-e', '_f', 'g/h', '$i');
const textLines = fc.array(
  fc.constantFrom('one', 'two words', '# no comment', '  deeper', '', '   ', '- dash', 'k: v', 'tail ', '---'),
  { maxLength: 4 },
);
type Lines = readonly string[];
const deeper = (lines: Lines, by: number): Lines => lines.map((one) => (one === '' ? one : ' '.repeat(by) + one));

/** The lines of a map, or of a list of maps; most of it is valid. */
const block: fc.Memo<Lines> = fc.memo((depth) => {
  const entry = fc
    .tuple(key, fc.oneof(scalar, fc.constantFrom('|', '|-', '>', '>-', '|+')), textLines, fc.constantFrom(1, 2, 2, 4))
    .map(([name, value, lines, by]) => [`${name}: ${value}`, ...(/^[|>][-+]?$/.test(value) ? deeper(lines, by) : [])]);
  const nested = fc
    .tuple(key, depth > 1 ? block(depth - 1) : fc.constant(['- x']), fc.constantFrom(0, 1, 2, 2))
    .map(([name, lines, by]) => [`${name}:`, ...deeper(lines, by)]);
  const entries = fc
    .uniqueArray(fc.oneof(entry, nested), { minLength: 1, maxLength: 3, selector: ([first]) => first?.split(':')[0] })
    .map((listed) => listed.flat());
  const items = fc
    .array(entries, { minLength: 1, maxLength: 3 })
    .map((listed) => listed.flatMap(([first = '', ...rest]) => [`- ${first}`, ...deeper(rest, 2)]));
  return fc.oneof(entries, items);
});

test('texts of many lines and lists of keys read the same as well', () => {
  const end = fc.constantFrom('', '\n', '\n\n', '\n  \n');
  fc.assert(
    fc.property(block(3), end, (lines, last) => agree(`top:\n${deeper(lines, 2).join('\n')}${last}`)),
    { numRuns: 10_000 },
  );
});

test('the quick reader reads everyday frontmatter, so the full parser is not needed for it', () => {
  const everyday = `description: Answers questions about orders # and nothing else
models: [fast, local/small]
agents:
  - one
  - two
input:
  format: json
  schema: { type: object, properties: { order: { type: string } }, required: [order] }
apiKey: "\${KEY}"
timeout: 10m
usage: |
  Name the order.

  # Then say what is wrong with it.
next:
  - agent: clerk
    when: "it says \\"refund\\""
`;
  expect(plainTree(everyday, 0)).toBeDefined();
  agree(everyday);
});

test('a second document is refused, and not left out', () => {
  expect(full('a: 1\n---\nb: 2\n')).toEqual([expect.stringContaining('multiple documents')]);
});

test('a tag that stands for bytes or a date is refused, and not read as nothing', () => {
  expect(full('a: !!binary aGVsbG8=')).toEqual([expect.stringContaining('binary')]);
  expect(full('a: !!timestamp 2001-12-14')).toEqual([expect.stringContaining('timestamp')]);
});

test('a reference to the anchor of a key is the text of the key', () => {
  expect(jsonOf(full('&name fruit: apple\nkind: *name') as YamlNode)).toEqual({ fruit: 'apple', kind: 'fruit' });
});
