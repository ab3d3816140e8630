// Results of tests as JUnit XML, which CI services read. Pure.

import type { CaseResult } from '../../agent-tests/run-case.ts';
import { countsOf } from '../../views/tests/compared.ts';

export function junit(results: readonly CaseResult[], ms: number): string {
  const files = [...new Set(results.map(({ test }) => test.file))];
  const { failed, skipped } = countsOf(results);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="cadre test" tests="${results.length}" failures="${failed}" skipped="${skipped}" time="${seconds(ms)}">`,
    ...files.flatMap((file) =>
      suite(
        file,
        results.filter(({ test }) => test.file === file),
      ),
    ),
    '</testsuites>',
  ].join('\n');
}

function suite(file: string, results: readonly CaseResult[]): readonly string[] {
  const { failed, skipped } = countsOf(results);
  const ms = results.reduce((sum, one) => sum + (one.ms ?? 0), 0);
  return [
    `  <testsuite name="${escaped(file)}" tests="${results.length}" failures="${failed}" skipped="${skipped}" time="${seconds(ms)}">`,
    ...results.flatMap(testCase),
    '  </testsuite>',
  ];
}

function testCase({ test, state, failures, why, model, ms = 0 }: CaseResult): readonly string[] {
  const name = model === undefined ? test.name : `${test.name} [${model}]`;
  const open = `    <testcase classname="${escaped(test.file)}" name="${escaped(name)}" file="${escaped(test.file)}" line="${test.line}" time="${seconds(ms)}"`;
  if (state === 'passed') return [`${open}/>`];
  if (state === 'skipped') return [`${open}>`, `      <skipped message="${escaped(why ?? '')}"/>`, '    </testcase>'];
  const text = failures
    .map(({ what, expected, received }) =>
      [
        what,
        ...(expected === undefined ? [] : [`expected: ${expected}`]),
        ...(received === undefined ? [] : [`received: ${received}`]),
      ].join('\n'),
    )
    .join('\n\n');
  return [
    `${open}>`,
    `      <failure message="${escaped(failures[0]?.what.split('\n')[0] ?? '')}">${escaped(text)}</failure>`,
    '    </testcase>',
  ];
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** XML has no place for most control characters, so they are left out. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
