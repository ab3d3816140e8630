import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ALL_KEYS } from '../read/keys.ts';
import { configSchema, frontmatterSchema } from './frontmatter-schema.ts';
import { EXAMPLES, fullAgentTemplate } from './template.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
const accepts = ajv.compile(frontmatterSchema());

test('the schema describes every key, and tells its default', () => {
  const { properties } = frontmatterSchema() as {
    properties: Record<string, { description?: string; default?: unknown }>;
  };
  expect(Object.keys(properties)).toEqual([...Object.keys(ALL_KEYS), 'model']);
  expect(Object.values(properties).every(({ description }) => (description ?? '') !== '')).toBe(true);
  expect([properties['maxTurns']?.default, properties['modelTimeout']?.default]).toEqual([10, '10m']);
});

test('the schema accepts what the check accepts', () => {
  expect(accepts(parse(fullAgentTemplate('a').split('---\n')[1] ?? ''))).toBe(true);
  for (const example of Object.values(EXAMPLES)) expect(accepts(parse(example)), example).toBe(true);
});

test.each(['maxTurn: 5', 'maxTurns: 0', 'team: {members: []}', 'next: {then: a}', 'timeout: soon', 'reasoning: much'])(
  'the schema refuses %s',
  (yaml) => {
    expect(accepts(parse(yaml))).toBe(false);
  },
);

test('cadre.yaml has a schema too', () => {
  const acceptsConfig = ajv.compile(configSchema());
  expect(acceptsConfig(parse('providers: {a: {kind: openai}}\ndefaults: {models: [a/x]}'))).toBe(true);
  expect(acceptsConfig(parse('defaults: {next: a}'))).toBe(false);
});
