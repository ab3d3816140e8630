// The messages to the runs of a store in Restate. One object for each run numbers and keeps them until the run has
// recorded them, and signals the invocation that works on it.

import { messageText, type PostedText, takenFrom, understood } from '../../control-message.ts';
import type { RunId } from '../../event.ts';
import { checkRunId } from '../../run-names.ts';
import type { ControlQueue } from '../../store.ts';
import type { Unknown } from '../stored-event.ts';
import type { RestateClient } from './client.ts';
import { headOf } from './events.ts';
import { waitingInputs } from './state.ts';
import { CONTROL } from './wire.ts';

export interface QueueParts {
  readonly client: RestateClient;
  readonly unknown: Unknown;
  /** Whether this process submitted the run, and no worker may have recorded it yet. */
  isSubmitted(run: RunId): boolean;
  warn(text: string): void;
}

/** A process that does not work on the run can only look. */
const LOOK_MS = 250;

export function restateControl({ client, unknown, isSubmitted, warn }: QueueParts): ControlQueue {
  const asked = (run: RunId, handler: string, body = ''): Promise<string> =>
    client.text([CONTROL, checkRunId(run), handler], body, { once: true });
  const remove = async (run: RunId, ids: readonly string[]): Promise<void> => {
    if (ids.length > 0) await asked(run, 'remove', JSON.stringify(ids));
  };
  return {
    async post(run, message) {
      const text = messageText(checkRunId(run), message);
      const isKnown = isSubmitted(run); // before we ask, because a reader may find it recorded meanwhile
      if ((await headOf(client, run)).summary === undefined && !isKnown) await unknown(run);
      const body = JSON.stringify([message.id, text]);
      await client.readOr(
        async (answerMs) => void (await client.text([CONTROL, run, 'post'], body, { once: true, answerMs })),
        async () => void (await client.send([CONTROL, run, 'post'], body)), // its id makes it one message
      );
    },
    pending: async (run) => takenFrom(run, postedIn(await asked(run, 'pending')), { remove, warn }),
    async posted(run) {
      const target = [CONTROL, checkRunId(run), 'posted'] as const;
      const texts = await client.readOr(
        (answerMs) => client.text(target, '', { answerMs }),
        () => postedByQuery(client, run),
      );
      return understood(run, postedIn(texts));
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

const postedIn = (answer: string): readonly PostedText[] => JSON.parse(answer);

/** What is posted while no worker is there waits in Restate as an invocation, after what the object has. */
async function postedByQuery(client: RestateClient, run: RunId): Promise<string> {
  const [kept, waiting] = [await keptMessages(client, run), await waitingMessages(client, run)];
  const known = new Set(kept.map(([id]) => id));
  return JSON.stringify([...kept, ...waiting.filter(([id]) => !known.has(id))]);
}

async function keptMessages(client: RestateClient, run: RunId): Promise<readonly PostedText[]> {
  const rows = await client.query<{ readonly key: string; readonly value_utf8: string }>(
    `select key, value_utf8 from state where service_name = '${CONTROL}' and service_key = '${run}' and key like 'm%'`,
  );
  return rows
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map((row) => JSON.parse(row.value_utf8) as { readonly id: string; readonly text: string })
    .map(({ id, text }) => [id, text]);
}

async function waitingMessages(client: RestateClient, run: RunId): Promise<readonly PostedText[]> {
  const given = await waitingInputs(client, [CONTROL, run, 'post']);
  return given.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as PostedText);
}
