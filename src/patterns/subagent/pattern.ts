// The catalog record of `subagent`.

import { helperName, SUBAGENT } from '../../kernel/subagent.ts';
import { NO_COST, timesCost } from '../bounds.ts';
import type { Pattern } from '../record.ts';
import { triggersOf } from '../trigger-traits.ts';
import { limitsOf, type SubagentConfig, subagentKey } from './key.ts';
import { subagentTool } from './tool.ts';

export const subagentPattern: Pattern<SubagentConfig> = {
  key: 'subagent',
  keySpec: subagentKey,
  layer: 'within',
  triggers: triggersOf('subagent'),
  reserves: [SUBAGENT],
  // The helper is not an agent of the folder, so a search for agents does not find it.
  edges: ({ enabled }, agent) =>
    enabled ? [{ to: helperName(agent), role: 'helper', trigger: 'subagent', isAside: true }] : [],
  describe: ({ enabled }, agent) =>
    enabled
      ? {
          helpers: [
            { name: helperName(agent), description: `A helper with a fresh context, for one task of ${agent}.` },
          ],
        }
      : {},
  hasLongResults: () => true,
  helperSources: ['files'],
  tools: ({ enabled, ...config }, { agent, check, limits }) => [
    subagentTool({ agent, depth: 0, limits: limitsOf(config, limits), enabled, check }),
  ],
  callBound: ({ enabled, maxIterations }, { call }) => (enabled ? timesCost(maxIterations, call) : NO_COST),
};
