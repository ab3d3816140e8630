// Branches as the check sees them: every value leads somewhere, and each finding stands at its place, with the way out.

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

/** An output whose property `kind` has this schema. */
const output = (kind: string, more = '', required = 'kind, body') =>
  `output: {format: json, schema: {type: object, properties: {kind: ${kind}, body: {type: string}${more}}, required: [${required}]}}`;
const input = (properties: string, required: string) =>
  `input: {format: json, schema: {type: object, properties: {${properties}}, required: [${required}]}}`;

const KINDS = output('{enum: [refund, bug, other]}');
const ENDS = { 'refunds.md': '', 'triage.md': '', 'clerk.md': '' };
const branch = (rest: string, kinds = KINDS) => ({ 'a.md': `${kinds}\nnext: {by: kind, ${rest}}`, ...ENDS });

test.each([
  ['a case for each value', branch('to: {refund: refunds, bug: {to: triage, else: clerk}, other: ~}')],
  ['a case for some, and otherwise', branch('to: {refund: refunds}, otherwise: clerk')],
  ['an answer that stands otherwise', branch('to: {refund: refunds}, otherwise: ~')],
  ['a flag', branch('to: {true: refunds, false: ~}', output('{type: boolean}'))],
  ['whole numbers', branch('to: {1: refunds, 2: ~}', output('{enum: [1, 2]}'))],
  ['a constant', branch('to: {refund: refunds}', output('{const: refund}'))],
  [
    'names that objects inherit',
    branch('to: {__proto__: refunds, constructor: ~}', output('{enum: [__proto__, constructor]}')),
  ],
  ['one property handed on', branch('to: {refund: refunds}, otherwise: ~, pass: {field: body}')],
  [
    'a step of a sequence, with an agent behind it',
    {
      'a.md': 'next: {sequence: [outline, {by: kind, to: {refund: refunds}, otherwise: ~}, clerk]}',
      'outline.md': KINDS,
      ...ENDS,
    },
  ],
  [
    'two branches on what stood',
    {
      'a.md': `${output('{enum: [x, y]}', ', more: {type: boolean}', 'kind, body, more')}\nnext: {sequence: [{by: kind, to: {x: ~, y: ~}}, {by: more, to: {true: clerk, false: ~}}]}`,
      ...ENDS,
    },
  ],
])('%s: no findings', (_, texts) => {
  expect(check(texts)).toEqual([]);
});

test.each([
  [
    'a value without a case',
    branch('to: {refund: refunds, bug: ~}'),
    'a.md:3:22 error next/not-covered no case covers "other" of `kind` | Add "other" to `to`',
  ],
  [
    'a case that is no value',
    branch('to: {refund: refunds, bugs: triage}, otherwise: ~'),
    'a.md:3:40 error next/unknown-case "bugs" is no value of `kind` | Did you mean "bug"?',
  ],
  [
    'a dead otherwise',
    branch('to: {refund: ~, bug: ~, other: ~}, otherwise: clerk'),
    'a.md:3:64 warning next/unreachable `otherwise` is never reached',
  ],
  [
    'no schema',
    branch('to: {x: ~}', ''),
    'error next/by-open `by` looks at what "a" answers, and a.md describes that by no schema | Write output:',
  ],
  [
    'a property that is not required',
    branch('to: {refund: ~}, otherwise: ~', output('{enum: [refund, x]}', '', 'body')),
    'a.md:3:12 error next/by-open `kind` of what "a" answers is not required',
  ],
  [
    'a property that is not described',
    branch('to: {refund: ~}').valueOf() && { ...branch('to: {x: ~}'), 'a.md': `${KINDS}\nnext: {by: kin, to: {x: ~}}` },
    'a.md:3:12 error next/by-open `kin` of what "a" answers is not described under properties | Give it an enum of texts, whole numbers or flags, a const, or type: boolean in output.schema of "a", and name it under required. Did you mean "kind"?',
  ],
  [
    'an open text',
    branch('to: {refund: ~}, otherwise: ~', output('{type: string}')),
    'error next/by-open `kind` of what "a" answers is not closed',
  ],
  [
    'a value that is null',
    branch('to: {x: ~}, otherwise: ~', output('{enum: [x, null]}')),
    'error next/by-open `kind` of what "a" answers may be null',
  ],
  [
    'a number with a fraction',
    branch('to: {x: ~}, otherwise: ~', output('{enum: [1.5]}')),
    'error next/by-open `kind` of what "a" answers may be 1.5',
  ],
  [
    'a text and a number that are one text',
    branch('to: {1: ~}', output('{enum: [1, "1"]}')),
    'error next/by-open `kind` of what "a" answers may be 1 and "1", which are one text',
  ],
  [
    'a case with no value',
    branch('to: {refund: , bug: ~}, otherwise: ~'),
    'error value/missing `next.to.refund` has no value',
  ],
  ['no cases', branch('to: {}, otherwise: ~'), 'error value/range `next.to` is empty'],
  ['an unknown agent', branch('to: {refund: refund}, otherwise: ~'), 'error ref/unresolved'],
  [
    'an else beside the cases',
    branch('to: {refund: ~}, else: clerk'),
    'error key/unknown unknown key "else" in `next` | Give it to one case',
  ],
  [
    'a map within',
    branch('to: {refund: ~}, each: body'),
    'error key/unknown unknown key "each" in `next` | A branch and a map are two steps',
  ],
  [
    'an otherwise without a branch',
    { 'a.md': 'next: {to: clerk, otherwise: refunds}', ...ENDS },
    'error key/unknown unknown key "otherwise" in `next` | It belongs to a branch',
  ],
  [
    'a branch under handoff',
    { 'a.md': `${KINDS}\nhandoff: {by: kind, to: {refund: clerk}}`, ...ENDS },
    'error key/unknown unknown key "by" in `handoff` | A branch belongs to next',
  ],
  [
    'a property handed on that may be missing',
    branch('to: {refund: refunds}, otherwise: ~, pass: {field: bod}'),
    'error next/by-open `bod` is no required property of what "a" answers, so there may be nothing to hand on | Did you mean "body"?',
  ],
  [
    'a case that leads back',
    { 'a.md': `${KINDS}\nnext: {by: kind, to: {refund: b}, otherwise: ~}`, 'b.md': 'agents: [a]' },
    'recursion detected in chain a → b → a',
  ],
  [
    'JSON with the request beside it',
    {
      ...branch('to: {refund: refunds}, otherwise: ~, pass: request+answer'),
      'refunds.md': input('body: {type: string}', 'body'),
    },
    'error chain/json-input "refunds" takes JSON',
  ],
  [
    'an input that a case can never satisfy',
    { ...branch('to: {refund: refunds}, otherwise: ~'), 'refunds.md': input('kind: {const: bug}', 'kind') },
    'error chain/never-fits what "a" answers for `kind` "refund" can never fit the input of "refunds"',
  ],
  [
    'an input that a case may not satisfy',
    { ...branch('to: {refund: refunds}, otherwise: ~'), 'refunds.md': input('order: {type: string}', 'order') },
    'warning chain/may-not-fit what "a" answers for `kind` "refund" may not fit the input of "refunds"',
  ],
  [
    'a part that does not fit',
    {
      ...branch('to: {refund: refunds}, otherwise: ~, pass: {field: body}'),
      'refunds.md': input('x: {type: string}', 'x'),
    },
    'error chain/never-fits what "a" answers for `kind` "refund" can never fit',
  ],
  [
    'an else that takes something else',
    {
      ...branch('to: {refund: {to: refunds, else: clerk}}, otherwise: ~'),
      'clerk.md': input('kind: {const: bug}', 'kind'),
    },
    'error chain/never-fits',
  ],
  [
    'a caller that what stands can never satisfy',
    {
      ...branch('to: {refund: refunds}, otherwise: ~'),
      'z.md': 'next: {sequence: [a, last]}',
      'last.md': input('kind: {const: refund}', 'kind'),
    },
    'error chain/never-fits what "a" answers can never fit the input of "last"',
  ],
  [
    'what stands in front of a stage',
    {
      'a.md': 'next: {sequence: [b, {by: kind, to: {refund: ~}, otherwise: clerk}, last]}',
      'b.md': KINDS,
      ...ENDS,
      'last.md': input('kind: {const: bug}', 'kind'),
    },
    'error chain/never-fits what "b" answers can never fit the input of "last"',
  ],
  [
    'a judge whose own answer stands',
    { ...branch('to: {refund: refunds}, otherwise: ~'), 'z.md': 'repeat: {until: a, max: 2}' },
    'z.md:2:17 error chain/never-fits "a" judges the answers of "z", and what "a" answers where its branch has ~ is never {good, why}',
  ],
  [
    'a seat in a team',
    { ...branch('to: {refund: refunds}, otherwise: clerk'), 't.md': 'team: {members: [a], supervisor: self}' },
    'error team/undefined-member "a" ends its chain with a branch',
  ],
  [
    'a branch on a branch’s agents without a schema',
    {
      'a.md': `${KINDS}\nnext: {sequence: [{by: kind, to: {refund: refunds}, otherwise: ~}, {by: kind, to: {bug: clerk}, otherwise: ~}]}`,
      ...ENDS,
    },
    'error next/by-open `by` looks at what "refunds" answers, and refunds.md describes that by no schema',
  ],
])('%s', (_, texts, finding) => {
  expect(check(texts).join('\n')).toContain(finding);
});

test('a team may have a member whose branch stands before a fixed stage', () => {
  const texts = {
    't.md': 'team: {members: [a], supervisor: self}',
    'a.md': `${KINDS}\nnext: {sequence: [{by: kind, to: {refund: refunds}, otherwise: ~}, clerk]}`,
    ...ENDS,
  };
  expect(check(texts)).toEqual([]);
});

test('the bound is that of the largest case with its else', () => {
  const texts = {
    'a.md': `maxTurns: 2\n${KINDS}\nnext: {by: kind, to: {refund: refunds, bug: {to: triage, else: clerk}, other: ~}}`,
    'refunds.md': 'maxTurns: 40',
    'triage.md': 'maxTurns: 20',
    'clerk.md': 'maxTurns: 30',
  };
  const agents = new Map([...assembled(texts).agents].map(([name, { definition }]) => [name, definition]));
  expect(boundsOf(agents).get('a')).toMatchObject({ kind: 'bounded', calls: 52n });
});

test('a case that is wrong is one finding: nothing is said of what the others leave open', () => {
  expect(check(branch('to: {refund: refunds, bug: , other: clerk}'))).toMatchObject([
    expect.stringContaining('value/missing `next.to.bug` has no value'),
  ]);
  expect(check(branch('to: {refund: [refunds], bug: nobody, other: ~}'))).toMatchObject([
    expect.stringContaining('value/type `next.to.refund` is a list'),
    expect.stringContaining('ref/unresolved'),
  ]);
});
