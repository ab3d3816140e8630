// Turns a run that could not be driven into an outcome like any other.

import type { SettledResult } from '../kernel/effect.ts';
import { brokenOutcome, type Outcome } from '../kernel/outcome.ts';

export const outcomeOf = (settled: SettledResult<Outcome>): Outcome =>
  settled.ok ? settled.value : brokenOutcome(settled.fault);
