// The runner in our own process: the helper's routine is driven under its op, so that each of its calls is an op of the
// record, and a crash loses none of them.

import type { Routine } from '../../kernel/effect.ts';
import type { OpPath } from '../../kernel/path.ts';
import type { SubagentResult } from '../../kernel/subagent.ts';
import type { SubagentEffect, SubagentRunner } from '../../world/subagent-runner.ts';

type HelperRoutines = (
  effect: SubagentEffect,
  self: OpPath,
) => Routine<SubagentResult> | Promise<Routine<SubagentResult>>;

export const inProcess = (routineOf: HelperRoutines): SubagentRunner => ({
  run: async (effect, op) => op.drive(await routineOf(effect, op.path)),
});
