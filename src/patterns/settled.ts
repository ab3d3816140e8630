// Turns a run that could not be driven into an outcome like any other.

import type { Settled } from '../kernel/effect.ts';
import { broken, type Outcome } from '../kernel/outcome.ts';

export const outcomeOf = (settled: Settled<Outcome>): Outcome => (settled.ok ? settled.value : broken(settled.fault));
