// A session that may spawn: it has sessions_spawn and its companions, its exits are held while runs of its own are at
// work, and no run of its own outlives it. A participant that waits for its team's next cycle has not ended.

import { perform } from '../../kernel/effect.ts';
import { isPause } from '../../kernel/outcome.ts';
import { finalReport } from '../../kernel/session/final-report.ts';
import type { PatternContext, Wrap } from '../pattern.ts';
import { Family } from './family.ts';
import { holdExits } from './hold-exits.ts';
import type { SpawnConfig } from './key.ts';
import { siblingRuns } from './sibling-runs.ts';
import { spawnTool } from './spawn-tool.ts';

export function withSpawnTools(config: SpawnConfig, context: PatternContext): Wrap {
  // One session may be continued: it still knows the runs it spawned before.
  const family = new Family();
  return (inner) =>
    function* (input) {
      const { self, trigger, request } = input;
      const { shared, sharedHandles = {} } = request;
      const spawner = {
        context,
        family,
        ...(shared && { shared: { values: shared, handles: sharedHandles } }),
        ...(trigger.spawned !== undefined && { run: trigger.spawned }),
      };
      const hold = holdExits(family, input);
      const exits = input.exits ?? [finalReport(context.agent, input.contract ?? context.output, context.check)];
      const tools = [
        ...(input.tools ?? []).map(hold),
        spawnTool(config, spawner, self),
        ...siblingRuns({ agent: context.agent, session: self, family }, context.rules.keepsTools),
      ];
      const outcome = yield* inner({ ...input, tools, exits: exits.map(hold) });
      if (!isPause(outcome) || input.conversation.last) yield* endAll(family);
      return outcome;
    };
}

function* endAll(family: Family) {
  if (family.atRest) return;
  const runs = family.members().map(({ run }) => run);
  yield* perform<'cancel-runs'>({ kind: 'cancel-runs', runs, reason: 'The session that spawned it has ended.' });
  family.atRest = true;
}
