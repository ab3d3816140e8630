// A run from outside that starts after other runs. The same timeouts, rules and texts hold as for a run that a session
// spawned.

import type { Routine, RunInput } from '../../kernel/effect.ts';
import type { SharedContext, SpawnId, SpawnReport, StartAfter } from '../../kernel/spawned.ts';
import { lookUp } from './pass-on.ts';
import { type AwaitedDependencies, awaitDependencies, inputOfSpawned } from './spawned-run.ts';

export const awaitOthers = (after: StartAfter, run: SpawnId): Routine<AwaitedDependencies> =>
  awaitDependencies(dependenciesOf(after), run);

/** Its input once the others have ended. `inherited` is the shared context that was stored for it until then. */
export function inputAfter(
  after: StartAfter,
  { shared, ...input }: RunInput,
  ended: readonly SpawnReport[],
  inherited: SharedContext | undefined,
): RunInput {
  const dependencies = {
    ...dependenciesOf(after),
    own: shared ?? {},
    ...(inherited && { inherited: { values: inherited, handles: {} } }),
  };
  return { ...input, ...inputOfSpawned(dependencies, input, ended, lookUp) };
}

function dependenciesOf({ runs, references, include, onFailure, withinMs }: StartAfter) {
  const member = (one: { readonly run: SpawnId; readonly label: string }) => ({ ...one, group: '' });
  return {
    after: runs.map(member),
    references: new Map(Object.entries(references).map(([key, one]) => [key, member(one)])),
    include,
    onFailure,
    dependencyMs: withinMs,
    own: {},
  };
}
