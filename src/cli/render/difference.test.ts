import { describe, expect, test } from 'vitest';
import { differenceLines, firstDifference } from './difference.ts';

describe('the first difference', () => {
  test('is found by its path', () => {
    expect(firstDifference({ a: [1, { b: 'x' }], c: 1 }, { a: [1, { b: 'y' }], c: 2 })).toEqual({
      path: '$.a[1].b',
      recorded: 'x',
      now: 'y',
    });
    expect(firstDifference({ a: 1 }, { a: 1, b: 2 })).toEqual({ path: '$.b', recorded: undefined, now: 2 });
    expect(firstDifference({ a: [1] }, { a: { 0: 1 } })).toMatchObject({ path: '$.a' });
    expect(firstDifference({ a: [1] }, { a: [1] })).toBeUndefined();
  });

  test('is shown with a caret under it in a long text', () => {
    const before = `${'x'.repeat(300)} friendly ${'y'.repeat(300)}`;
    const lines = differenceLines(
      { path: '$.system', recorded: before, now: before.replace('friendly', 'grumpy') },
      80,
    );
    expect(lines[0]).toBe('at        $.system');
    const caret = lines[3]?.indexOf('^') ?? 0;
    expect(lines[1]?.slice(caret, caret + 8)).toBe('friendly');
    expect(lines[2]?.slice(caret, caret + 6)).toBe('grumpy');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('is placed by its line in a text of several lines', () => {
    const [where] = differenceLines({ path: '$', recorded: 'a\nb\nc', now: 'a\nb\nd' }, 80);
    expect(where).toBe('at        $, line 3');
  });

  test('is shown as JSON for other values', () => {
    expect(differenceLines({ path: '$.n', recorded: { a: 1 }, now: undefined }, 80)).toEqual([
      'at        $.n',
      'recorded  {"a":1}',
      'now       (nothing)',
    ]);
  });
});
