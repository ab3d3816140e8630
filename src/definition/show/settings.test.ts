import { expect, test } from 'vitest';
import { cadreFromTexts } from '../load.ts';
import { agentSettings } from './settings.ts';
import { settingText } from './template.ts';

const texts = new Map([
  ['cadre.yaml', 'defaults:\n  models: [openai/x]\n  maxRetries: 2\nlimits:\n  maxTurns: 8\n'],
  ['a.md', '---\ndescription: Says hello.\ntimeout: 90s\nmaxRetries: 5\n---\nx'],
  ['b.md', '---\nmaxTurns: 4\n---\nx'],
]);
const settingsOf = (name: string) =>
  new Map(agentSettings(cadreFromTexts('/c', texts), name)?.map(({ key, ...setting }) => [key, setting]));

test('a value of a file comes from its line, and one of cadre.yaml from the line of its part', () => {
  const settings = settingsOf('a');
  expect(settings.get('timeout')).toEqual({ value: '90s', from: 'file', place: { file: 'a.md', line: 3 } });
  expect(settings.get('models')).toEqual({
    value: ['openai/x'],
    from: 'defaults',
    place: { file: 'cadre.yaml', line: 2 },
  });
  expect(settings.get('maxTurns')).toEqual({ value: 8, from: 'limits', place: { file: 'cadre.yaml', line: 5 } });
});

test("an agent's own value wins over the defaults of the folder", () => {
  expect(settingsOf('a').get('maxRetries')).toEqual({ value: 5, from: 'file', place: { file: 'a.md', line: 4 } });
  expect(settingsOf('b').get('maxRetries')).toMatchObject({ value: 2, from: 'defaults' });
  expect(settingsOf('b').get('maxTurns')).toMatchObject({ value: 4, from: 'file' });
});

test('a value that no file sets is built in, and a key without a value has none', () => {
  expect(settingsOf('b').get('toolTimeout')).toEqual({ value: '5m', from: 'built-in' });
  expect(settingsOf('b').get('budget')).toEqual({ from: 'built-in' });
  expect(agentSettings(cadreFromTexts('/c', texts), 'nobody')).toBeUndefined();
});

test('a value is written on one line', () => {
  expect(settingText({ members: ['b', 'c'], supervisor: 'self' })).toBe('{members: [b, c], supervisor: self}');
  expect(settingText('Says: hello')).toBe('Says: hello');
  expect(settingText(false)).toBe('false');
});
