// The reminder that a budget is nearly spent. It comes with the reply of the call that the budget paid for, so that it
// is recorded with it: after a crash it is neither lost nor repeated.

import type { ModelReply, SessionRef, SettledResult } from '../kernel/effect.ts';
import type { RunBudget } from '../world/run-budget.ts';

/** The share of a budget at which the session that draws on it gets the reminder. */
const NEARLY_SPENT = 0.8;

/** The reply, with a reminder if one is due. A call that failed leaves it to the next one. */
export function withReminder(
  reply: SettledResult<ModelReply>,
  session: SessionRef,
  runBudget: RunBudget,
): SettledResult<ModelReply> {
  if (!reply.ok) return reply;
  const near = runBudget.nearEnd(NEARLY_SPENT);
  return near === undefined ? reply : { ok: true, value: { ...reply.value, reminder: { to: session, ...near } } };
}
