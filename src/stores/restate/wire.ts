// The messages between the store and the workers through Restate: the names of the objects, the cells of a run's state,
// and the text of a batch of events.
//
// The object of a run has these cells:
//   e<seq>  the events of one batch that begins with event <seq>: their version, then one line each
//   n<seq>  the digests that this batch names
//   s       the summary of the run
//   q       the whole text of its input, if the summary has only the beginning
//   at      the invocation that works on it, or the last one that did
//   epoch   raised by a take-over: see lease.ts

import { addDigests } from '../../journal/blobs.ts';
import { EVENT_VERSION, type RunEvent, type RunId } from '../../journal/event.ts';
import { fail } from '../../kernel/fault.ts';
import { emptySummary, INPUT_SHOWN, type SummaryFold, summaryFold, textOfSummary } from '../summary.ts';

export const RUN = 'cadre-run';
/** Small things by key: see cells.ts. */
export const CELLS = 'cadre-cells';
/** The object of live events, and of the runs that somebody watches: see live.ts. */
export const LIVE = 'cadre-live';
export const WATCHED_RUNS = 'cadre-watched';
/** The one object of its kind. */
export const WATCHED_KEY = 'runs';

export const eventsCell = (seq: number): string => `e${String(seq).padStart(9, '0')}`;
export const namesCell = (seq: number): string => `n${String(seq).padStart(9, '0')}`;
export const isEventsCell = (name: string): boolean => /^e\d{9,}$/.test(name);
export const seqOfCell = (name: string): number => Number(name.slice(1));

/** The line before the events of a batch. */
interface BatchHead {
  readonly from: number;
  readonly count: number;
  /** The run has ended with its last event. */
  readonly ended?: true;
  readonly named?: readonly string[];
  readonly asked?: string;
  /** The epoch under which a writer outside claimed the run. */
  readonly epoch?: number;
}

export interface Batch {
  readonly head: BatchHead;
  /** The cell `s` after it. */
  readonly summary: string;
  /** The cell `e`. */
  readonly body: string;
}

export const batchText = ({ head, summary, body }: Batch): string => `${JSON.stringify(head)}\n${summary}\n${body}`;

export function readBatch(text: string): Batch {
  const first = text.indexOf('\n');
  const second = text.indexOf('\n', first + 1);
  const head = JSON.parse(text.slice(0, first)) as BatchHead;
  return { head, summary: text.slice(first + 1, second), body: text.slice(second + 1) };
}

/** Restate refuses messages above 32 MB, and repeats what it refused for ever. */
const MOST_BYTES = 16 * 1_048_576;

/** The way out of a limit of ours. */
export const LESS_OR_ELSEWHERE = 'Send less, or keep the runs in a folder or in Postgres.';
/** The way out of a limit of the server, after how much it was. */
export const SMALLER_MESSAGES =
  'this Restate server is set to smaller messages. Give networking.message-size-limit and ' +
  'worker.invoker.message-size-limit of its configuration their default, 32 MB, or keep the runs in a folder or in Postgres.';

/** Makes batches of events, and keeps the summary of the run that goes with each. */
export class Batcher {
  readonly #run: RunId;
  readonly #fold: SummaryFold;
  readonly #mostBytes: number;

  constructor(run: RunId, recorded: readonly RunEvent[], mostBytes: number = MOST_BYTES) {
    this.#run = run;
    this.#mostBytes = mostBytes;
    this.#fold = summaryFold(emptySummary(run));
    for (const event of recorded) this.#count(event, JSON.stringify(event));
  }

  /** The next place. */
  get next(): number {
    return this.#fold.tally.events;
  }

  /** Throws `journal/write` for an event that is too large, before anything of these is counted. */
  batches(events: readonly RunEvent[]): readonly Batch[] {
    const lines = events.map((event) => JSON.stringify(event));
    const parts: { events: RunEvent[]; lines: string[]; bytes: number }[] = [];
    for (const [index, line] of lines.entries()) {
      const bytes = Buffer.byteLength(line) + 1;
      const event = events[index] as RunEvent;
      if (bytes > this.#mostBytes) this.#refuse(event, bytes);
      const last = parts.at(-1);
      if (last !== undefined && last.bytes + bytes <= this.#mostBytes) {
        last.events.push(event);
        last.lines.push(line);
        last.bytes += bytes;
      } else parts.push({ events: [event], lines: [line], bytes });
    }
    return parts.map((part) => this.#batch(part.events, part.lines));
  }

  #batch(events: readonly RunEvent[], lines: readonly string[]): Batch {
    const from = this.next;
    for (const [index, event] of events.entries()) this.#count(event, lines[index] as string);
    const named = new Set<string>();
    for (const line of lines) addDigests(line, named);
    const [first] = events;
    const asked = first?.type === 'run-start' && first.input.text.length > INPUT_SHOWN ? first.input.text : undefined;
    return {
      head: {
        from,
        count: events.length,
        ...(events.at(-1)?.type === 'run-end' && { ended: true }),
        ...(named.size > 0 && { named: [...named] }),
        ...(asked !== undefined && { asked }),
      },
      summary: textOfSummary(this.#fold.tally),
      body: `${EVENT_VERSION}\n${lines.join('\n')}`,
    };
  }

  #count(event: RunEvent, line: string): void {
    this.#fold.add(event);
    this.#fold.tally.bytes += Buffer.byteLength(line) + 1;
  }

  #refuse({ seq }: RunEvent, bytes: number): never {
    fail(
      'journal/write',
      `Event ${seq} of run ${this.#run} has ${bytes} bytes, and a store in Restate takes at most ${this.#mostBytes}. ${LESS_OR_ELSEWHERE}`,
    );
  }
}
