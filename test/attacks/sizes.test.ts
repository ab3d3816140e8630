// Texts whose size is chosen by somebody else: what is written down and what it takes to show it grow no faster.

import { expect, test } from 'vitest';
import { wrap } from '../../src/cli/render/width.ts';
import { schemaCheck } from '../../src/tools/json-schema.ts';
import { bench, call, finish } from '../support/cadre.ts';
import { boss, report, results, start } from '../support/spawning.ts';

test('wrong arguments of 100 KB are told in less than that', () => {
  const schema = { type: 'object', properties: { path: { type: 'string' } }, additionalProperties: false };
  const wrong = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}${'k'.repeat(2000)}`, 1]));
  const nested = { ['k'.repeat(100_000)]: 1 };
  for (const value of [wrong, nested]) {
    const told = JSON.stringify(schemaCheck(schema, value));
    expect(told.length).toBeLessThan(50_000);
    expect(told).toContain('characters)');
  }
});

test('a list of a thousand tasks that can never run is refused once', async () => {
  let told = '';
  const task = Array.from({ length: 1000 }, (_, index) => `task ${index}`);
  await finish(
    bench(boss({ maxTotal: 50 }), (request) => {
      if (request.turn === 1) return call('sessions_spawn', { task, parallel: true, agent: 'worker' });
      told = results(request)[0] ?? '';
      return report('done');
    }),
    start,
  );
  expect(JSON.parse(told)).toMatchObject({ status: 'forbidden', current: 1000, maximum: 50 });
  expect(told.length).toBeLessThan(500);
});

/** The number of characters that are looked at while a line is wrapped: by patterns, and to count columns. */
function looksAt(line: string): number {
  let looks = 0;
  const { matchAll, replaceAll } = String.prototype;
  String.prototype.matchAll = function (this: string, pattern: RegExp) {
    looks += this.length;
    return matchAll.call(this, pattern);
  };
  String.prototype.replaceAll = function (this: string, ...given: unknown[]) {
    looks += this.length;
    return Reflect.apply(replaceAll, this, given) as string;
  };
  try {
    wrap(line, 80);
  } finally {
    Object.assign(String.prototype, { matchAll, replaceAll });
  }
  return looks;
}

test('twice the line takes twice the work to wrap', () => {
  for (const text of ['é', 'é ', 'ééé ééééééé ']) {
    const once = looksAt(text.repeat(4000));
    expect(once).toBeGreaterThan(4000);
    expect(looksAt(text.repeat(8000)) / once).toBeLessThan(2.5);
  }
});

test('a wrapped line holds every character, in lines of the width', () => {
  const line = `  ${'x'.repeat(1000)} and ${'two words '.repeat(50)}`;
  const lines = wrap(line, 40);
  expect(lines.every((one) => one.length <= 40)).toBe(true);
  expect(lines.join('').replaceAll(' ', '')).toBe(line.replaceAll(' ', ''));
});
