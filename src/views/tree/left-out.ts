// Calls of a session's last reply in a journal of 0.2.0, which holds no result of them: those for which nothing was done
// although their tool does something at every call.

import type { ToolCall } from '../../kernel/message.ts';
import { listViolations, type Violation } from '../../kernel/schema.ts';
import { FINAL_REPORT } from '../../kernel/session/final-report.ts';
import { malformedArguments, unknownTool } from '../../kernel/session/notices.ts';
import { isExitCall, type OpenReply } from './open-reply.ts';

const NOT_RECORDED = 'Not made. The session ended with this reply, and the reason is not recorded.';

/** Companions of sessions_spawn may answer from the state, and shared_context reads. Nobody knows whether they did. */
const MAY_DO_NOTHING = /^(sessions_(?!spawn$)\w+|shared_context)$/;

/** `violations`: what was wrong with the report, if the session ended because of that. */
export function leftOut(
  open: OpenReply,
  violations: readonly Violation[] | undefined,
): readonly { readonly index: number; readonly call: ToolCall; readonly why: string }[] {
  if (open.calls.length === 0) return []; // most sessions end so, and a store counts each of them as it is written
  return open.calls.flatMap((call, index) => {
    if (open.isDone(index)) return [];
    if (isExitCall(call))
      return violations !== undefined && call.name === FINAL_REPORT
        ? [{ index, call, why: listViolations(violations) }]
        : [];
    const why = reasonOf(call, open);
    return why === undefined ? [] : [{ index, call, why }];
  });
}

function reasonOf(call: ToolCall, { offered }: OpenReply): string | undefined {
  if (offered.length > 0 && !offered.includes(call.name)) return unknownTool(call.name, offered);
  if (call.malformed !== undefined) return malformedArguments(call.name, call.malformed);
  return MAY_DO_NOTHING.test(call.name) || !KNOWN.test(call.name) ? undefined : NOT_RECORDED;
}

const KNOWN = /^(agent__.+|sessions_spawn|subagent)$/;
