// Maps as the check sees them: each finding at its place, with the way out, and the bound.

import { expect, test } from 'vitest';
import { assemble } from '../link/assemble.ts';
import { graphOf } from '../show/graph.ts';
import { boundsOf } from './bound.ts';

const CONFIG = 'defaults: {models: [openai/x], description: Does things, maxTurns: 5, maxRetries: 1}\n';

function assembled(texts: Readonly<Record<string, string>>) {
  const files = Object.entries(texts).map(
    ([file, yaml]) => [file, file.endsWith('.md') ? `---\n${yaml}\n---\nx` : yaml] as const,
  );
  return assemble({ folder: '/cadre', texts: new Map([['cadre.yaml', CONFIG], ...files]), others: new Set() }, [], {});
}

const check = (texts: Readonly<Record<string, string>>): readonly string[] =>
  assembled(texts).diagnostics.map(
    ({ file, line, column, code, severity, message, help }) =>
      `${file}:${line}:${column} ${severity} ${code} ${message} | ${help}`,
  );

const object = (properties: string, required = 'parts') =>
  `output: {schema: {type: object, properties: {${properties}}, required: [${required}]}}`;
const OUTPUT = object('parts: {type: array, items: {type: string}}, n: {type: integer}');
const MAP = 'next: {each: parts, to: w, max: 12, join: j}';
const WORKERS = { 'w.md': '', 'j.md': '' };
const mapping = (next = MAP, output = OUTPUT): string => `${next}\n${output}`;
const JSON_OF = (type: string): string =>
  `input: {schema: {type: object, properties: {t: {type: ${type}}}, required: [t]}}`;

test.each([
  ['with a join', mapping()],
  ['without a join', mapping('next: {each: parts, to: w, max: 12}')],
  [
    'with every key',
    mapping('next: {each: parts, to: w, max: 1, concurrent: 64, failures: keep, pass: request+item, join: j}'),
  ],
  ['with a number of failures', mapping('next: {each: parts, to: w, max: 12, failures: 0}')],
  ['with maxItems in place of max', mapping('next: {each: parts, to: w}', object('parts: {type: array, maxItems: 3}'))],
  [
    'over the answer itself',
    mapping('next: {each: $, to: w, max: 3}', 'output: {schema: {type: array, items: {type: string}}}'),
  ],
  [
    'behind a reference',
    mapping(
      MAP,
      'output: {schema: {$ref: "#/$defs/a", $defs: {a: {type: object, properties: {parts: {$ref: "#/$defs/l"}}, required: [parts]}, l: {type: array}}}}',
    ),
  ],
  ['in a sequence', mapping('next: {sequence: [{each: parts, to: w, max: 2, join: j}, w]}')],
  ['with an agent after it in place of a join', mapping('next: {sequence: [{each: parts, to: w, max: 2}, j]}')],
])('a map %s has no findings', (_, file) => {
  expect(check({ 'a.md': file, ...WORKERS })).toEqual([]);
});

test.each([
  [
    'no schema',
    { 'a.md': MAP },
    'a.md:2:14 error next/by-open nothing describes `parts`: "a" has no output.schema | Give a.md an output.schema in which',
  ],
  [
    'another name',
    { 'a.md': mapping(MAP, object('parst: {type: array}', 'parst')) },
    'a.md:2:14 error next/by-open `parts` is no property that the schema describes of "a"',
  ],
  [
    'one that may be missing',
    { 'a.md': mapping(MAP, object('parts: {type: array}', '')) },
    'a.md:2:14 error next/by-open `parts` may be missing: it is not required',
  ],
  [
    'one that is no list',
    { 'a.md': mapping(MAP, object('parts: {type: string}')) },
    'a.md:2:14 error next/by-open `parts` is no list by the schema',
  ],
  [
    'one that may be null',
    { 'a.md': mapping(MAP, object('parts: {type: [array, "null"]}')) },
    'a.md:2:14 error next/by-open `parts` is no list',
  ],
  [
    'a prototype',
    { 'a.md': mapping('next: {each: __proto__, to: w, max: 2}') },
    'a.md:2:14 error next/by-open `__proto__` is no property',
  ],
  [
    'no largest number',
    { 'a.md': mapping('next: {each: parts, to: w, join: j}') },
    'a.md:2:14 error next/no-max nothing says how long `parts` of "a" may be, so nothing says how often "w" may run | Write max: 12',
  ],
  [
    'too large a number in the schema',
    { 'a.md': mapping('next: {each: parts, to: w}', object('parts: {type: array, maxItems: 1001}')) },
    'a.md:2:14 error next/no-max `parts` of "a" may have 1001 items, and a map goes through 1000 at most',
  ],
  ['a number out of range', { 'a.md': mapping(MAP.replace('12', '1001')) }, 'a.md:2:33 error value/range'],
  ['too many at once', { 'a.md': mapping(MAP.replace('12', '12, concurrent: 65')) }, 'a.md:2:49 error value/range'],
  [
    'a word for failures',
    { 'a.md': mapping(MAP.replace('12', '12, failures: many')) },
    'a.md:2:47 error value/type `next.failures` is "many", but takes keep, or a whole number',
  ],
  ['no worker', { 'a.md': mapping('next: {each: parts, max: 2}') }, 'a.md:2:7 error key/missing'],
  ['an unknown worker', { 'a.md': mapping(MAP.replace('to: w', 'to: v')) }, 'a.md:2:25 error ref/unresolved'],
  ['else', { 'a.md': mapping(MAP.replace('max', 'else: j, max')) }, 'a.md:2:28 error key/unknown'],
  [
    'a worker that takes JSON and the request',
    {
      'a.md': mapping(
        MAP.replace('12', '12, pass: request+item'),
        object('parts: {type: array, items: {type: object, properties: {t: {type: string}}, required: [t]}}'),
      ),
      'w.md': JSON_OF('string'),
    },
    'a.md:2:25 error chain/json-input "w" takes JSON, which is the item alone',
  ],
  [
    'a worker that can never take an item',
    { 'a.md': mapping(), 'w.md': JSON_OF('string') },
    'a.md:2:25 error chain/never-fits an item of `parts` that "a" answers can never fit the input of "w"',
  ],
  [
    'a worker that may not take an item',
    { 'a.md': mapping(MAP, object('parts: {type: array}')), 'w.md': JSON_OF('string') },
    'a.md:2:25 warning chain/may-not-fit an item of `parts`',
  ],
  [
    'a join that can never take the results',
    { 'a.md': mapping(), 'j.md': JSON_OF('string') },
    'a.md:2:43 error chain/never-fits the result of the map can never fit the input of "j"',
  ],
  [
    'an agent that can never take what another’s map makes',
    {
      'z.md': 'next: {sequence: [a, j]}',
      'a.md': mapping('next: {each: parts, to: w, max: 2}'),
      'j.md': JSON_OF('string'),
    },
    'z.md:2:22 error chain/never-fits what "a" makes of its items can never fit the input of "j"',
  ],
  [
    'a judge whose map has no join',
    { 'z.md': 'repeat: {until: a, max: 2}', 'a.md': mapping('next: {each: parts, to: w, max: 2}') },
    'z.md:2:17 error chain/never-fits "a" judges the answers of "z", and what "a" makes of its items is never {good, why}',
  ],
  [
    'a map after a map without a join',
    { 'a.md': mapping('next: {sequence: [{each: parts, to: w, max: 2}, {each: items, to: w, max: 2}]}') },
    'a.md:2:56 error next/by-open the step before is a map without `join`',
  ],
  [
    'a seat at the end of a map without a join',
    { 'a.md': 'team: {members: [b], supervisor: self}', 'b.md': mapping('next: {each: parts, to: w, max: 2}') },
    'a.md:2:18 error team/undefined-member',
  ],
  ['handoff', { 'a.md': mapping(MAP.replace('next', 'handoff')) }, 'a.md:2:11 error key/unknown'],
  ['a cycle', { 'a.md': mapping(), 'w.md': 'agents: [a]' }, 'w.md:2:10 error graph/cycle'],
  [
    'chat with a map without a join',
    { 'a.md': `chat: true\n${mapping('next: {each: parts, to: w, max: 2}')}` },
    'a.md:2:7 warning next/no-chat a question to "a" is refused',
  ],
])('%s is found, with the way out', (_, files, finding) => {
  const all = check({ ...WORKERS, ...files });
  expect(
    all.some((one) => one.startsWith(finding)),
    all.join('\n'),
  ).toBe(true);
});

test('the bound is that of the agent, of the largest number of workers, and of the join', () => {
  const bound = (next: string, output = OUTPUT) => {
    const { agents } = assembled({ 'a.md': mapping(next, output), ...WORKERS });
    return boundsOf(new Map([...agents].map(([name, { definition }]) => [name, definition]))).get('a');
  };
  expect(bound(MAP)).toMatchObject({ calls: 5n + 12n * 5n + 5n });
  expect(bound('next: {each: parts, to: w, max: 12}')).toMatchObject({ calls: 5n + 12n * 5n });
  const three = object('parts: {type: array, maxItems: 3}');
  expect(bound('next: {each: parts, to: w}', three)).toMatchObject({ calls: 5n + 3n * 5n });
  expect(bound('next: {each: parts, to: w, max: 12}', three)).toMatchObject({ calls: 5n + 3n * 5n });
});

test('the graph has a line to the worker with the largest number, and one to the join', () => {
  const { agents } = assembled({ 'a.md': mapping(), ...WORKERS });
  const { edges } = graphOf({ agents: new Map([...agents].map(([name, { definition }]) => [name, definition])) });
  expect(edges.map(({ to, label, kind }) => [to, label, kind])).toEqual([
    ['w', 'each ×12', 'next'],
    ['j', 'join', 'next'],
  ]);
});

test('an agent after one that ends with a map without a join is not compared with what that one lists', () => {
  const texts = {
    'a.md': 'next: {sequence: [b, j]}',
    'b.md': mapping('next: {each: parts, to: w, max: 2}'),
    'w.md': '',
    'j.md': 'input: {schema: {type: object, properties: {items: {type: array}}, required: [items]}}',
  };
  expect(check(texts)).toEqual([]);
});
