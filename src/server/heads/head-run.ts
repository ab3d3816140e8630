// A run that a client asks for through a head: how it is started, followed to its end, and cancelled when the client
// goes away.
// ASKED-1. A connection that closes cancels the run that it asked for, unless someone else may have asked for the same
//          run: a request with an Idempotency-Key is answered with one run, however often it is sent. A client that may not
//          ask the agent any more counts as gone.
// ASKED-2. A run that this process lets go of, because it ends, is no failed request: the client is told that it goes on.

import type { RunHandle } from '../../engine/contract.ts';
import type { RunEvent, RunId } from '../../journal/event.ts';
import { FaultError } from '../../kernel/fault.ts';
import { isAnswered, type RunOutcome, runOutcome } from '../../kernel/outcome.ts';
import type { OutputContract } from '../../kernel/schema.ts';
import type { Watcher } from '../../run/bus.ts';
import { ledgerLineFold } from '../../views/costs/calls.ts';
import { count, counter, type Totals, totalsOf } from '../../views/costs/totals.ts';
import { unlessLost } from '../access.ts';
import { fileTaker } from '../runs/file-taker.ts';
import type { ServedAgent } from '../served-cadres.ts';
import { answerWriting } from './answer-writing.ts';
import {
  type ClientConversation,
  conversationInput,
  type StoredConversation,
  storedConversation,
} from './conversation.ts';
import { leftRun } from './head-fault.ts';
import { type HeadParts, mayWith } from './head-host.ts';
import { type NamedThread, type ThreadRef, threadPlace } from './thread-ref.ts';

/** The request of a client, in no protocol. */
export interface HeadRequest {
  readonly served: ServedAgent;
  readonly conversation: ClientConversation;
  readonly contract?: OutputContract | undefined;
  readonly named: NamedThread;
}

export interface HeadRun {
  readonly asked: HeadRequest;
  /** The conversation as the run has it. Absent where an earlier request started it. */
  readonly conversation?: StoredConversation;
  readonly run: RunId;
  readonly place: ThreadRef;
  readonly handle: RunHandle;
  readonly startedAt: number;
  /** `shared`: another request may ask for the same run (ASKED-1). */
  readonly asks: 'alone' | 'shared';
  /** `again`: an earlier request started it. */
  readonly begun: 'now' | 'again';
}

/** `given` is the id that the run gets, where others may ask for it too. */
export async function startHeadRun(asked: HeadRequest, parts: HeadParts, given?: RunId): Promise<HeadRun> {
  const { context } = parts;
  const { served, contract, named } = asked;
  const { agent } = served;
  const conversation = await storedConversation(asked.conversation, fileTaker(parts.caller, context.store));
  const place = await threadPlace(served, conversation, named, parts);
  const { thread, continues, history } = place;
  const { run } = await context.runs.start(
    served,
    {
      input: conversationInput(agent, conversation, history),
      ...(contract && { contract }),
      thread,
      ...(continues !== undefined && { continues }),
    },
    given === undefined ? {} : { run: given },
  );
  const asks = given === undefined ? 'alone' : 'shared';
  const handle = context.engine.handle(run);
  return { asked, conversation, run, place, handle, startedAt: context.now(), asks, begun: 'now' };
}

/** The run that an earlier request with the same key started. */
export async function rejoinHeadRun(asked: HeadRequest, run: RunId, { context }: HeadParts): Promise<HeadRun> {
  const { thread = run, startedAt } = await context.store.summary(run);
  const place = { thread, history: [] };
  return { asked, run, place, handle: context.engine.handle(run), startedAt, asks: 'shared', begun: 'again' };
}

/** Follows the run from its first event. Call it in the same turn of the event loop in which the run was started. */
export async function followHeadRun(
  of: HeadRun,
  {
    write,
    gone,
  }: {
    /** Gets the answer as it is written (WRITE-1). */
    readonly write?: ((text: string) => void) | undefined;
    /** Aborted when the client is gone. */
    readonly gone?: AbortSignal | undefined;
  },
  parts: HeadParts,
): Promise<{ readonly outcome: RunOutcome; readonly totals: Totals }> {
  const { asked, run, place, handle } = of;
  const { agent, host } = asked.served;
  const usage = treeUsage();
  const writing = write && answerWriting(host.definition, agent.name, asked.contract, write);
  const watcher: Watcher = {
    event(one) {
      usage.add(one);
      writing?.event(one);
    },
    ...(writing && { live: (one) => writing.live(one) }),
  };
  const lost = parts.access.while((now) => mayWith(now, 'run', asked.served.name));
  const leave = (): void => {
    if (parts.context.runs.closesConnections) return; // ASKED-2
    handle.cancel(lost.aborted ? LOST : 'The client closed the connection.').catch(() => {}); // it has ended
  };
  const forsaken = of.asks === 'alone' ? AbortSignal.any(gone === undefined ? [lost] : [gone, lost]) : undefined; // ASKED-1
  if (forsaken?.aborted === true) leave();
  forsaken?.addEventListener('abort', leave, { once: true });
  try {
    const outcome = await unlessLost(watched(of, watcher, parts), lost);
    if (isAnswered(outcome)) {
      writing?.finish(outcome.text);
      const { history } = place;
      if (of.conversation !== undefined) {
        const { request: text, files } = of.conversation;
        const request = { role: 'user', text, ...(files.length > 0 && { files }) } as const;
        const said = [...history, request, { role: 'assistant', text: outcome.text } as const];
        parts.answered.add(asked.served.name, said, { run, thread: place.thread });
      }
    }
    return { outcome, totals: usage.totals() };
  } catch (thrown) {
    if (thrown instanceof FaultError && thrown.fault.code === 'run/taken-over')
      throw leftRun(run, of.asks === 'shared'); // ASKED-2
    throw thrown;
  } finally {
    forsaken?.removeEventListener('abort', leave);
  }
}

/** The usage of a run so far: every model call of its whole tree, each once. The ledger counts the same lines. */
export function treeUsage() {
  const all = counter();
  const lines = ledgerLineFold((line) => count(all, line));
  return { add: (event: RunEvent): void => lines.add(event), totals: (): Totals => totalsOf(all) };
}

const LOST = 'The client may not ask this agent any more.';

/**
 * A run that an earlier request began, or that another process works on, is read from its journal: no text comes as it
 * is written.
 */
async function watched({ run, handle, begun }: HeadRun, watcher: Watcher, { context }: HeadParts): Promise<RunOutcome> {
  if (begun === 'now' && context.engine.isAtWork(run)) return recordedOutcome(handle, watcher);
  for await (const one of handle.events()) watcher.event?.(one);
  return handle.outcome();
}

/** Settles as soon as the end is recorded. The run gives back what it holds after that, and no client waits for it. */
async function recordedOutcome(handle: RunHandle, watcher: Watcher): Promise<RunOutcome> {
  let unwatch = (): void => {};
  const recorded = new Promise<RunOutcome>((resolve) => {
    unwatch = handle.watch({
      ...watcher,
      event(one) {
        watcher.event?.(one);
        if (one.type === 'run-end') resolve(runOutcome(one.outcome));
      },
    });
  });
  try {
    return await Promise.race([recorded, handle.outcome()]); // a run whose end cannot be recorded has a failure instead
  } finally {
    unwatch();
  }
}
