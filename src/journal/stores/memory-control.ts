// The control messages to the runs of a memory store.

import type { ControlMessage } from '../../kernel/control.ts';
import { messageText } from '../control-message.ts';
import type { RunId } from '../event.ts';
import type { ControlQueue } from '../store.ts';
import { checkRunId } from './run-names.ts';

interface Queued {
  readonly message: ControlMessage;
  isTaken: boolean;
}

export interface MemoryControl extends ControlQueue {
  /** Removes the messages to a run that is gone. */
  forget(run: RunId): void;
}

/** `known` throws `run/unknown`. */
export function memoryControl(known: (run: RunId) => unknown): MemoryControl {
  const queues = new Map<RunId, readonly Queued[]>();
  const watchers = new Map<RunId, Set<() => void>>();
  const queueOf = (run: RunId): readonly Queued[] => queues.get(checkRunId(run)) ?? [];
  const put = (run: RunId, queue: readonly Queued[]): void => {
    if (queue.length > 0) queues.set(run, queue);
    else queues.delete(run);
    for (const told of watchers.get(run) ?? []) setImmediate(told).unref();
  };
  return {
    async post(run, message) {
      known(checkRunId(run));
      const posted = JSON.parse(messageText(run, message)) as ControlMessage;
      if (queueOf(run).every((one) => one.message.id !== posted.id))
        put(run, [...queueOf(run), { message: posted, isTaken: false }]);
    },
    async pending(run) {
      for (const one of queueOf(run)) one.isTaken = true;
      return queueOf(run).map(({ message }) => message);
    },
    posted: async (run) => queueOf(run).map(({ message }) => message),
    async withdraw(run, id) {
      const left = queueOf(run).filter(({ message, isTaken }) => isTaken || message.id !== id);
      if (left.length === queueOf(run).length) return false;
      put(run, left);
      return true;
    },
    async remove(run, ids) {
      const left = queueOf(run).filter(({ message }) => !ids.includes(message.id));
      if (left.length < queueOf(run).length) put(run, left);
    },
    watch(run, told) {
      const tells = watchers.get(checkRunId(run)) ?? new Set();
      watchers.set(run, tells.add(told));
      return () => {
        tells.delete(told);
        if (tells.size === 0 && watchers.get(run) === tells) watchers.delete(run);
      };
    },
    forget: (run) => void queues.delete(run),
  };
}
