// The place of a client's request: the thread that it is part of, the run before it, and the history. Most clients send
// the whole conversation with every request and name no thread. So the run before is found by what they send: the
// request that it was asked, its answer, and what had been said before that.
// PLACE-1. The store alone is enough to find it, so a restart changes nothing. What this process answered itself is
//     kept in memory too, so that it need not look.
// PLACE-2. A client may have more than the answer: what was written before it (WRITE-1). Its message ends with the
//     answer.
// PLACE-3. An id is known to those who were given it, and others may guess it. A caller who goes on by an id must be
//     allowed to see runs. A caller who sends the conversation itself learns nothing new.

import { withHistory } from '../../engine/thread-history.ts';
import {
  fitHistory,
  newestOf,
  newThreadId,
  runsOfThread,
  START,
  type ThreadId,
  type Tip,
  tipAfter,
} from '../../engine/threads/thread.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunSummary } from '../../journal/store.ts';
import type { AgentName, History } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import { isRunOf, maySee, seenStore } from '../runs/seen-store.ts';
import type { ServedAgent } from '../served-cadres.ts';
import type { StoredConversation } from './conversation.ts';
import { type HeadContext, type HeadParts, mayWith } from './head-host.ts';

export interface ThreadRef {
  readonly thread: ThreadId;
  readonly continues?: RunId;
  readonly history: History;
}

/** The thread or run that the client names, if any. */
export interface NamedThread {
  readonly thread?: ThreadId | undefined;
  /** The run whose answer the request follows. */
  readonly after?: RunId | undefined;
}

/** Throws `thread/other-agent`, `run/unknown`, `run/locked` and `request/forbidden`. */
export async function threadPlace(
  served: ServedAgent,
  { history }: StoredConversation,
  { thread, after }: NamedThread,
  parts: HeadParts,
): Promise<ThreadRef> {
  if (after !== undefined) return afterRun(served, after, history, parts);
  if (thread !== undefined) return inThread(served, thread, history, parts);
  const before = history.length === 0 ? undefined : await runBefore(served, history, parts);
  if (before === undefined) return { thread: newThreadId(parts.context.now()), history };
  return { thread: before.thread, continues: before.run, history };
}

async function afterRun(served: ServedAgent, run: RunId, history: History, parts: HeadParts): Promise<ThreadRef> {
  const { context, caller } = parts;
  const found = await seenStore(caller, context).summary(run);
  const { state, thread = newThreadId(context.now()) } = found;
  refuseOther(served, found, `Run ${run}`, context);
  refuseUnseen(served, parts);
  if (state !== 'ended') fail('run/locked', `Run ${run} has not ended, so nothing can follow its answer yet.`);
  return place(thread, await tipAfter(run, context.store), history, context);
}

async function inThread(served: ServedAgent, thread: ThreadId, history: History, parts: HeadParts): Promise<ThreadRef> {
  const { store } = parts.context;
  const runs = await runsOfThread(store, thread);
  const last = runs.at(-1);
  if (last === undefined) return { thread, history };
  if (!maySee(last.summary, parts.caller, parts.context))
    fail('thread/unknown', `There is no thread ${JSON.stringify(thread.slice(0, 80))}.`); // PLACE-3
  refuseOther(served, last.summary, `Thread ${thread}`, parts.context);
  refuseUnseen(served, parts);
  if (history.length > 0) {
    const before = await runBefore(served, history, parts, thread);
    return { thread, ...(before && { continues: before.run }), history };
  }
  const newest = newestOf(runs);
  return place(thread, newest === undefined ? START : await tipAfter(newest.summary.run, store), [], parts.context);
}

/** The conversation that the server knows, with the part that the request adds. */
function place(thread: ThreadId, { continues, history: known }: Tip, added: History, context: HeadContext): ThreadRef {
  const whole = [...known, ...added];
  const history = fitHistory(whole);
  if (history.length < whole.length) {
    const left = whole.length - history.length;
    context.log(`Thread ${thread} is longer than a run can take: its oldest ${left} messages are left out.`);
  }
  return { thread, ...(continues !== undefined && { continues }), history };
}

function refuseOther(served: ServedAgent, of: RunSummary, what: string, context: HeadContext): void {
  if (isRunOf(of, served, context)) return;
  const whose = (context.cadres.ofFolder(of.folder)?.prefix ?? '') + of.agent;
  fail('thread/other-agent', `${what} is a conversation with ${whose}, not with ${served.name}.`);
}

/** PLACE-3. */
function refuseUnseen({ name }: ServedAgent, { caller }: HeadParts): void {
  if (mayWith(caller, 'see', name)) return;
  fail(
    'request/forbidden',
    `This token may not see runs of ${name}, so it cannot go on by the id of a run or a thread.`,
  );
}

/** Runs that are looked at when one is looked for. */
const CANDIDATES = 50;
/** The list shows this much of a request, and is searched without reading a journal up to there. */
const SEARCHED = 200;

async function runBefore(
  served: ServedAgent,
  history: History,
  { context, answered }: HeadParts,
  thread?: ThreadId,
): Promise<{ readonly run: RunId; readonly thread: ThreadId } | undefined> {
  const agent = served.agent.name;
  const known = answered.find(served.name, history);
  if (known !== undefined && (thread === undefined || thread === known.thread)) return known; // PLACE-1
  const said = recorded(agent, history, context);
  const asked = said.at(-2);
  const answer = said.at(-1);
  if (asked?.role !== 'user' || answer?.role !== 'assistant') return undefined;
  const request = context.redact(history.findLast(({ role }) => role === 'user')?.text ?? '');
  const query = { agent, outcome: 'answered', text: request.slice(0, SEARCHED), limit: CANDIDATES } as const;
  for (const summary of await context.store.list({ ...query, ...(thread !== undefined && { thread }) })) {
    const { run, thread: of } = summary;
    if (of === undefined || !isRunOf(summary, served, context)) continue;
    const tip = recorded(agent, (await tipAfter(run, context.store)).history, context);
    if (isSame(tip, said)) return { run, thread: of };
  }
  return undefined;
}

/** The history as a run records it. */
function recorded(agent: AgentName, history: History, { redact }: HeadContext): History {
  if (history.length === 0) return history;
  const { input } = withHistory({ agent, input: { text: '', history } });
  return (input.history ?? []).map(({ role, text, files }) => ({
    role,
    text: redact(text).trim(),
    ...(files && { files }),
  }));
}

function isSame(recorded: History, sent: History): boolean {
  if (recorded.length !== sent.length) return false;
  return recorded.every(({ role, text, files }, index) => {
    const other = sent[index] as History[number];
    if (role !== other.role || digestsOf(files) !== digestsOf(other.files)) return false;
    const isLast = index === recorded.length - 1;
    return isLast ? other.text.endsWith(text) : other.text === text; // PLACE-2
  });
}

const digestsOf = (files: History[number]['files'] = []): string => files.map(({ digest }) => digest).join();
