// A call of an agent by an MCP client: a run, told about while it works, and its answer as the result.
// CALL-1. A call that needs a person is answered with the question, if the client can ask its user. The client calls
//         again with the answer, and the run is the same one. Which run that is comes back with it, signed. The run goes
//         on in between, and anyone else may answer the question too.
// CALL-2. Where the client cannot ask, the call waits, and says which command answers it.

import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../../base/text/json.ts';
import type { RunHandle } from '../../../engine/contract.ts';
import { approvalsOf } from '../../../engine/remote/waiting-approvals.ts';
import type { RunEvent, RunId } from '../../../journal/event.ts';
import { approvalDigest } from '../../../journal/fingerprint.ts';
import type { Verdict } from '../../../kernel/effect.ts';
import { FaultError, fail } from '../../../kernel/fault.ts';
import { isBroken, type RunOutcome, runOutcome } from '../../../kernel/outcome.ts';
import type { OpPath } from '../../../kernel/path.ts';
import { serverQuestionIn } from '../../../kernel/server-question.ts';
import { ApprovalsFold, type WaitingApproval } from '../../../views/approvals.ts';
import { doingNow } from '../../../views/progress/doing-now.ts';
import { progressFold } from '../../../views/progress/progress.ts';
import { unmetWords } from '../../../views/step-words.ts';
import { unlessLost } from '../../access.ts';
import type { ServedAgent } from '../../served-cadres.ts';
import { conversationOf } from '../conversation.ts';
import { brokenRun, leftRun, refusal, safeFault } from '../head-fault.ts';
import { type HeadContext, type HeadParts, mayWith } from '../head-host.ts';
import { startHeadRun, treeUsage } from '../head-run.ts';
import { decidedBy, verdictOf } from '../person-question.ts';
import { askedByCall, outputSchemaOf } from './agent-tool.ts';
import { elicitationFor, elicitedAnswer } from './elicitation.ts';

/** The state that comes back with the answer of a person. */
export interface CallState {
  readonly run: RunId;
  /** The agent that was called. */
  readonly agent: string;
  /** The digests of the questions to the client, by op. Its call answers nothing else. */
  readonly asked: Readonly<Record<OpPath, string>>;
}

interface CallParts extends HeadParts {
  /** Told of a refusal, which the protocol answers as a success of HTTP. */
  refused(code: number, message: string): void;
  /** True if the client can ask its user. */
  readonly canAsk: boolean;
  /** Signs what comes back. */
  sealed(state: CallState): Promise<string>;
  inputRequired(
    questions: Readonly<Record<string, ReturnType<typeof elicitationFor>>>,
    state: string,
  ): InputRequiredResult;
}

export async function callAgent(
  served: ServedAgent,
  given: JsonObject,
  ctx: ServerContext,
  parts: CallParts,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const state = ctx.mcpReq.requestState<CallState>();
    if (state !== undefined && state.agent !== served.name)
      fail('request/invalid', `The answer belongs to a call of ${state.agent}.`);
    const run = state === undefined ? await start(served, given, parts) : state.run;
    const handle = parts.context.engine.handle(run);
    const lost = parts.access.while((now) => mayWith(now, 'run', served.name));
    const closed = AbortSignal.any([goneSignal(ctx), lost]);
    const leave = (): void => {
      if (parts.context.runs.closesConnections) return; // ASKED-2
      handle.cancel('The client cancelled the call.').catch(() => {}); // it has ended
    };
    if (closed.aborted) leave();
    closed.addEventListener('abort', leave, { once: true });
    if (state !== undefined && mayWith(parts.caller, 'approve', served.name))
      await answerQuestions(handle, state, ctx, parts);
    const end = await unlessLost(follow(handle, served, ctx, parts), lost);
    // An earlier client keeps its request open while its user is asked. A later one ends it, and calls again.
    if (end.kind === 'ended' || ctx.mcpReq.envelope !== undefined) closed.removeEventListener('abort', leave);
    if (end.kind === 'ended') return result(end, served, run, parts.context);
    const questions = Object.fromEntries(end.waiting.map((one) => [one.path, elicitationFor(one)]));
    const asked = Object.fromEntries(end.waiting.map((one) => [one.path, approvalDigest(one.prompt, one.about)]));
    return parts.inputRequired(questions, await parts.sealed({ run, agent: served.name, asked })); // CALL-1
  } catch (thrown) {
    if (!(thrown instanceof FaultError)) throw thrown;
    const { status, message } = safeFault(refusal(thrown.fault), parts.context);
    parts.refused(status, message);
    return { content: [{ type: 'text', text: message }], isError: true };
  }
}

/** Aborted when the client cancels the call, and when it closes the connection that waits for the answer. */
function goneSignal({ mcpReq, http }: ServerContext): AbortSignal {
  const connection = http?.req?.signal;
  return connection === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, connection]);
}

async function start(served: ServedAgent, given: JsonObject, parts: CallParts): Promise<RunId> {
  const { request, thread } = askedByCall(served, given);
  const conversation = conversationOf([{ role: 'user', text: request }]);
  return (await startHeadRun({ served, conversation, named: { thread } }, parts)).run;
}

/** A question that someone else answered meanwhile, that has changed or is gone with its run, needs no answer any more. */
async function answerQuestions(
  handle: RunHandle,
  { asked }: CallState,
  { mcpReq }: ServerContext,
  { caller, context }: CallParts,
): Promise<void> {
  const { waiting } = await approvalsOf(handle.run, context.store);
  const forms = new Set(waiting.filter(({ about }) => serverQuestionIn(about) !== undefined).map(({ path }) => path));
  for (const [op, response] of Object.entries(mcpReq.inputResponses ?? {})) {
    if (!Object.hasOwn(asked, op)) continue;
    try {
      await handle.control(verdictOf({ op, seen: asked[op] }, elicitedAnswer(response, forms.has(op)), caller.name));
    } catch (thrown) {
      if (!(thrown instanceof FaultError) || !OVER.has(thrown.fault.code)) throw thrown;
    }
  }
}

const OVER: ReadonlySet<string> = new Set(['approval/decided', 'approval/unknown', 'approval/changed', 'run/finished']);

type Followed =
  | {
      readonly kind: 'ended';
      readonly outcome: RunOutcome;
      readonly usage: JsonObject;
      readonly thread: string | undefined;
      readonly decided: ReadonlyMap<OpPath, Verdict>;
    }
  | { readonly kind: 'asks'; readonly waiting: readonly WaitingApproval[] };

async function follow(handle: RunHandle, served: ServedAgent, ctx: ServerContext, parts: CallParts): Promise<Followed> {
  const mayAsk = parts.canAsk && mayWith(parts.caller, 'approve', served.name);
  const { events: known } = await parts.context.store.summary(handle.run).catch(nothingYet);
  const approvals = new ApprovalsFold();
  const usage = treeUsage();
  const telling = progressTelling(handle.run, ctx, mayAsk);
  let thread: string | undefined;
  try {
    for await (const event of handle.events(0)) {
      approvals.add(event);
      usage.add(event);
      telling.add(event);
      if (event.type === 'run-start') thread = event.thread;
      if (event.type === 'run-end') {
        const { input, output, usd } = usage.totals();
        const { decided } = approvals;
        return { kind: 'ended', outcome: runOutcome(event.outcome), usage: { input, output, usd }, thread, decided };
      }
      if (event.seq < known - 1) continue; // an answer that is recorded already may come
      const waiting = approvals.waiting();
      if (mayAsk && waiting.length > 0) return { kind: 'asks', waiting };
    }
  } finally {
    telling.stop();
  }
  throw leftRun(handle.run, false);
}

/** A run that was started a moment ago has written nothing. */
const nothingYet = (thrown: unknown): { readonly events: number } => {
  if (thrown instanceof FaultError && thrown.fault.code === 'run/unknown') return { events: 0 };
  throw thrown;
};

const BEAT = 10_000;

/** Tells the client what the run is doing, if it wants to know: at every change, and at least each BEAT. */
function progressTelling(
  run: RunId,
  { mcpReq }: ServerContext,
  mayAsk: boolean,
): { add(event: RunEvent): void; stop(): void } {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return { add() {}, stop() {} };
  const progress = progressFold();
  let told = '';
  let count = 0;
  const tell = (message: string): void => {
    const params = { progressToken: token, progress: ++count, message };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}); // a client that is gone wants none
  };
  const beats = setInterval(() => tell(told), BEAT);
  return {
    stop: () => clearInterval(beats),
    add(event) {
      progress.add(event);
      const { sessions } = progress.now();
      const busiest = sessions.findLast(({ activity }) => activity.kind !== 'done' && activity.kind !== 'failed');
      if (busiest === undefined) return;
      const isWaiting = busiest.activity.kind === 'waiting' && busiest.activity.for === 'person' && !mayAsk;
      const way = isWaiting ? ` (cadre approve ${run})` : ''; // CALL-2
      const message = `${busiest.agent}: ${doingNow(busiest)}${way}`;
      if (message !== told) tell((told = message));
    },
  };
}

function result(
  { outcome, usage, thread, decided }: Extract<Followed, { kind: 'ended' }>,
  served: ServedAgent,
  run: RunId,
  context: HeadContext,
): CallToolResult {
  const _meta = {
    'cadre/run': run,
    ...(thread !== undefined && { 'cadre/thread': thread }),
    'cadre/usage': usage,
    ...(decided.size > 0 && { 'cadre/decided': decidedBy(decided) }),
  };
  if (isBroken(outcome)) {
    const { message, partial } = safeFault(brokenRun(run, outcome), context);
    const written = partial === undefined ? '' : `\n\nIt had written:\n\n${partial}`;
    return { content: [{ type: 'text', text: message + written }], isError: true, _meta };
  }
  const unmet = unmetWords(outcome);
  const way = { type: 'text' as const, text: `thread: ${thread}`, annotations: { audience: ['assistant' as const] } };
  const isObject = typeof outcome.data === 'object' && outcome.data !== null && !Array.isArray(outcome.data);
  const structured = isObject && outputSchemaOf(served) !== undefined;
  return {
    content: [
      { type: 'text', text: outcome.text },
      ...(unmet === undefined ? [] : [{ type: 'text' as const, text: unmet }]),
      ...(thread === undefined ? [] : [way]),
    ],
    ...(structured && { structuredContent: outcome.data as Record<string, unknown> }),
    _meta,
  };
}
