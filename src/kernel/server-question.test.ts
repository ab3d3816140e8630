import { expect, test } from 'vitest';
import { exampleAnswer, fieldsOf, fieldValue, fieldWords, formAnswer } from './server-question.ts';

const FORM = {
  type: 'object',
  properties: {
    host: { type: 'string', description: 'where it listens' },
    port: { type: 'integer', default: 8080 },
    ratio: { type: 'number' },
    open: { type: 'boolean' },
    level: { type: 'string', enum: ['low', 'high'] },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
  },
  required: ['host'],
};
const only = (name: keyof typeof FORM.properties, required: readonly string[] = []) => ({
  type: 'object',
  properties: { [name]: FORM.properties[name] },
  required,
});
const field = (name: keyof typeof FORM.properties) => {
  const [found] = fieldsOf(only(name));
  if (found === undefined) throw new Error(`The form has ${name}.`);
  return found;
};

test('an answer in JSON gets the defaults of the fields that it leaves out, and keeps those that it gives', () => {
  expect(formAnswer(FORM, '{"host": "h"}')).toEqual({ ok: true, content: { port: 8080, host: 'h' } });
  expect(formAnswer(FORM, ' {"host": "h", "port": 1} ')).toEqual({ ok: true, content: { port: 1, host: 'h' } });
  expect(formAnswer(FORM, '{"host": "h", "port": null}')).toEqual({ ok: true, content: { port: null, host: 'h' } });
});

test('a field that the form does not have is refused with the nearest one', () => {
  const refused = formAnswer(FORM, '{"hots": "h"}');
  expect(refused).toEqual({
    ok: false,
    problem: 'The form has no field "hots". Did you mean "host"? It has: host, port, ratio, open, level, tags.',
  });
  expect(formAnswer(FORM, '{"zzzzzzzz": 1}')).toMatchObject({ problem: expect.not.stringContaining('Did you mean') });
});

test('a form of one field takes its value alone, one of none takes any words, and one of several wants JSON', () => {
  expect(formAnswer(only('host'), 'example.org')).toEqual({ ok: true, content: { host: 'example.org' } });
  expect(formAnswer(only('port'), '9')).toEqual({ ok: true, content: { port: 9 } });
  expect(formAnswer({ type: 'object', properties: {} }, 'yes')).toEqual({ ok: true, content: {} });
  expect(formAnswer(FORM, 'example.org')).toMatchObject({
    ok: false,
    problem: expect.stringMatching(/^The form has 6 fields\. Answer with JSON, such as \{"host":"…","port":8080/),
  });
});

test('the value of a field is read as a person writes it', () => {
  const contentOf = (name: keyof typeof FORM.properties, text: string) => {
    const read = fieldValue(field(name), text);
    return read.ok ? read.content[name] : read.problem;
  };
  expect(contentOf('host', ' 8 ')).toBe('8');
  expect(contentOf('level', 'low')).toBe('low');
  expect([contentOf('tags', 'a, b'), contentOf('tags', '["a"]')]).toEqual([['a', 'b'], ['a']]);
  expect([contentOf('ratio', '0.5'), contentOf('port', '7')]).toEqual([0.5, 7]);
  expect(contentOf('port', 'seven')).toBe('port takes an integer, not "seven".');
  expect(contentOf('ratio', 'half')).toBe('ratio takes a number, not "half".');
  for (const yes of ['yes', 'Y', 'TRUE']) expect(contentOf('open', yes)).toBe(true);
  for (const no of ['no', 'N', 'false']) expect(contentOf('open', no)).toBe(false);
  expect(contentOf('open', 'maybe')).toBe('open takes yes or no, not "maybe".');
});

test('an example answer has a value of the right kind for each field', () => {
  expect(JSON.parse(exampleAnswer(fieldsOf(FORM)))).toEqual({
    host: '…',
    port: 8080,
    ratio: 1,
    open: true,
    level: 'low',
    tags: ['a'],
  });
});

test('a field is told with its kind, its need, its default and its words', () => {
  expect(fieldsOf(FORM).map(fieldWords)).toEqual([
    'host (text; required): where it listens',
    'port (integer; default 8080)',
    'ratio (number)',
    'open (yes or no)',
    'level (one of low, high)',
    'tags (some of a, b)',
  ]);
});
