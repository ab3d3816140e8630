// The difference between an expectation and the received value, line by line.

import { hunksOf } from '../../base/diff/unified.ts';
import type { CaseFailure } from './test-record.ts';

/** Undefined where one of both is missing. Lines with `-` were expected, those with `+` received. */
export function failureDiff({ expected, received }: CaseFailure): string | undefined {
  if (expected === undefined || received === undefined) return undefined;
  const lines = hunksOf(`${expected}\n`, `${received}\n`).filter((line) => !line.startsWith('@@'));
  return lines.length === 0 ? undefined : lines.join('\n');
}
