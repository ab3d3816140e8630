// A queue between what pushes and the one who reads, who waits while it is empty. What is pushed after its end is dropped.

export class PushQueue<Item> {
  readonly #items: Item[] = [];
  #isOver = false;
  #wake = (): void => {};

  push(item: Item): void {
    if (!this.#isOver) this.#items.push(item);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Gives the items in their order, until the end. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) yield item;
      else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
