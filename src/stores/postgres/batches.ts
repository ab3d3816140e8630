// Joins what many runs ask of the database at the same moment into one statement: each costs a way there and back, and a
// commit. Nobody waits for others to come: the first goes at once, what is asked within one turn of the event loop while it is
// under way goes together, and what is asked while enough statements are under way goes with the next one.
// BATCH-1. What fails for one of them does not fail for the others: if a joined statement is refused, each is sent alone.

import { isRefused } from './database.ts';

interface BatchOptions<Item, Result> {
  /** The number of statements that may be under way at the same time. */
  readonly atOnce: number;
  /** The largest size of one statement, as sizes are counted. A larger item goes alone. */
  readonly most: number;
  sizeOf(item: Item): number;
  /** The results, in the order of the items. */
  send(items: readonly Item[]): Promise<readonly Result[]>;
}

interface BatchedItem<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(thrown: unknown): void;
}

export class Batches<Item, Result> {
  readonly #options: BatchOptions<Item, Result>;
  #waiting: BatchedItem<Item, Result>[] = [];
  #underWay = 0;
  #isDue = false;

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#isDue) return;
      this.#isDue = true;
      const send = (): void => this.#sendDue();
      if (this.#underWay === 0) process.nextTick(send);
      else setImmediate(send);
    });
  }

  #sendDue(): void {
    this.#isDue = false;
    while (this.#waiting.length > 0 && this.#underWay < this.#options.atOnce) {
      this.#underWay++;
      void this.#sendTogether(this.#next()).finally(() => {
        this.#underWay--;
        this.#sendDue();
      });
    }
  }

  /** The oldest, as many as fit into one statement. */
  #next(): readonly BatchedItem<Item, Result>[] {
    const { most, sizeOf } = this.#options;
    let size = 0;
    const end = this.#waiting.findIndex(({ item }, index) => {
      size += sizeOf(item);
      return index > 0 && size > most;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  /** Never rejects: those who wait get what failed. */
  async #sendTogether(batch: readonly BatchedItem<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.send(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (thrown) {
      if (batch.length === 1 || !isRefused(thrown)) for (const { reject } of batch) reject(thrown);
      else for (const one of batch) await this.#sendTogether([one]); // BATCH-1
    }
  }
}
