import { expect, test } from 'vitest';
import { capReport } from './cap.ts';

const note = (value: string) => ({ kind: 'note', value }) as const;

test('a report that fits is as it was, and nothing is told of it', () => {
  const report = { summary: 'short', artifacts: [note('abc'), { kind: 'path', value: 'a/b' } as const] };
  expect(capReport(report, 11)).toEqual({ report, truncated: [] });
});

test('the summary has half of the room, and all that the artifacts do not need', () => {
  const cut = (summary: string, value: string) => {
    const { report } = capReport({ summary, artifacts: [note(value)] }, 20);
    return [report.summary.length, report.artifacts[0]?.value.length];
  };
  expect(cut('s'.repeat(30), 'v'.repeat(30))).toEqual([10, 10]);
  expect(cut('s'.repeat(30), 'vvv')).toEqual([17, 3]);
  expect(cut('sss', 'v'.repeat(30))).toEqual([3, 17]);
});

test('a note and a diff are cut to their beginning, a path and JSON are emptied, and each says what it had', () => {
  const artifacts = [
    note('é'.repeat(10)),
    { kind: 'json', value: '{"a":1}' } as const,
    { kind: 'path', value: 'a/long/path' } as const,
    { kind: 'diff', value: '+line' } as const,
  ];
  const { report, truncated } = capReport({ summary: 'sum', artifacts }, 24);
  expect(report.summary).toBe('sum');
  expect(report.artifacts.map(({ value }) => value)).toEqual(['é'.repeat(10), '', '', '+']);
  expect(truncated).toEqual([
    { field: 'artifacts[1].value', original_bytes: 7, kept_bytes: 0 },
    { field: 'artifacts[2].value', original_bytes: 11, kept_bytes: 0 },
    { field: 'artifacts[3].value', original_bytes: 5, kept_bytes: 1 },
  ]);
});
