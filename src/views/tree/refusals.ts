// Answers that were refused: a reply that would have ended its session and did not, because it broke the contract, came
// too early or was one of two. A refusal is not an op: the reason stands in the session's next request or, if there was
// none, in the outcome.

import type { OpEnd, OpStart, RunEvent, StoredMessage } from '../../journal/event.ts';
import type { ModelReply } from '../../kernel/effect.ts';
import type { AssistantMessage } from '../../kernel/message.ts';
import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import { type OpPath, ROOT } from '../../kernel/path.ts';
import { listViolations, type Violation } from '../../kernel/schema.ts';
import { FINAL_REPORT } from '../../kernel/session/final-report.ts';
import type { Lineage } from '../lineage.ts';

export interface Refusal {
  /** The model op whose reply it was. */
  readonly path: OpPath;
  /** What was refused, and why. */
  readonly why: string;
}

/** The calls by which a session ends. A refused one leaves no op behind. */
const EXITS: ReadonlySet<string> = new Set([FINAL_REPORT, 'handoff-to', 'team_broadcast']);

interface Last {
  readonly path: OpPath;
  readonly reply: AssistantMessage;
}

/** Tells each refusal once. `runs` has been given the event already. */
export function refusalFold(tell: (refusal: Refusal) => void, runs: Lineage): { add(event: RunEvent): void } {
  /** The latest reply in each run, or further message to a session, that nothing has followed yet. */
  const replies = new Map<OpPath, Last>();
  const drop = (at: OpPath): Last | undefined => {
    const last = replies.get(at);
    replies.delete(at);
    return last;
  };
  const ask = ({ path, op }: OpStart): void => {
    if (op.kind !== 'model') return;
    const last = drop(runs.above(path)?.path ?? ROOT);
    const why = last && toldTo(last.reply, op.added);
    if (last !== undefined && why !== undefined) tell({ path: last.path, why });
  };
  const reply = ({ path, result }: OpEnd): void => {
    if (result.ok) replies.set(runs.above(path)?.path ?? ROOT, { path, reply: (result.value as ModelReply).message });
  };
  const end = (at: OpPath, outcome: Outcome): void => {
    const last = drop(at);
    if (last === undefined || !isBroken(outcome) || outcome.agent !== runs.at(at)?.agent) return;
    const violations = outcome.fault.details?.['violations'] as readonly Violation[] | undefined;
    if (violations !== undefined) tell({ path: last.path, why: `${FINAL_REPORT}: ${listViolations(violations)}` });
  };
  return {
    add(event) {
      if (event.type === 'op-start') ask(event);
      else if (event.type === 'run-end') end(ROOT, event.outcome);
      else if (event.type === 'op-end' && event.kind === 'model') reply(event);
      else if (event.type === 'op-end' && (event.kind === 'run' || event.kind === 'say') && event.result.ok)
        end(event.path, event.result.value as Outcome);
    },
  };
}

/** Why a reply did not end its session, from what its next request added; undefined if nothing was refused. */
function toldTo({ calls }: AssistantMessage, added: readonly StoredMessage[]): string | undefined {
  if (calls.length === 0) {
    const notice = added.find((message) => message.role === 'user');
    return notice === undefined ? 'a plain reply' : `a plain reply: ${notice.text}`;
  }
  const exits = new Set(calls.filter(({ name }) => EXITS.has(name)).map(({ id }) => id));
  const refused = added.flatMap((message) =>
    message.role === 'tool' && exits.has(message.call) && 'result' in message && message.result.status === 'error'
      ? [`${message.name}: ${message.result.text}`]
      : [],
  );
  return refused.length === 0 ? undefined : refused.join('\n');
}
