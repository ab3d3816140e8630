// A map that keeps so many of its newest entries. Setting a key makes its entry the newest.

export class NewestMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.keys();
    if (this.size > this.#most && oldest !== undefined) this.delete(oldest);
    return this;
  }
}
