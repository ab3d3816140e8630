import { expect, test } from 'vitest';
import { fault } from '../../kernel/fault.ts';
import { brokenOutcome } from '../../kernel/outcome.ts';
import { plain } from '../screen/terminal.ts';
import { exitOf, failureText, partialText, summaryLine } from './ending.ts';

const TOTALS = { unpriced: 0, calls: 2, input: 1000, output: 34, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const NONE = { failed: 0, denied: 0, changesDenied: 0, refused: 0 };

test('a run is summed up in one line', () => {
  const spent = { totals: { ...TOTALS, usd: 0.0123 }, calls: NONE, ms: 4200, show: 'cadre show r' };
  expect(summaryLine({ kind: 'answered', text: 'x' }, spent, plain)).toBe(
    'answered  2 calls  1.0k tok  $0.012  4.2s  cadre show r',
  );
  expect(summaryLine({ kind: 'answered', text: 'x' }, { ...spent, verdicts: ['denied by ci'] }, plain)).toBe(
    'answered  2 calls  1.0k tok  $0.012  4.2s  denied by ci  cadre show r',
  );
  const unpriced = { ...spent, totals: { ...TOTALS, unpriced: 2 } };
  expect(summaryLine(brokenOutcome(fault('timeout', 'late')), unpriced, plain)).toBe(
    'timed-out  2 calls  1.0k tok  price unknown  4.2s  cadre show r',
  );
});

test('the line of an answered run says which calls came to nothing', () => {
  const spent = { totals: { ...TOTALS, usd: 0.0123 }, calls: { failed: 1, denied: 3, changesDenied: 1, refused: 4 } };
  expect(summaryLine({ kind: 'answered', text: 'x' }, { ...spent, ms: 4200, show: 'cadre show r' }, plain)).toBe(
    'answered  1 change denied  2 calls denied  4 calls refused  1 call failed  2 calls  1.0k tok  $0.012  4.2s  cadre show r',
  );
});

test('a failure names its stage, and partial output is marked', () => {
  const outcome = {
    ...brokenOutcome({ ...fault('turns/exhausted', 'spent'), stage: 'risk' }, 'half a'),
    agent: 'risk',
  };
  expect(failureText(outcome, { agent: 'desk' }, plain)).toBe('risk: spent.');
  expect(failureText(outcome, { agent: 'risk' }, plain)).toBe('spent.');
  expect(partialText(outcome, plain)).toBe('--- partial output of risk, not an answer ---\nhalf a\n---');
  expect(exitOf(outcome)).toBe(3);
});
