// A run that could not even be driven is an outcome like any other.

import type { Settled } from '../kernel/effect.ts';
import { broken, type Outcome } from '../kernel/outcome.ts';

export const outcomeOf = (settled: Settled<Outcome>): Outcome => (settled.ok ? settled.value : broken(settled.fault));
