import { expect, test } from 'vitest';
import { NOTHING_SECRET } from '../kernel/redacted.ts';
import { tool } from './functions.ts';

const context = { signal: new AbortController().signal, callKey: 'k1', progress: () => {}, redactor: NOTHING_SECRET };
const returning = (value: unknown) =>
  tool({ name: 'give', description: 'Gives.', parameters: { type: 'object' }, run: () => value });

test('a function becomes a tool that is not repeated unless it says so', () => {
  expect(returning(1)).toMatchObject({
    spec: { name: 'give', description: 'Gives.', parameters: { type: 'object' } },
    repeat: 'never',
  });
});

test.each([
  ['text', 'text'],
  ['', ''],
  [42, '42'],
  [null, 'null'],
  [{ a: [1] }, '{\n  "a": [\n    1\n  ]\n}'],
  [undefined, 'done'],
  [Promise.resolve('later'), 'later'],
  [
    { status: 'error', text: 'no such order' },
    { status: 'error', text: 'no such order' },
  ],
  [{ status: 'ok', text: 'paid', order: 17 }, '{\n  "status": "ok",\n  "text": "paid",\n  "order": 17\n}'],
])('the value %j is shown to the model as %j', async (value, output) => {
  expect(await returning(value).execute({}, context)).toEqual(output);
});

test('a value that is no JSON is an error that names the tool', async () => {
  await expect(returning(() => 1).execute({}, context)).rejects.toThrow('give returned a function');
});

test('the function gets the arguments and the context of its call', async () => {
  const add = tool<{ a: number; b: number }>({
    name: 'add',
    description: 'Adds.',
    parameters: { type: 'object' },
    run: ({ a, b }, { callKey }) => `${callKey}: ${a + b}`,
  });
  expect(await add.execute({ a: 1, b: 2 }, context)).toBe('k1: 3');
});

test.each(['', 'with space', 'ünicode', 'x'.repeat(65)])('the name %j is refused at once', (name) => {
  expect(() => tool({ name, description: '', parameters: true, run: () => '' })).toThrow('cannot be named');
});
