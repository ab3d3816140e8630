// The catalog record of `spawn`. Its tools belong to one session, so they come with its wrapper.

import type { Pattern } from '../record.ts';
import { triggersOf } from '../trigger-traits.ts';
import { SESSIONS_SPAWN, SIBLING_RUN_TOOLS } from './full-specs.ts';
import { type SpawnConfig, spawnKey } from './key.ts';
import { SHARED_CONTEXT, withSharedContext } from './shared-context.ts';
import { withSpawnTools } from './with-spawn-tools.ts';

export const spawnPattern: Pattern<SpawnConfig> = {
  key: 'spawn',
  keySpec: spawnKey,
  layer: 'within',
  triggers: triggersOf('spawn'),
  reserves: [SHARED_CONTEXT, SESSIONS_SPAWN, ...SIBLING_RUN_TOOLS],
  edges: ({ agents }) => agents.map((to) => ({ to, role: 'spawned', trigger: 'spawn', isDashed: true, isAside: true })),
  // Without a name, a session spawns its own file.
  background: ({ maxTotal, agents }, agent) => ({ most: maxTotal, agents: [agent, ...agents] }),
  hasLongResults: () => true,
  wrapSession: withSpawnTools,
  wrapEvery: ({ reader }) => withSharedContext(reader),
};
