// The two orders of the patterns of an agent: that in time, and that from its session outwards.

import type { Layer, PatternUse } from './record.ts';

export const IN_TIME: readonly Layer[] = ['before', 'instead', 'within', 'again', 'after', 'last'];

const FROM_INSIDE: readonly Layer[] = ['within', 'instead', 'again', 'after', 'before', 'last'];

export const fromInside = (uses: readonly PatternUse[]): readonly PatternUse[] =>
  FROM_INSIDE.flatMap((layer) => uses.filter(({ pattern }) => pattern.layer === layer));
