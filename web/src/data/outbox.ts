// Messages on their way to the server. One that could not be sent stays, and goes once the connection is back: with the
// same key, so that it begins one run, even if the first try arrived and only its answer was lost.

import { effect, signal } from '@preact/signals';
import type { Problem } from '../../../src/client/problem.ts';
import type { StartedRun, StartRun } from '../../../src/server/protocol.ts';
import { postOnce, problemOf } from './api.ts';
import { type ChosenFile, filesToSend } from './chosen-files.ts';
import { link } from './connection.ts';

export interface OutgoingMessage {
  readonly key: string;
  readonly request: StartRun;
  /** The files of the request, as they were chosen. */
  readonly files: readonly ChosenFile[];
  /** The receiver, as screens know it: a thread, or a place where one begins. */
  readonly place: string;
  readonly state: 'sending' | 'waiting' | { readonly refused: Problem } | { readonly began: string };
}

export interface Arrival {
  readonly key: string;
  readonly started: StartedRun;
}

export const outbox = signal<readonly OutgoingMessage[]>([]);

const arrivals = new Map<string, (arrival: Arrival) => void>();

const put = (key: string, state: OutgoingMessage['state']): void => {
  outbox.value = outbox.value.map((one) => (one.key === key ? { ...one, state } : one));
};

/** Takes a message out: it is wanted no more, or its run is shown. */
export function withdraw(key: string): void {
  arrivals.delete(key);
  outbox.value = outbox.value.filter((one) => one.key !== key);
}

/** It stays here, with the run that it began, until it is taken out. */
export function send(
  place: string,
  asked: Omit<StartRun, 'files'>,
  files: readonly ChosenFile[],
  arrived: (arrival: Arrival) => void,
): void {
  const key = newKey();
  const request = { ...asked, ...filesToSend(files) };
  outbox.value = [...outbox.value, { key, request, files, place, state: 'sending' }];
  arrivals.set(key, arrived);
  void deliver(key);
}

async function deliver(key: string): Promise<void> {
  const message = outbox.value.find((one) => one.key === key);
  if (message === undefined) return;
  put(key, 'sending');
  try {
    const started = await postOnce<StartedRun>('/api/runs', message.request, key);
    const arrived = arrivals.get(key);
    put(key, { began: started.run });
    arrived?.({ key, started });
  } catch (thrown) {
    const problem = problemOf(thrown);
    put(key, problem.status === 0 ? 'waiting' : { refused: problem });
  }
}

/** The page may not be served over TLS, and then has no `randomUUID`. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export const startOutbox = (): void => {
  effect(() => {
    if (link.value.state !== 'live') return;
    for (const { key, state } of outbox.peek()) if (state === 'waiting') void deliver(key);
  });
};
