// Holds back the report of a session while runs that it spawned are at work: the session gets a notice, once for each
// such run. The session's exits are wrapped for this, and the session itself knows nothing of it.

import { perform, type Routine } from '../../kernel/effect.ts';
import { errorResult, type ToolResult } from '../../kernel/message.ts';
import type { SessionInput } from '../../kernel/session/session-spec.ts';
import type { SessionTool, ToolAnswer } from '../../kernel/session/session-tool.ts';
import { isOver, type SpawnId, type SpawnReport } from '../../kernel/spawned.ts';
import type { Family } from './family.ts';

/** On a session's last turn nothing is held: a report that is refused then would be lost. */
export function holdExits(family: Family, input: SessionInput): (exit: SessionTool) => SessionTool {
  const listed = new Set<SpawnId>();
  return (tool) => {
    if (tool.exits === undefined) return tool;
    return {
      ...tool,
      *run(call, talk): Routine<ToolAnswer> {
        const leaves = tool.exits?.(call) === true && tool.pauses?.(call) !== true && !input.conversation.last;
        const open = leaves ? yield* unfinished(family) : [];
        if (open.every(({ run }) => listed.has(run))) return yield* tool.run(call, talk);
        for (const { run } of open) listed.add(run);
        return held(open);
      },
    };
  };
}

function* unfinished(family: Family): Routine<readonly SpawnReport[]> {
  if (family.atRest) return [];
  const settled = yield* perform<'runs'>({ kind: 'runs', runs: family.members().map(({ run }) => run) });
  if (!settled.ok) return [];
  const open = settled.value.filter(({ state }) => !isOver(state));
  if (open.length === 0) family.atRest = true;
  return open;
}

function held(open: readonly SpawnReport[]): ToolResult {
  const lines = open.map(({ label, run, state }) => `- ${label} (${run}): ${state}`);
  return errorResult(
    `Not taken yet: ${open.length} of the runs you spawned have not ended:\n${lines.join('\n')}\n` +
      'Wait for them with sessions_wait, or end your work again: that cancels them.',
  );
}
