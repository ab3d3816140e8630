// The key `spawn`.

import type { AgentName } from '../../kernel/effect.ts';
import type { SpawnLimits } from '../../kernel/spawned.ts';
import { fallbacksOf, type KeySpec, type KeysForm } from '../key-form.ts';

export interface SpawnConfig extends SpawnLimits {
  /** The agents that may be spawned: every agent of the folder if the file names none. */
  readonly agents: readonly AgentName[];
}

const spawnKeys: KeysForm = {
  kind: 'keys',
  keys: {
    maxDepth: {
      form: { kind: 'integer', min: 1, max: 64, cap: 'maxDepth' },
      guidance: 'The number of levels in which spawned runs may spawn.',
      fallback: 3,
    },
    maxChildren: {
      form: { kind: 'integer', min: 1, max: 1000 },
      guidance: 'Children of one session that are not finished.',
      fallback: 5,
    },
    maxTotal: {
      form: { kind: 'integer', min: 1, max: 100_000 },
      guidance: 'Spawned runs in the whole run.',
      fallback: 50,
    },
    maxConcurrent: {
      form: { kind: 'integer', min: 1, max: 1000 },
      guidance: 'Spawned runs that work at the same time.',
      fallback: 8,
    },
    agents: {
      form: { kind: 'agents', role: 'spawned', min: 1, isAside: true },
      guidance: 'The agents that may be spawned. Without it: every agent of the folder.',
    },
  },
};

export const spawnKey: KeySpec<SpawnConfig> = {
  form: { kind: 'by-value', scalar: { kind: 'flag' }, map: spawnKeys },
  guidance: 'Offers sessions_spawn: background runs with dependencies. Also an object of its limits.',
  fallback: false,
  mayBeDefault: true,
  configOf(value, { all }) {
    if (value === false) return undefined;
    const limits = fallbacksOf(spawnKeys) as unknown as SpawnLimits;
    const { agents, ...own } = value === true ? {} : (value as { readonly agents?: readonly AgentName[] });
    return { ...limits, ...own, agents: agents === undefined ? all : [...new Set(agents)] };
  },
};
