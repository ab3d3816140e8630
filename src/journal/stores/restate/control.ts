// The messages to the runs of a store in Restate. One object for each run numbers and keeps them until the run has
// recorded them, and signals the invocation that works on it.

import type { ControlMessage } from '../../../kernel/control.ts';
import { messageText, parseMessage } from '../../control-message.ts';
import type { RunId } from '../../event.ts';
import type { ControlQueue } from '../../store.ts';
import type { Unknown } from '../postgres/events.ts';
import { checkRunId } from '../run-names.ts';
import { isLate, type RestateClient } from './client.ts';
import { headOf } from './events.ts';
import { CONTROL } from './wire.ts';

export interface QueueParts {
  readonly client: RestateClient;
  readonly unknown: Unknown;
  warn(text: string): void;
}

/** A message that is posted while no worker is there waits in Restate: we are sure of it after this time. */
const POST_MS = 5000;
/** A process that does not work on the run can only look. */
const LOOK_MS = 250;

export function restateControl({ client, unknown, warn }: QueueParts): ControlQueue {
  const asked = (run: RunId, handler: string, body = ''): Promise<string> =>
    client.text([CONTROL, checkRunId(run), handler], body, { once: true });
  const remove = async (run: RunId, ids: readonly string[]): Promise<void> => {
    if (ids.length > 0) await asked(run, 'remove', JSON.stringify(ids));
  };
  const messagesOf = async (run: RunId, texts: string): Promise<readonly ControlMessage[]> => {
    const messages: ControlMessage[] = [];
    for (const [id, text] of JSON.parse(texts) as readonly (readonly [string, string])[]) {
      const parsed = parseMessage(text, run);
      if ('message' in parsed) messages.push(parsed.message);
      else {
        warn(`A message to run ${run} was dropped, because ${parsed.wrong}.`);
        await remove(run, [id]);
      }
    }
    return messages;
  };
  return {
    async post(run, message) {
      const text = messageText(checkRunId(run), message);
      if ((await headOf(client, run)).summary === undefined) await unknown(run);
      const body = JSON.stringify([message.id, text]);
      try {
        await client.text([CONTROL, run, 'post'], body, { once: true, answerMs: POST_MS });
      } catch (thrown) {
        if (!isLate(thrown)) throw thrown;
        await client.send([CONTROL, run, 'post'], body); // its id makes it one message
      }
    },
    pending: async (run) => messagesOf(run, await asked(run, 'pending')),
    async posted(run) {
      try {
        return await messagesOf(
          run,
          await client.text([CONTROL, checkRunId(run), 'posted'], '', { answerMs: POST_MS }),
        );
      } catch (thrown) {
        if (!isLate(thrown)) throw thrown;
        return []; // what was posted while no worker is there is seen when one is
      }
    },
    withdraw: async (run, id) => (await asked(run, 'withdraw', id)) === 'withdrawn',
    remove,
    watch(run, told) {
      checkRunId(run);
      let before = '';
      const look = async (): Promise<void> => {
        const now = await client.text([CONTROL, run, 'posted']);
        if (now !== before && now !== '[]') told();
        before = now;
      };
      let isLooking = false;
      const timer = setInterval(() => {
        if (isLooking) return;
        isLooking = true;
        look()
          .catch(() => {}) // the next look tells
          .finally(() => {
            isLooking = false;
          });
      }, LOOK_MS).unref();
      return () => clearInterval(timer);
    },
  };
}
