import { expect, test } from 'vitest';
import {
  type Diagnostic,
  diagnosticOf,
  inOrder,
  renderGithub,
  renderJson,
  renderText,
  summarize,
} from './diagnostic.ts';

const one: Diagnostic = {
  code: 'key/unknown',
  severity: 'error',
  file: 'desk/a.md',
  line: 2,
  column: 3,
  endColumn: 6,
  message: 'unknown key "abc"',
  help: 'Did you mean "abd"?',
};

test('a finding is shown with its line and a caret under its place', () => {
  const texts = new Map([['desk/a.md', '---\r\n  abc: 1\r\n---\r\n']]);
  expect(renderText([one], { texts })).toBe(
    'desk/a.md:2:3 error key/unknown: unknown key "abc"\n  2 |   abc: 1\n    |   ^^^\n  = Did you mean "abd"?',
  );
});

test('the caret stands right behind tabs and wide characters', () => {
  const text = '\t😀 abc';
  const found = diagnosticOf({
    code: 'x',
    source: { file: 'a', text },
    at: { start: 4, end: 7 },
    message: 'm',
    help: '',
  });
  expect(renderText([found], { texts: new Map([['a', text]]) })).toBe(
    'a:1:5 error x: m\n  1 | \t😀 abc\n    | \t  ^^^',
  );
});

test('a long line is cut around its place, and control characters do nothing to the terminal', () => {
  const text = `${'x'.repeat(500)}\u001b[31mabc${'y'.repeat(500)}`;
  const found = { ...one, line: 1, column: 506, endColumn: 509 };
  const shown = renderText([found], { texts: new Map([[one.file, text]]) });
  expect(shown).toContain('…');
  expect(shown).not.toContain('\u001b');
  const [excerpt = '', caret = ''] = shown.split('\n').slice(1);
  expect(excerpt.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('abc');
  expect(excerpt.length).toBeLessThan(200);
});

test('without the text there is no excerpt, and paths are shown as wanted', () => {
  expect(renderText([{ ...one, help: '' }], { pathOf: (file) => `/repo/${file}` })).toBe(
    '/repo/desk/a.md:2:3 error key/unknown: unknown key "abc"',
  );
});

test('a style is given every part', () => {
  const shown = renderText([one], {
    texts: new Map([['desk/a.md', '\nabcdef']]),
    style: (tone, text) => `<${tone}>${text}</>`,
  });
  expect(shown.split('\n')[0]).toBe('<place>desk/a.md:2:3</> <error>error</> key/unknown: unknown key "abc"');
});

test('JSON is the findings themselves', () => {
  expect(JSON.parse(renderJson([one]))).toEqual([one]);
});

test('annotations for GitHub escape what would end them', () => {
  const odd = { ...one, file: 'a,b:c%.md', severity: 'warning' as const, message: 'line\nbreak: 100%', help: 'a\r\nb' };
  expect(renderGithub([odd])).toBe(
    '::warning file=a%2Cb%3Ac%25.md,line=2,col=3,endColumn=6,title=key/unknown::line%0Abreak: 100%25%0Aa%0D%0Ab',
  );
});

test('findings are in the order of file, line and column, and each is told once', () => {
  const at = (file: string, line: number, column: number): Diagnostic => ({ ...one, file, line, column });
  const sorted = [at('a', 1, 2), at('a', 1, 10), at('a', 2, 1), at('b', 1, 1)];
  expect(inOrder([...sorted.toReversed(), at('a', 2, 1)])).toEqual(sorted);
});

test('the summary counts', () => {
  expect(summarize([one, { ...one, severity: 'warning' }, one], 1)).toBe('2 errors, 1 warning in 1 agent');
  expect(summarize([], 0)).toBe('0 errors, 0 warnings in 0 agents');
});
