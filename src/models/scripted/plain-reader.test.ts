import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scriptFrom } from './load.ts';
import { readPlainYaml } from './plain-reader.ts';
import { readYaml } from './yaml-reader.ts';

const examples = new URL('../../../examples/', import.meta.url).pathname;
const scripts = readdirSync(examples, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.script.yaml'))
  .map((file) => ({ file, text: readFileSync(join(examples, file), 'utf8') }));

/** Reads with the quick reader and the full one: the script, or that there is a mistake. */
function bothWays(text: string): { readonly quick: unknown; readonly full: unknown } | undefined {
  const plain = readPlainYaml(text);
  if (plain === undefined) return undefined;
  const quick = scriptFrom(plain, 's.yaml');
  const whole = readYaml(text, 's.yaml');
  const full = scriptFrom(whole, 's.yaml');
  return {
    quick: plain.mistakes() > 0 ? 'mistaken' : quick,
    full: whole.mistakes() > 0 ? 'mistaken' : full,
  };
}

test.each(scripts)('the script $file reads the same with and without the yaml package', ({ text }) => {
  const read = bothWays(text);
  expect(read?.quick).not.toBe('mistaken');
  expect(read?.quick).toEqual(read?.full);
});

test('only a script with anchors takes the yaml package', () => {
  const full = scripts.filter(({ text }) => readPlainYaml(text) === undefined);
  expect(full.map(({ file }) => file)).toEqual(['subagent/harbour.script.yaml']);
});

const value = fc.constantFrom(
  'Done.',
  '"{{last}} \\"x\\""',
  '12',
  'true',
  'soon',
  '2s',
  '[a, b]',
  '{ read_file: { path: a.txt } }',
  '{ add: {"a":1,"b":[2]} }',
  '{ last: "/(?<n>\\\\d+)/" }',
  '{ turn: 1 }',
  '[rate-limit, { status: 503, retryAfter: 1s }]',
  '{ input: 10, output: 5 }',
  '{{last}}',
  '|\n        one\n\n        {{match.n}}',
  '>-\n        one\n        two',
  '\n        - now\n        - add: { a: 1 }',
);
const key = fc.constantFrom(...'when say call calls answer report reasoning fault repeat delay usage sya'.split(' '));
const step = fc
  .uniqueArray(fc.tuple(key, value), { minLength: 1, maxLength: 4, selector: ([name]) => name })
  .map((entries) => `    - ${entries.map(([name, given]) => `${name}: ${given}`).join('\n      ')}\n`);

test('the full reader takes every script of the quick one for the same script', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
      const read = bothWays(`pace: { delay: 1ms }\nagents:\n  clerk:\n${steps.join('')}`);
      expect(read?.quick).toEqual(read?.full);
    }),
    { numRuns: 2000 },
  );
});
