// The news of a task from now on, as the updates of a stream: the task as it is, the answer as it is written, and the
// state in which it ends or waits for a person.

import type { StreamResponse, Task } from '@a2a-js/sdk';
import { PushQueue } from '../../../base/text/push-queue.ts';
import type { RunHandle } from '../../../engine/contract.ts';
import type { RunEvent, RunId } from '../../../journal/event.ts';
import type { RunStore } from '../../../journal/store.ts';
import { FaultError } from '../../../kernel/fault.ts';
import type { OpPath } from '../../../kernel/path.ts';
import { whileAllowed } from '../../access.ts';
import type { ServedAgent } from '../../served-cadres.ts';
import { answerWriting } from '../answer-writing.ts';
import type { HeadContext } from '../head-host.ts';
import { answerArtifact, metadataOf, TaskFold } from './task.ts';

/** The run of a task, and the question in it that the request answered. */
export interface SentTo {
  readonly handle: RunHandle;
  readonly answered?: OpPath;
  /** Aborted once the client may not read on. */
  readonly lost: AbortSignal;
}

/**
 * Ends when the task is over, when it waits for a person, and when the client stops reading. Rejects where it may not. `shown` is told what the
 * client was sent last.
 */
export async function* taskUpdates(
  { handle, answered, lost }: SentTo,
  { agent, host }: ServedAgent,
  context: HeadContext,
  shown: (fold: TaskFold) => void,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { run } = handle;
  const fold = new TaskFold(run, context, answered);
  const out = new PushQueue<StreamResponse>();
  /** Events that came while the recorded ones were read. */
  let later: RunEvent[] | undefined = [];
  let next = 0;
  let isTold = false;
  const writing = answerWriting(host.definition, agent.name, undefined, (text) => {
    if (isTold) out.push(artifactUpdate(fold.task(), text, true));
  });
  const tell = (): void => {
    const task = fold.task();
    if (!isTold) {
      out.push({ payload: { $case: 'task', value: task } });
      shown(fold);
    }
    isTold = true;
    if (!fold.isOver && fold.waiting().length === 0) return;
    for (const artifact of task.artifacts) out.push(wholeArtifact(task, artifact));
    const { id: taskId, contextId, status } = task;
    const metadata = fold.isOver ? undefined : metadataOf(fold.asks());
    out.push({ payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata } } });
    shown(fold);
    out.end();
  };
  const add = (event: RunEvent): void => {
    if (event.seq < next) return;
    next = event.seq + 1;
    fold.add(event);
    writing.event(event);
  };
  const unwatch = handle.watch({
    event(event) {
      if (later !== undefined) return void later.push(event);
      add(event);
      tell();
    },
    live: (event) => writing.live(event),
  });
  try {
    for await (const event of recordedNow(run, context.store)) add(event);
    for (const event of later) add(event);
    later = undefined;
    if (next > 0) tell();
    yield* whileAllowed(out, lost);
  } finally {
    unwatch();
  }
}

/** A run that was started a moment ago has written nothing. */
async function* recordedNow(run: RunId, store: RunStore): AsyncGenerator<RunEvent> {
  try {
    yield* store.read(run);
  } catch (thrown) {
    if (!(thrown instanceof FaultError) || thrown.fault.code !== 'run/unknown') throw thrown;
  }
}

const artifactUpdate = ({ id, contextId }: Task, text: string, append: boolean): StreamResponse => ({
  payload: {
    $case: 'artifactUpdate',
    value: { taskId: id, contextId, artifact: answerArtifact(text), append, lastChunk: false, metadata: undefined },
  },
});

/** The answer itself, in place of what was sent while it was written. */
const wholeArtifact = ({ id, contextId }: Task, artifact: Task['artifacts'][number]): StreamResponse => ({
  payload: {
    $case: 'artifactUpdate',
    value: { taskId: id, contextId, artifact, append: false, lastChunk: true, metadata: undefined },
  },
});
