// The messages of other processes to runs, as cells `<run>/<id>`: the head is their order, the body the message. Beside each
// stands a claim, a cell of the same key, that names the version of its message.
// CLAIM-1. The run claims a message as taken before it uses it, and a sender that takes it back as withdrawn: one of them is
//          put. So a message that was taken back is never recorded, and any other is found again after a crash, until it
//          is recorded and removed.
//          That claim stays when its message is gone: the run may have listed the message before, and claims it later.
// CLAIM-2. A claim counts for the version that it names. It says nothing about a message that is posted later under the same
//          id, and is collected.

import { type Cell, type Cells, firstOfKey, type Space, textIn, textValue } from './cells.ts';
import { MAX_MESSAGE_BYTES, messageText, parseMessage } from './control-message.ts';
import type { RunId } from './event.ts';
import { checkRunId } from './run-names.ts';
import type { ControlQueue } from './store.ts';

const MESSAGES: Space = {
  name: 'control',
  holds: 'lines',
  maxBytes: MAX_MESSAGE_BYTES + 1000,
  tells: true,
  waits: true,
};
const CLAIMS: Space = { name: 'control-claims', holds: 'lines' };

export function controlQueue({
  cells,
  known,
  now,
  warn,
}: {
  readonly cells: Cells;
  /** Throws `run/unknown`. */
  known(run: RunId): Promise<void>;
  now(): number;
  warn(text: string): void;
}): ControlQueue & {
  /** Removes what was said to a run that is gone. */
  forget(run: RunId): Promise<void>;
  /** Removes what was said before this time to runs that are gone, and claims without a message. */
  collect(before: number, isKnown: (run: RunId) => Promise<boolean>): Promise<void>;
} {
  /** The messages of a run, in the order of posting. */
  const messagesOf = async (run: RunId): Promise<readonly Cell[]> =>
    (await cells.list(MESSAGES, `${checkRunId(run)}/`, { with: 'bodies' })).toSorted((one, other) =>
      one.head === other.head ? compare(one.key, other.key) : compare(one.head, other.head),
    );
  const claimsOf = async (run: RunId): Promise<ReadonlyMap<string, Cell>> =>
    new Map((await cells.list(CLAIMS, `${run}/`)).map((claim) => [claim.key, claim]));

  const removeMessage = async (key: string): Promise<void> => {
    await cells.delete(MESSAGES, key);
    await cells.delete(CLAIMS, key);
  };

  return {
    async post(run, message) {
      const text = messageText(checkRunId(run), message);
      await known(run);
      const key = `${run}/${message.id}`;
      const value = textValue(nextOrder(now()), text);
      const put = await cells.putIf(MESSAGES, key, value, 'absent');
      if (put.isPut || put.standing === undefined) return;
      const { version } = put.standing;
      const claim = await cells.get(CLAIMS, key);
      if (claim?.head === claimText('withdrawn', version)) await cells.putIf(MESSAGES, key, value, { version }); // CLAIM-2
    },
    async pending(run) {
      const messages = await messagesOf(run);
      if (messages.length === 0) return [];
      const claims = await claimsOf(run);
      const taken = messages.map(async (cell) => {
        const read = readMessage(cell, run);
        if ('message' in read)
          return (await claimed('taken', cell, claims.get(cell.key), cells)) === 'taken' ? read.message : [];
        const kept = await cells.setAside(MESSAGES, cell.key);
        const where = kept === undefined ? '' : `, and is kept as ${kept}`;
        warn(`A message to run ${run} is not understood: ${read.wrong}. It is not delivered${where}`);
        return [];
      });
      return (await Promise.all(taken)).flat();
    },
    async posted(run) {
      const messages = await messagesOf(run);
      if (messages.length === 0) return [];
      const claims = await claimsOf(run);
      return messages.flatMap((cell) => {
        if (claims.get(cell.key)?.head === claimText('withdrawn', cell.version)) return [];
        const read = readMessage(cell, run);
        return 'message' in read ? read.message : [];
      });
    },
    async withdraw(run, id) {
      const key = `${checkRunId(run)}/${id}`;
      const cell = await cells.get(MESSAGES, key);
      if (cell === undefined) return false;
      if ((await claimed('withdrawn', cell, undefined, cells)) !== 'withdrawn') return false;
      return cells.delete(MESSAGES, key, cell.version);
    },
    async remove(run, ids) {
      await Promise.all(ids.map((id) => removeMessage(`${run}/${id}`)));
    },
    watch: (run, told) => cells.watch(MESSAGES, checkRunId(run), told),

    async forget(run) {
      const left = await cells.list(MESSAGES, `${run}/`, { with: 'keys' });
      await Promise.all(left.map(({ key }) => removeMessage(key)));
    },
    async collect(before, isKnown) {
      const messages = await cells.list(MESSAGES, '', { with: 'keys' });
      const keys = new Set(messages.map(({ key }) => key));
      const gone = new Map<RunId, boolean>();
      for (const { key, putAt, version } of messages) {
        if (putAt >= before) continue;
        const run = firstOfKey(key);
        if (!gone.has(run)) gone.set(run, !(await isKnown(run)));
        if (gone.get(run) === true) await cells.delete(MESSAGES, key, version);
      }
      for (const { key, putAt, version } of await cells.list(CLAIMS, '', { with: 'keys' }))
        if (putAt < before && (!keys.has(key) || gone.get(firstOfKey(key)) === true))
          await cells.delete(CLAIMS, key, version);
    },
  };
}

type Claimed = 'taken' | 'withdrawn';

const claimText = (what: Claimed, version: string): string => `${what} ${version}`;

/** The claim on a message: as we wanted, or as another process did before (CLAIM-1). */
async function claimed(what: Claimed, { key, version }: Cell, known: Cell | undefined, cells: Cells): Promise<Claimed> {
  for (let claim = known; ; ) {
    for (const one of ['taken', 'withdrawn'] as const) if (claim?.head === claimText(one, version)) return one;
    const expected = claim === undefined ? 'absent' : { version: claim.version }; // CLAIM-2
    const put = await cells.putIf(CLAIMS, key, textValue(claimText(what, version)), expected);
    if (put.isPut) return what;
    claim = put.standing;
  }
}

function readMessage(cell: Cell, run: RunId): ReturnType<typeof parseMessage> {
  const parsed = parseMessage(textIn(cell), run);
  return 'wrong' in parsed || cell.key === `${run}/${parsed.message.id}`
    ? parsed
    : { wrong: 'its id is not that under which it lies' };
}

const compare = (one: string, other: string): number => (one < other ? -1 : 1);

let last = { at: 0, count: 0 };

/** Sorts by time, also where the clock is set back and where many are posted at once. */
function nextOrder(now: number): string {
  last = now > last.at ? { at: now, count: 0 } : { at: last.at, count: last.count + 1 };
  return `${String(last.at).padStart(15, '0')}-${String(last.count).padStart(6, '0')}`;
}
