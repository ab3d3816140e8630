// The results of a map in the window of the agent that joins them: where all of them would take more than half of it,
// none is given more than an equal share, and the rest of each can be read by its handle.

import type { LongSection, RunInput } from '../../kernel/effect.ts';
import { ROOMY, readWith } from '../fence.ts';
import type { PatternContext, Wrap } from '../pattern.ts';
import { composeRequest } from '../sections.ts';

export const withEqualShares =
  ({ window }: Pick<PatternContext, 'window'>): Wrap =>
  (inner) =>
  (input) => {
    const { request } = input;
    if (request.shares === undefined || window === undefined) return inner(input);
    return inner({ ...input, request: shortened(request, request.shares, window) });
  };

function shortened(
  request: RunInput,
  shares: Required<RunInput>['shares'],
  { tokens, estimate }: NonNullable<PatternContext['window']>,
): RunInput {
  const { base = '', sections = [] } = request;
  const results = sections.slice(0, shares.length);
  const size = results.reduce((sum, section) => sum + section.length, 0);
  const asked = estimate(results.join('\n\n'));
  if (asked <= tokens / 2) return request;
  const share = equalShare(results, shares, (size * tokens) / 2 / asked);
  const cut = results.map((section, index) => cutTo(section, share, shares[index] ?? null));
  return { ...request, ...composeRequest(base, [...cut, ...sections.slice(shares.length)]) };
}

/** The most characters of a section so that all of them take no more than `room`. Short ones leave theirs to the others. */
function equalShare(sections: readonly string[], shares: Required<RunInput>['shares'], room: number): number {
  const mayCut = (_: string, index: number): boolean => (shares[index] ?? null) !== null;
  const lengths = sections.filter(mayCut).map(({ length }) => length);
  const fixed = sections.filter((one, index) => !mayCut(one, index)).reduce((sum, { length }) => sum + length, 0);
  let left = Math.max(0, room - fixed);
  const ordered = lengths.toSorted((one, other) => one - other);
  for (const [index, length] of ordered.entries()) {
    const share = left / (ordered.length - index);
    if (length > share) return Math.floor(share);
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

/** The characters of a note on what was left out. */
const NOTE = 140;

function cutTo(section: string, share: number, long: LongSection | null): string {
  if (long === null || section.length <= share) return section;
  const at = section.indexOf('\n\n') + 2;
  const body = section.slice(at);
  const room = Math.max(0, share - at - NOTE);
  const head = body.slice(0, Math.min(ROOMY.head, Math.floor(room * 0.75))).replace(/[\ud800-\udbff]$/, '');
  const end = Math.min(ROOMY.tail, Math.floor(room * 0.25));
  const tail = body.slice(body.length - end).replace(/^[\udc00-\udfff]/, '');
  const left = Math.max(0, long.length - head.length - tail.length);
  const note = `[… ${left} of ${long.length} characters left out here. ${readWith(long.handle)} …]`;
  return [section.slice(0, at - 2), head, note, tail].filter((part) => part !== '').join('\n\n');
}
