// Choices that depend on nothing but a text: the same text gives the same choices in any process.

import { createHash } from 'node:crypto';

export class Dice {
  readonly #bytes: Buffer;
  #next = 0;

  constructor(text: string) {
    this.#bytes = createHash('sha256').update(text).digest();
  }

  /** A number from 0 to `below` - 1. */
  roll(below: number): number {
    const at = (this.#next++ * 2) % 30;
    return this.#bytes.readUInt16LE(at) % below;
  }

  isWithin(percent: number): boolean {
    return this.roll(100) < percent;
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items.length === 0 ? undefined : items[this.roll(items.length)];
  }
}
