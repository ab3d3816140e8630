import { expect, test } from 'vitest';
import { type Diagnostic, diagnosticOf } from '../diagnostic.ts';
import { cadreFromTexts } from '../load.ts';
import { readAgentFile } from './agent-file.ts';
import type { Ref } from './shape.ts';
import { splitNames } from './tolerant.ts';

function read(yaml: string) {
  const found: Diagnostic[] = [];
  const source = { file: 'a.md', text: `---\n${yaml}\n---\nBody.\n` };
  const { fields } = readAgentFile({ source, folder: '/x', report: (one) => found.push(diagnosticOf(one)) });
  return { fields, codes: found.map(({ code, line, column, endColumn }) => `${line}:${column}-${endColumn} ${code}`) };
}

test('`model` is `models`', () => {
  expect(read('model: openai/x')).toEqual({ fields: { models: 'openai/x' }, codes: [] });
  expect(read('model: a/x\nmodels: b/y')).toEqual({ fields: { models: 'b/y' }, codes: ['2:1-6 key/conflict'] });
});

test('`inherit` is what cadre.yaml says', () => {
  const texts = new Map([
    ['cadre.yaml', 'defaults: {models: [openai/y]}\n'],
    ['a.md', '---\nmodel: inherit\n---\nBody.\n'],
    ['b.md', '---\nmodels: inherit\n---\nBody.\n'],
  ]);
  const { agents } = cadreFromTexts('/x', texts);
  expect([...agents.values()].map(({ models }) => models)).toEqual([['openai/y'], ['openai/y']]);
});

test('the defaults of cadre.yaml are read in the same way', () => {
  const texts = new Map([
    ['cadre.yaml', 'defaults: {model: openai/y, tools: "files, person"}\n'],
    ['a.md', '---\nmodel: inherit\n---\nBody.\n'],
  ]);
  const { agents } = cadreFromTexts('/x', texts);
  expect(agents.get('a')).toMatchObject({ models: ['openai/y'], tools: ['files', 'person'] });
});

test('a text with commas is a list of names, each with its place', () => {
  expect(read('tools: files, rest:x , mcp:a/b').fields.tools).toEqual(['files', 'rest:x', 'mcp:a/b']);
  expect(read('tools: files').fields.tools).toEqual(['files']);
  const { agents } = read('agents: one, two').fields as { readonly agents?: readonly Ref[] };
  expect(agents?.map(({ text, start, end }) => [text, start, end])).toEqual([
    ['one', 12, 15],
    ['two', 17, 20],
  ]);
});

test('a comma inside of parentheses belongs to the name', () => {
  expect(splitNames('files:write, shell(git log a, b), ,x')).toEqual(['files:write', 'shell(git log a, b)', 'x']);
  expect(splitNames(') , ((,')).toEqual([')', '((,']);
});

test('a text with escapes is read, and its names have the place of the whole', () => {
  const { agents } = read('agents: "o\\x6ee, two"').fields as { readonly agents?: readonly Ref[] };
  expect(agents?.map(({ text, start, end }) => [text, start, end])).toEqual([
    ['one', 12, 25],
    ['two', 12, 25],
  ]);
});

test('a hundred thousand names take no longer than their text', () => {
  const many = Array.from({ length: 60_000 }, (_, index) => (index === 9 ? 'o\\x6ee' : 'ab')).join(',');
  expect(read(`tools: "${many}"`).fields.tools).toHaveLength(60_000);
});
