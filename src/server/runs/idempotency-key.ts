// `Idempotency-Key`: a request with the key of an earlier one gives the same run again, also after a restart.
// KEY-1. The key is tied to the id of the run before the run is begun. A process that dies in between leaves a key
//        whose run is not there: the next request with it begins that run.
// KEY-2. The key is the caller's own, and is good for the same request only.
// KEY-3. Who begins the run goes on in the same turn, and hears its first event. Who asks for it meanwhile waits until it can
//        be read: the store does not know it before.

import { createHash } from 'node:crypto';
import { newRunId } from '../../engine/run-id.ts';
import type { RunId } from '../../journal/event.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import type { Caller } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import type { StartedRun } from '../protocol.ts';
import { storedRun } from './stored-run.ts';

const MOST_KEY = 255;

/** `begin` starts the run with the id that it gets. */
export async function startedOnce(
  {
    key,
    caller,
    asked,
  }: {
    readonly key: string;
    readonly caller: Caller;
    /** The request, as JSON. */
    readonly asked: unknown;
  },
  context: ServerContext,
  begin: (run: RunId) => Promise<StartedRun>,
): Promise<StartedRun> {
  if (key.length > MOST_KEY) fail('request/invalid', `An Idempotency-Key has at most ${MOST_KEY} characters.`);
  const own = JSON.stringify([caller.name, key]); // KEY-2
  const digest = createHash('sha256').update(JSON.stringify(asked)).digest('hex');
  const [run = '', before] = (await context.store.putIfAbsent(own, `${newRunId(context.now())} ${digest}`)).split(' ');
  if (before !== digest) {
    fail('request/key-reused', `This Idempotency-Key was used for another request, which began run ${run}.`);
  }
  const { beginning } = context;
  const atWork = beginning.get(own);
  if (atWork !== undefined) return atWork;
  const started = (async () => (await begun(run, context)) ?? begin(run))(); // KEY-1
  const stored = started.then((one) => storedRun(one.run, context).then(() => one)); // KEY-3
  const forget = (): void => void beginning.delete(own);
  beginning.set(own, stored);
  stored.then(forget, forget);
  return started;
}

async function begun(run: RunId, { store }: ServerContext): Promise<StartedRun | undefined> {
  try {
    const { state, thread } = await store.summary(run);
    return { run, state, ...(thread !== undefined && { thread }) };
  } catch (thrown) {
    if (thrown instanceof FaultError && thrown.fault.code === 'run/unknown') return undefined;
    throw thrown;
  }
}
