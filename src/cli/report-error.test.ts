import { expect, test } from 'vitest';
import { FaultError, fault } from '../kernel/fault.ts';
import { errorReport } from './report-error.ts';
import { plain } from './screen/terminal.ts';

test('a fault is told in its own words, with the exit code of the table', () => {
  expect(errorReport(new FaultError(fault('usage', 'Say it so.')), plain, {})).toEqual({
    text: 'error: Say it so.',
    exit: 2,
  });
  const { text, exit } = errorReport(new TypeError('x is not a function'), plain, {});
  expect(exit).toBe(1);
  expect(text).toBe(
    'error: a defect in Cadre: x is not a function. ' +
      'Set CADRE_DEBUG=1 to see where, and report it with your command.',
  );
  expect(errorReport(new Error('x'), plain, { CADRE_DEBUG: '1' }).text).toMatch(/\n +at /);
});
