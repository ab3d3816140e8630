// The catalog record of `spawn`. engine/program makes its tools, because they need the session's output contract.

import type { SpawnConfig } from '../config.ts';
import { triggersOf } from '../meanings.ts';
import type { Pattern } from '../record.ts';
import { COMPANIONS } from './companions.ts';
import { SHARED_CONTEXT } from './shared-context.ts';
import { SESSIONS_SPAWN } from './spawn-tool.ts';

export const spawnPattern: Pattern<SpawnConfig> = {
  key: 'spawn',
  at: 'within',
  triggers: triggersOf('spawn'),
  reserves: [SHARED_CONTEXT, SESSIONS_SPAWN, ...COMPANIONS],
  configIn: ({ spawn }) => spawn,
  edges: ({ agents }) => agents.map((to) => ({ to, role: 'spawned', trigger: 'spawn', isDashed: true, isAside: true })),
};
