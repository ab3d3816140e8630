import { expect, test } from 'vitest';
import { cadreFromTexts } from '../load.ts';
import { assemble } from './assemble.ts';

const HEAD = '---\ndescription: One.\nmodels: [openai/x]\n---\n';
const CONFIG = 'variables: { product: Lumen, year: 2026, price: "{{year}}" }\n';

/** A cadre of one agent with this prompt, and other files. */
function read(prompt: string, others: Readonly<Record<string, string>> = {}) {
  const texts = new Map([...Object.entries(others), ['a.md', HEAD + prompt]]);
  const { agents, diagnostics, texts: used } = assemble({ folder: '/c', texts, others: new Set() }, [], {});
  const found = diagnostics.map(
    (one) => `${one.file}:${one.line}:${one.column} ${one.severity} ${one.code} ${one.message}`,
  );
  return { system: agents.get('a')?.definition.system, found, diagnostics, used };
}

test('parts and variables are put in, also within parts, relative to the file that names them', () => {
  const others = {
    'cadre.yaml': CONFIG,
    'parts/tone.md': 'Be brief.\n{{include ./more/end.txt}}\n',
    'parts/more/end.txt': 'You sell {{ product }} since {{year}}.\n',
  };
  const { system, found } = read('Hello.\n\n{{include ./parts/tone.md}}\n\n{{ include "parts/more/end.txt" }}', others);
  expect(found).toEqual([]);
  expect(system).toBe('Hello.\n\nBe brief.\nYou sell Lumen since 2026.\n\nYou sell Lumen since 2026.');
});

test('the value of a variable is not read again', () => {
  expect(read('{{price}}', { 'cadre.yaml': CONFIG })).toMatchObject({ system: '{{year}}', found: [] });
});

test('a backslash keeps braces as they are', () => {
  const { system, found } = read('\\{{product}} \\{{include ./x.md}}', { 'cadre.yaml': CONFIG });
  expect({ system, found }).toEqual({ system: '{{product}} {{include ./x.md}}', found: [] });
});

test.each(['${{ secrets.KEY }}', '{{ .Values.name }}', '{{#if x}}', '{{ a | b }}', '{ {x} }', '{{}}', '{{'])(
  '%s belongs to another language, and stays',
  (text) => {
    expect(read(text, { 'cadre.yaml': CONFIG })).toMatchObject({ system: text, found: [] });
  },
);

test('without variables in cadre.yaml a word in braces stays, with a warning unless it stands in code', () => {
  const { system, found } = read('Say {{name}}.\n`{{name}}`\n```\n{{name}}\n```\n{{last}}');
  expect(system).toContain('Say {{name}}.');
  expect(found).toEqual([
    'a.md:5:5 warning prompt/variable {{name}} is sent to the model as it is: cadre.yaml declares no variables',
    'a.md:10:1 warning prompt/variable {{last}} is sent to the model as it is: cadre.yaml declares no variables',
  ]);
});

test('an unknown variable is an error at its place, with the nearest name', () => {
  const { diagnostics } = read('One.\n\nBuy {{prodct}}.', { 'cadre.yaml': CONFIG });
  expect(diagnostics).toMatchObject([
    {
      file: 'a.md',
      line: 7,
      column: 5,
      endColumn: 15,
      code: 'prompt/variable',
      message: 'there is no variable "prodct" in cadre.yaml',
      help: 'Did you mean "product"? To have it as it is, write \\{{prodct}}.',
    },
  ]);
});

test('an error in a part is listed at its place, and at the include that leads to it', () => {
  const { found } = read('{{include ./part.md}}', { 'cadre.yaml': CONFIG, 'part.md': '\uFEFFSo:\n  {{nothing}}\n' });
  expect(found).toEqual([
    'a.md:5:1 error prompt/include part.md has errors',
    'part.md:2:3 error prompt/variable there is no variable "nothing" in cadre.yaml',
  ]);
});

test.each([
  ['{{include ./none.md}}', 'there is no file none.md'],
  ['{{include ../up.md}}', '"../up.md" leads out of the folder'],
  ['{{include parts/../../up.md}}', '"parts/../../up.md" leads out of the folder'],
  ['{{include /etc/passwd}}', '"/etc/passwd" leads out of the folder'],
  ['{{include C:/x.md}}', '"C:/x.md" leads out of the folder'],
  ['{{include .env}}', '.env cannot be part of a prompt'],
  ['{{include ./.env.local}}', '.env.local cannot be part of a prompt'],
  ['{{include cadre.yaml}}', 'cadre.yaml cannot be part of a prompt'],
  ['{{include .cadre/runs/x}}', '.cadre/runs/x cannot be part of a prompt'],
  ['{{include ./b.md}}', 'b.md is an agent, and only parts without frontmatter can be included'],
  ['{{include ./loop.md}}', 'loop.md has errors'],
  ['{{include}}', 'this names no file'],
])('%s is refused: %s', (prompt, message) => {
  const others = { 'b.md': `${HEAD}x`, 'loop.md': '{{include ./loop2.md}}', 'loop2.md': '{{include ./loop.md}}' };
  expect(read(prompt, others).found).toContain(`a.md:5:1 error prompt/include ${message}`);
});

test('a cycle shows its path', () => {
  const others = { 'one.md': '{{include ./two.md}}', 'two.md': '{{include ./one.md}}' };
  expect(read('{{include ./one.md}}', others).found).toContain(
    'two.md:1:1 error prompt/include a part includes itself: one.md → two.md → one.md',
  );
});

test('depth, number and size of parts are capped', () => {
  const nested = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`p${index}.md`, `{{include ./p${index + 1}.md}}`]),
  );
  const deep = read('{{include ./p0.md}}', { ...nested, 'p12.md': 'end' });
  expect(deep.found.join('\n')).toContain('parts are nested more than 8 levels deep');
  const doubling = Object.fromEntries(
    Array.from({ length: 7 }, (_, index) => [`d${index}.md`, `{{include ./d${index + 1}.md}}\n`.repeat(8)]),
  );
  const many = read('{{include ./d0.md}}', { ...doubling, 'd7.md': 'x' });
  expect(many.found.join('\n')).toContain('more than 200 parts or 1048576 bytes');
  const large = read('{{include ./x.md}}\n'.repeat(4), { 'x.md': 'x'.repeat(600_000) });
  expect(large.found.join('\n')).toContain('more than 200 parts or 1048576 bytes');
});

test('the parts are among the texts of the cadre, so that a run pins them', () => {
  const texts = new Map([
    ['a.md', `${HEAD}{{include ./part.md}} {{product}}`],
    ['cadre.yaml', CONFIG],
    ['part.md', 'From a part.\n'],
  ]);
  const cadre = cadreFromTexts('/c', texts);
  expect([...cadre.texts.keys()].toSorted()).toEqual(['a.md', 'cadre.yaml', 'part.md']);
  expect(cadre.agents.get('a')?.system).toBe('From a part. Lumen');
});

test('variables are texts, numbers or truth values, and never "include"', () => {
  const { found } = read('x', { 'cadre.yaml': 'variables: { include: x, list: [1], on: true, 9x: y }\n' });
  expect(found).toHaveLength(3);
  expect(found.join('\n')).toMatch(/"include" cannot be a name.*\n.*variables\.list.*\n.*"9x" cannot be a name/);
});
