// The catalog record of `subagent`. Its tool is made in engine/program, because it needs the limits of the cadre.

import { helperName } from '../../kernel/subagent.ts';
import { triggersOf } from '../meanings.ts';
import type { Pattern } from '../record.ts';
import { SUBAGENT } from './request.ts';

export const subagentPattern: Pattern<{ readonly enabled: boolean }> = {
  key: 'subagent',
  at: 'within',
  triggers: triggersOf('subagent'),
  reserves: [SUBAGENT],
  configIn: ({ subagent }) => subagent,
  // The helper is not an agent of the folder, so a search for agents does not find it.
  edges: ({ enabled }, agent) =>
    enabled ? [{ to: helperName(agent), role: 'helper', trigger: 'subagent', isAside: true }] : [],
};
