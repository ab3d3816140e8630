import { expect, test } from 'vitest';
import { withEqualShares } from './equal-shares.ts';

const section = (nth: number, length: number): string => `### ${nth} of 3: item\n\n${'x'.repeat(length)}`;
const long = (handle: string, length: number) => ({ handle, length });

/** The sections that an agent gets whose window has so many tokens; a character is a token. */
function shown(sections: readonly string[], shares: readonly unknown[] | undefined, tokens: number | undefined) {
  let seen: { readonly sections?: readonly string[]; readonly text?: string } = {};
  const inner = ((input: { readonly request: typeof seen }) => {
    seen = input.request;
  }) as never;
  const window = tokens === undefined ? undefined : { tokens, estimate: (text: string) => text.length };
  const request = { text: 'all', base: 'Join.', sections, ...(shares && { shares }) };
  withEqualShares({ window } as never)(inner)({ request } as never);
  return seen.sections ?? [];
}

test('results that take half of the window or less are given whole', () => {
  const sections = [section(1, 100), section(2, 100)];
  const size = sections.join('\n\n').length;
  const shares = [long('h1', 100), long('h2', 100)];
  expect(shown(sections, shares, size * 2)).toEqual(sections);
  expect(shown(sections, shares, size * 2 - 1)).not.toEqual(sections);
});

test('nothing is cut where nobody knows the window, or nothing may be cut', () => {
  const sections = [section(1, 5000)];
  expect(shown(sections, [long('h1', 5000)], undefined)).toEqual(sections);
  expect(shown(sections, undefined, 100)).toEqual(sections);
  expect(shown(sections, [null], 100)).toEqual(sections);
});

test('short results leave their room to the long ones, which are cut to one size and say what is left out', () => {
  const sections = [section(1, 50), section(2, 4000), section(3, 8000), 'After the results.'];
  const cut = shown(sections, [null, long('h2', 4000), long('h3', 8000)], 6000);
  expect([cut[0], cut[3]]).toEqual([sections[0], sections[3]]);
  expect(cut[1]).toMatch(/^### 2 of 3: item\n\nx+\n\n\[… \d+ of 4000 characters left out here\. .*h2.* …\]\n\nx+$/);
  expect(cut[2]).toMatch(/of 8000 characters left out here\. .*h3/);
  const lengths = cut.slice(1, 3).map((one) => one.length);
  expect(Math.abs((lengths[0] ?? 0) - (lengths[1] ?? 0))).toBeLessThan(20);
  expect(cut.slice(0, 3).join('\n\n').length).toBeLessThanOrEqual(3000);
});
