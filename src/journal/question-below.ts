// The questions that an op asked while it was under way itself (BELOW-1): of a call, or before a run.

import { lastIndex, type OpPath, parentPath } from '../kernel/path.ts';
import type { OpStart } from './event.ts';

/** True for one that no routine asked: where the op has its result, it is not asked again. */
export function isQuestionBelow(path: OpPath, records: ReadonlyMap<OpPath, { readonly start?: OpStart }>): boolean {
  if (records.get(path)?.start?.op.kind !== 'approval') return false;
  return lastIndex(path) < 0 || records.get(parentPath(path) ?? '')?.start?.op.kind === 'tool';
}
