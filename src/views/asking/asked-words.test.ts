import { expect, test } from 'vitest';
import { ASK_PERSON_ADDRESS } from '../../kernel/person.ts';
import { asksYou } from './asked-words.ts';

const prompt = 'fixer wants to call it';

test.each([
  [
    { name: 'edit_file', preview: { kind: 'diff', paths: ['src/speed.js'], text: '' } },
    'fixer asks you: edit_file src/speed.js',
  ],
  [
    { name: 'run_command', preview: { kind: 'command', command: 'npm\ntest', cwd: '/', sandbox: '' } },
    'fixer asks you: run_command npm test',
  ],
  [
    { name: 'http_get', preview: { kind: 'request', method: 'GET', url: 'https://a.example/' } },
    'fixer asks you: http_get GET https://a.example/',
  ],
  [{ name: 'read_file', arguments: { path: 'a.txt' } }, 'fixer asks you: read_file a.txt'],
  [{ name: 'pay', arguments: { order: 17, to: 'ann', deep: {} } }, 'fixer asks you: pay order 17, to ann'],
  [{ name: 'stop', arguments: {} }, 'fixer asks you: stop'],
  [
    { name: 'ask_person', source: ASK_PERSON_ADDRESS, arguments: { question: 'Which\nport?' } },
    'fixer asks you: Which port?',
  ],
  [undefined, `fixer asks you: ${prompt}`],
])('a question on one line names what it is about: %j', (about, words) => {
  expect(asksYou('fixer', { prompt, about })).toBe(words);
});

test('one line hides nothing, and has an end', () => {
  const about = { name: 'read\u202e', arguments: { path: `a\u200b${'x'.repeat(9000)}` } };
  expect(asksYou('fixer', { prompt, about })).toMatch(/^fixer asks you: read\\u202e a\\u200bx{80,110}…$/);
});
