// Gives a helper a process of its own for its models, and ends the process with the helper. A helper of a helper shares
// the process of the one above it.

import type { Effect, EffectOf, SettledResult } from '../../kernel/effect.ts';
import type { Isolation } from '../isolation.ts';
import type { Op, World } from '../world.ts';

export type OpenIsolation = (effect: EffectOf<'run'>, op: Op) => Isolation;

export const withIsolation = (world: World, open: OpenIsolation): World => ({
  perform(effect, op) {
    const isApart = effect.kind === 'run' && effect.isolate === 'process';
    if (!isApart || op.scope.isolation !== undefined) return world.perform(effect, op);
    return performApart(world, effect, op, open(effect, op));
  },
});

async function performApart(world: World, effect: Effect, op: Op, isolation: Isolation): Promise<SettledResult> {
  try {
    return await world.perform(effect, { ...op, scope: { ...op.scope, isolation } });
  } finally {
    await isolation.close();
  }
}
