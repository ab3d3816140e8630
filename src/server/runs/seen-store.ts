// The store as a caller sees it. Runs of agents that the caller may not use are not there: they are not found, and they
// are not named as what the caller may have meant.

import { matchRun } from '../../journal/run-names.ts';
import type { RunQuery, RunStore, RunSummary } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { sumsOfList } from '../../views/runs/spending.ts';
import { type Caller, mayUse } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import type { ServedAgent } from '../served-cadres.ts';

type Served = Pick<ServerContext, 'store' | 'cadres'>;

/** True if a caller may know of a run. */
export function maySee({ agent, folder }: RunSummary, caller: Caller, { cadres }: Pick<Served, 'cadres'>): boolean {
  if (caller.agents === undefined) return true;
  const prefix = cadres.ofFolder(folder)?.prefix;
  return prefix !== undefined && mayUse(caller, prefix + agent);
}

/**
 * True if a run is one of this agent. Agents of several cadres may have the same name. A run of a folder that is not
 * served goes by the name alone: the folder may have been moved.
 */
export function isRunOf(
  { agent, folder }: Pick<RunSummary, 'agent' | 'folder'>,
  { agent: of, served }: ServedAgent,
  { cadres }: Pick<Served, 'cadres'>,
): boolean {
  return agent === of.name && (cadres.ofFolder(folder) ?? served).prefix === served.prefix;
}

export function seenStore(caller: Caller, served: Served): RunStore {
  const { store } = served;
  if (caller.agents === undefined) return store;
  const list = async ({ limit = Number.POSITIVE_INFINITY, ...query }: RunQuery = {}) => {
    const all = await store.list(query);
    return all.filter((one) => maySee(one, caller, served)).slice(0, limit);
  };
  return {
    ...store,
    list,
    ...sumsOfList(list),
    async summary(run) {
      const found = await store.summary(run);
      return maySee(found, caller, served) ? found : unknown(run);
    },
    async find(name) {
      const seen = await list();
      return name === 'last'
        ? (seen[0]?.run ?? unknown(name))
        : matchRun(
            name,
            seen.map(({ run }) => run),
          );
    },
  };
}

const unknown = (asked: string): never => fail('run/unknown', `There is no run ${JSON.stringify(asked.slice(0, 80))}.`);
