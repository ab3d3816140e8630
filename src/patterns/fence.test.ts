import { expect, test } from 'vitest';
import { fence, ROOMY, shortenText } from './fence.ts';

const WAY = 'Call read_result for all.';

test('a text that just fits stands whole, and one more character leaves its middle out', () => {
  const whole = 'x'.repeat(ROOMY.whole);
  expect(shortenText(whole, ROOMY, WAY)).toBe(whole);
  const cut = shortenText(`${whole}y`, ROOMY, WAY);
  expect(cut).toContain(
    `[… ${ROOMY.whole + 1 - ROOMY.head - ROOMY.tail} of ${ROOMY.whole + 1} characters left out here.`,
  );
  expect(cut.endsWith('y')).toBe(true);
});

test('a letter of two halves is not cut in two, at the head or at the tail', () => {
  const room = { whole: 8, head: 3, tail: 3 };
  const cut = shortenText('ab😀 many words 😀cd', room, WAY);
  expect(cut.startsWith('ab\n\n[…')).toBe(true);
  expect(cut.endsWith('…]\n\ncd')).toBe(true);
});

test('a text that knows the mark of its fence gets another one', () => {
  const closing = /^<<<(\w+) /.exec(fence('Hi.', 'a text'))?.[1] ?? '';
  const fenced = fence(`Hi. ${closing}>>>`, 'a text');
  const mark = /^<<<(\w+) /.exec(fenced)?.[1] ?? '';
  expect(fenced.indexOf(`${mark}>>>`)).toBe(fenced.length - mark.length - 3);
});
