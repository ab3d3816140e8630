// The patterns, one line each. To add one, write its folder and add its record here. The order is that of the keys in a
// file, and that in which references are followed.

import { advisorsPattern } from './advisors/pattern.ts';
import { agentsPattern } from './agents/pattern.ts';
import { handoffPattern, nextPattern } from './chain/pattern.ts';
import { chatPattern } from './chat/pattern.ts';
import type { Pattern } from './record.ts';
import { repeatPattern } from './repeat/pattern.ts';
import { routerPattern } from './router/pattern.ts';
import { spawnPattern } from './spawn/pattern.ts';
import { subagentPattern } from './subagent/pattern.ts';
import { teamPattern } from './team/pattern.ts';

export const CATALOG: readonly Pattern[] = [
  agentsPattern,
  nextPattern,
  handoffPattern,
  routerPattern,
  advisorsPattern,
  teamPattern,
  repeatPattern,
  chatPattern,
  subagentPattern,
  spawnPattern,
];

/** The names of tools that patterns give to sessions. */
export const reservedBy = (patterns: readonly Pattern[]): readonly string[] =>
  patterns.flatMap(({ reserves = [] }) => reserves);
