import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reportText } from './report-text.ts';

const inPieces = (json: string, cuts: readonly number[]): string => {
  const text = reportText();
  const at = [...new Set(cuts.map((cut) => cut % (json.length + 1)))].sort((one, other) => one - other);
  return [0, ...at].map((from, index) => text.push(json.slice(from, at[index] ?? json.length))).join('');
};

test('the content of a report is read whatever it holds and however it is cut', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('a', '"', '\\', '\n', '\u2028', '\u0007', 'é', '😀', '{', ' '),
        maxLength: 40,
      }),
      fc.array(fc.nat(), { maxLength: 6 }),
      (content, cuts) => {
        expect(inPieces(JSON.stringify({ content }), cuts)).toBe(content);
        expect(inPieces(` {\n "content" : ${JSON.stringify(content)}, "more": "x" }`, cuts)).toBe(content);
      },
    ),
  );
});

test.each(['{"content": 7}', '{"filed": "yes"}', 'nonsense', '{"content": {"a": "b"}}'])(
  'arguments that do not begin with a text give nothing: %s',
  (json) => {
    expect(inPieces(json, [3, 5, 9])).toBe('');
  },
);
