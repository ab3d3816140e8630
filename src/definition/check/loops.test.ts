// Loops as the check sees them: each finding at its place, with the way out, and the bound.

import { expect, test } from 'vitest';
import { assemble } from '../link/assemble.ts';
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

const LOOP = 'repeat: {until: critic, max: 4}';
const CRITIC = { 'critic.md': '' };

test('a loop with a judge and a largest number has no findings', () => {
  expect(check({ 'a.md': LOOP, ...CRITIC })).toEqual([]);
  expect(check({ 'a.md': 'repeat: {until: critic, max: 1, fresh: true, atMax: last}', ...CRITIC })).toEqual([]);
});

const SCHEMA = '{format: json, schema: {type: object, properties: {ok: {type: boolean}}, required: [ok]}}';
const VERDICT =
  '{format: json, schema: {type: object, properties: {good: {type: boolean}, why: {type: string, minLength: 1}}, ' +
  'required: [good, why], additionalProperties: false}}';

test.each([
  [
    'no largest number',
    { 'a.md': 'repeat: {until: critic}', ...CRITIC },
    'a.md:2:9 error repeat/no-max `repeat` has no `max`, so nothing says how often it may ask again | Write the largest number',
  ],
  ['a number out of range', { 'a.md': 'repeat: {until: critic, max: 101}', ...CRITIC }, 'a.md:2:30 error value/'],
  ['no judge', { 'a.md': 'repeat: {max: 4}' }, 'a.md:2:9 error key/missing `repeat.until` is missing'],
  ['an unknown judge', { 'a.md': LOOP.replace('critic', 'critik'), ...CRITIC }, 'a.md:2:17 error ref/unresolved'],
  ['an unknown word', { 'a.md': LOOP.replace('4}', '4, atMax: best}'), ...CRITIC }, 'a.md:2:40 error value/'],
  [
    'a judge that takes JSON',
    { 'a.md': LOOP, 'critic.md': `input: ${SCHEMA}` },
    'a.md:2:17 error repeat/json-input "critic" takes JSON, and a judge gets the request and the answer of "a" as text',
  ],
  [
    'a judge with a schema of its own',
    { 'a.md': LOOP, 'critic.md': `output: ${SCHEMA}` },
    'critic.md:2:32 warning chain/overrides-output `output.schema` of "critic" is not enforced',
  ],
  [
    'the end of a judge’s chain with a schema of its own',
    { 'a.md': LOOP, 'critic.md': 'next: clerk', 'clerk.md': `output: ${SCHEMA}` },
    'clerk.md:2:32 warning chain/overrides-output `output.schema` of "clerk", at the end of the chain of "critic", is not enforced',
  ],
  [
    'a router beside it',
    { 'a.md': `${LOOP}\nrouter: {destinations: [b]}`, 'b.md': '', ...CRITIC },
    'error key/conflict',
  ],
  [
    'a command that shell.allow leaves out',
    {
      'cadre.yaml': `${CONFIG}shell: {allow: ["npm test"]}\n`,
      'a.md': 'repeat: {until: {command: "npm run x"}, max: 4}',
    },
    'a.md:2:27 error repeat/command "npm run x" is not one of the commands of `shell.allow` in cadre.yaml | Add it there, or write one of: npm test.',
  ],
  [
    'a command that a rule denies',
    { 'a.md': 'repeat: {until: {command: "npm test"}, max: 4}\ndeny: ["shell(npm test)"]' },
    'a.md:2:27 error repeat/command the rule "shell(npm test)" under `deny` forbids "npm test"',
  ],
  [
    'a command that is not named',
    { 'a.md': 'repeat: {until: {}, max: 4}' },
    'a.md:2:17 error key/missing `repeat.until.command` is missing',
  ],
  ['an empty command', { 'a.md': 'repeat: {until: {command: ""}, max: 4}' }, 'a.md:2:27 error value/'],
  ['itself as judge', { 'a.md': 'repeat: {until: a, max: 4}' }, 'recursion detected'],
  ['a judge that leads back', { 'a.md': LOOP, 'critic.md': 'agents: [a]' }, 'recursion detected in chain'],
  [
    'a seat in a team',
    { 't.md': 'team: {members: [a], supervisor: self}', 'a.md': LOOP, ...CRITIC },
    't.md:2:18 error team/undefined-member "a" has `repeat`: a participant of a team talks',
  ],
  [
    'a seat at the end of a chain',
    { 't.md': 'team: {members: [b], supervisor: self}', 'b.md': 'next: a', 'a.md': LOOP, ...CRITIC },
    't.md:2:18 error team/undefined-member "a", which is in the team at the end of the chain of "b", has `repeat`',
  ],
  [
    'the supervisor of another file',
    { 't.md': 'team: {members: [b], supervisor: a}', 'a.md': LOOP, 'b.md': '', ...CRITIC },
    't.md:2:34 error team/undefined-member the supervisor "a" has `repeat` of its own',
  ],
])('%s is found at its place', (_, texts, expected) => {
  const found = check(texts as unknown as Readonly<Record<string, string>>);
  expect(found.join('\n')).toContain(expected);
  expect(found, found.join('\n')).toHaveLength(1);
});

test('trust may name the command of the loop, and the agent needs no tool for it', () => {
  const loop = 'repeat: {until: {command: "npm test"}, max: 4}';
  expect(check({ 'a.md': `${loop}\ntrust: ["shell(npm test)"]` })).toEqual([]);
  expect(check({ 'a.md': 'trust: ["shell(npm test)"]' }).join()).toContain('trust/invalid');
});

test('a judge whose own schema says the same is no finding, and a loop on a stage before a seat is none', () => {
  expect(check({ 'a.md': LOOP, 'critic.md': `output: ${VERDICT}` })).toEqual([]);
  const before = {
    't.md': 'team: {members: [a], supervisor: self}',
    'a.md': `${LOOP}\nnext: b`,
    'b.md': '',
    ...CRITIC,
  };
  expect(check(before)).toEqual([]);
  expect(check({ 'a.md': `${LOOP}\nteam: {members: [b], supervisor: self}`, 'b.md': '', ...CRITIC })).toEqual([]);
});

function calls(texts: Readonly<Record<string, string>>): string {
  const { agents } = assembled(texts);
  const bound = boundsOf(new Map([...agents].map(([name, { definition }]) => [name, definition]))).get('a');
  return bound?.kind === 'bounded' ? String(bound.calls) : String(bound?.reason);
}

test.each([
  ['the session and each judge', { 'a.md': LOOP, ...CRITIC }, 5 + 4 * 5],
  ['with fresh each round of both', { 'a.md': 'repeat: {until: critic, max: 4, fresh: true}', ...CRITIC }, 4 * (5 + 5)],
  [
    'around a team each round of the team',
    { 'a.md': `${LOOP}\nteam: {members: [b], supervisor: self}`, 'b.md': '', ...CRITIC },
    4 * (5 + 5 + 5),
  ],
  ['a command for nothing', { 'a.md': 'repeat: {until: {command: "npm test"}, max: 4}' }, 5],
  ['advisors once', { 'a.md': `${LOOP}\nadvisors: [b]`, 'b.md': '', ...CRITIC }, 5 + 5 + 4 * 5],
  ['what follows once', { 'a.md': `${LOOP}\nnext: b`, 'b.md': '', ...CRITIC }, 5 + 5 + 4 * 5],
  ['a judge with all below it', { 'a.md': LOOP, 'critic.md': 'next: b', 'b.md': '' }, 5 + 4 * (5 + 5)],
])('the bound counts %s', (_, texts, expected) => {
  expect(calls(texts as unknown as Readonly<Record<string, string>>)).toBe(String(expected));
});
