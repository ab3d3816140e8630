import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spentRunIn, spentRunOf } from './spent-text.ts';
import { emptySummary, textOfSummary } from './summary.ts';

const COUNT = fc.oneof(
  fc.nat(),
  fc.constant(Number.MAX_SAFE_INTEGER),
  fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
);
const NAME = fc.oneof(
  fc.constantFrom('desk', 'm/a', '"],"folder":"', '\\', ']', '\ud800'),
  fc.string({ unit: 'binary' }),
);
const SHARE = fc.record(
  { agent: NAME, model: NAME, calls: COUNT, input: COUNT, output: COUNT, usd: COUNT, unpriced: COUNT },
  { requiredKeys: ['agent', 'model', 'calls', 'input', 'output', 'unpriced'] },
);
const summaryText = (run: string, startedAt: number, spent: readonly object[], over: object = {}): string =>
  textOfSummary({ ...emptySummary(run), startedAt, outcome: 'answered', spent: spent as never, ...over });

test('the spending in the text of a summary is that of the summary, whatever its names and numbers', () => {
  fc.assert(
    fc.property(fc.nat(), fc.array(SHARE, { maxLength: 4 }), NAME, (startedAt, spent, folder) => {
      const text = summaryText('20261120-000000-0000001', startedAt, spent, { folder });
      const written = JSON.parse(text) as Parameters<typeof spentRunOf>[0];
      expect(spentRunIn(text)).toEqual(spentRunOf(written));
    }),
    { numRuns: 500, seed: Number(process.env.CADRE_SEED ?? 1) },
  );
});

test('a text that is damaged, or of a run that has not ended, has no spending', () => {
  const share = { agent: 'desk', model: 'm/a', calls: 1, input: 10, output: 5, usd: 0.1, unpriced: 0 };
  const text = summaryText('r1', 1000, [share, share]);
  const end = text.indexOf(',"folder"');
  for (let cut = 0; cut < end; cut++) {
    expect(spentRunIn(text.slice(0, cut))).toBeUndefined();
    expect(spentRunIn(text.slice(0, cut) + text.slice(end))).toBeUndefined();
  }
  expect(spentRunIn(summaryText('r1', 1000, [share], { outcome: undefined }))).toBeUndefined();
  expect(spentRunIn(summaryText('r1', 1000, [], { spent: undefined }))).toBeUndefined();
});
