// The catalog record of `subagent`. Its tool is made in run/program, because it needs the limits of the cadre.

import { helperName } from '../../kernel/subagent.ts';
import { NO_COST, timesCost } from '../bounds.ts';
import type { Pattern } from '../record.ts';
import { triggersOf } from '../trigger-traits.ts';
import { type SubagentConfig, subagentKey } from './key.ts';
import { SUBAGENT } from './request.ts';

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
  callBound: ({ enabled, maxIterations }, { call }) => (enabled ? timesCost(maxIterations, call) : NO_COST),
};
