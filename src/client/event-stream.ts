// One connection for server-sent events, until it breaks. Who reads makes the next one, from the last id.

import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Nothing for so long means that the connection is dead, though nobody said so: heartbeats come every 5 seconds. */
const SILENCE_MS = 20_000;

/** The seconds before the next connection, by the number of those that failed in a row. */
const BACK_OFF = [1, 2, 4, 8, 15] as const;

export const backOffMs = (failures: number): number => 1000 * (BACK_OFF[failures] ?? 15);

/** Yields nothing at first, when it is made, then what arrived together. Ends where there is no more to come, and throws where it breaks. */
export async function* eventStream(
  open: (signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal,
): AsyncGenerator<readonly EventSourceMessage[], void> {
  const attempt = new AbortController();
  const stop = (): void => attempt.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  const fallSilent = (): void => attempt.abort(new Error('The server has fallen silent.'));
  let alarm = setTimeout(fallSilent, SILENCE_MS);
  try {
    const response = await open(attempt.signal);
    yield [];
    if (response.status === 204) return;
    let messages: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (message) => messages.push(message) });
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      clearTimeout(alarm);
      alarm = setTimeout(fallSilent, SILENCE_MS);
      parser.feed(decoder.decode(part.value, { stream: true }));
      if (messages.length > 0) yield messages;
      messages = [];
    }
    throw new Error('The connection broke.');
  } finally {
    clearTimeout(alarm);
    signal.removeEventListener('abort', stop);
    attempt.abort();
  }
}
