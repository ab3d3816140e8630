// Streams for the AI SDK in place of Node's web streams, with the part of their interface that the SDK uses. Node's take
// several promises and objects for each part at each of six stages; these take one promise (decision 41). The build and the tests put
// them into the SDK's packages: see scripts/build/part-streams.mjs.
// PARTS-1. Everything is pulled: a stage asks the one before it when it is asked itself, and holds no more than one part
//          made. So nobody who reads slowly makes anything grow.
// PARTS-2. A failure of a stage reaches its reader once what came before it was read, and cancels the stages before it.

export interface PartController<Part> {
  enqueue(part: Part): void;
  close(): void;
  error(why: unknown): void;
}

export interface PartSource<Part> {
  start?(controller: PartController<Part>): unknown;
  pull?(controller: PartController<Part>): unknown;
  cancel?(why: unknown): unknown;
}

type Step<Part> = { readonly done: false; readonly value: Part } | { readonly done: true; readonly value: undefined };

export interface PartReader<Part> {
  read(): Promise<Step<Part>>;
  cancel(why?: unknown): Promise<void>;
  releaseLock(): void;
}

const OVER = { done: true, value: undefined } as const;

/** A ReadableStream. */
export class PartStream<Part> {
  readonly #source: PartSource<Part>;
  readonly #parts: Part[] = [];
  readonly #controller: PartController<Part>;
  #state: 'open' | 'closed' | 'failed' = 'open';
  #failure: unknown;
  #isLocked = false;
  /** The read that is under way. */
  #reading: Promise<Step<Part>> | undefined;
  #wake: (() => void) | undefined;

  constructor(source: PartSource<Part> = {}) {
    this.#source = source;
    this.#controller = {
      enqueue: (part) => {
        if (this.#state !== 'open') throw new TypeError('The stream is closed.');
        this.#parts.push(part);
        this.#wake?.();
      },
      close: () => this.#end('closed'),
      error: (why) => this.#end('failed', why),
    };
    const begun = source.start?.(this.#controller);
    if (begun instanceof Promise) begun.catch((thrown: unknown) => this.#end('failed', thrown));
  }

  get locked(): boolean {
    return this.#isLocked;
  }

  getReader(): PartReader<Part> {
    if (this.#isLocked) throw new TypeError('The stream has a reader already.');
    this.#isLocked = true;
    return {
      read: () => this.#read(),
      cancel: (why) => this.#cancel(why),
      releaseLock: () => {
        this.#isLocked = false;
      },
    };
  }

  async cancel(why?: unknown): Promise<void> {
    if (this.#isLocked) throw new TypeError('The stream has a reader, who alone can cancel it.');
    return this.#cancel(why);
  }

  /** A transformation of Node's own gets a stream of Node's own. */
  pipeThrough<Other>(stage: PartTransform<Part, Other>): PartStream<Other>;
  pipeThrough<Other>(stage: TransformStream<Part, Other>): ReadableStream<Other>;
  pipeThrough<Other>(
    stage: PartTransform<Part, Other> | TransformStream<Part, Other>,
  ): PartStream<Other> | ReadableStream<Other> {
    const reader = this.getReader();
    if (!(stage instanceof PartTransform)) return nativeOf(reader).pipeThrough(stage);
    stage.readFrom(reader);
    return stage.readable;
  }

  /** Both get every part. What one has read and the other has not is kept. */
  tee(): [PartStream<Part>, PartStream<Part>] {
    const reader = this.getReader();
    const open = new Set<PartController<Part>>();
    let reading: Promise<void> | undefined;
    const next = async (): Promise<void> => {
      try {
        const { done, value } = await reader.read();
        for (const one of open) {
          if (done) one.close();
          else one.enqueue(value);
        }
      } catch (thrown) {
        for (const one of open) one.error(thrown);
      } finally {
        reading = undefined;
      }
    };
    const branch = (): PartStream<Part> => {
      let mine: PartController<Part> | undefined;
      return new PartStream<Part>({
        start(controller) {
          mine = controller;
          open.add(controller);
        },
        pull: () => (reading ??= next()),
        async cancel(why) {
          if (mine !== undefined) open.delete(mine);
          if (open.size === 0) await reader.cancel(why);
        },
      });
    };
    return [branch(), branch()];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Part> {
    const reader = this.getReader();
    try {
      for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
    } finally {
      await reader.cancel();
    }
  }

  /** Reads that are asked for at once follow each other. */
  #read(): Promise<Step<Part>> {
    const before = this.#reading;
    const reading = before === undefined ? this.#next() : before.then(() => this.#next());
    this.#reading = reading;
    const over = (): void => {
      if (this.#reading === reading) this.#reading = undefined;
    };
    reading.then(over, over);
    return reading;
  }

  async #next(): Promise<Step<Part>> {
    for (;;) {
      if (this.#parts.length > 0) return { done: false, value: this.#parts.shift() as Part };
      if (this.#state === 'closed') return OVER;
      if (this.#state === 'failed') throw this.#failure;
      try {
        await this.#source.pull?.(this.#controller); // PARTS-1
      } catch (thrown) {
        this.#end('failed', thrown); // PARTS-2
      }
      if (this.#parts.length === 0 && this.#state === 'open' && this.#source.pull === undefined) await this.#change();
    }
  }

  /** Settles when a part has come, or the end. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }

  #end(state: 'closed' | 'failed', why?: unknown): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    this.#failure = why;
    this.#wake?.();
  }

  async #cancel(why: unknown): Promise<void> {
    if (this.#state === 'failed') throw this.#failure;
    if (this.#state === 'closed') return;
    this.#end('closed');
    this.#parts.length = 0;
    await this.#source.cancel?.(why);
  }
}

function nativeOf<Part>({ read, cancel }: PartReader<Part>): ReadableStream<Part> {
  return new ReadableStream<Part>({
    async pull(controller) {
      const { done, value } = await read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel,
  });
}

export interface PartTransformer<From, To> {
  start?(controller: PartController<To>): unknown;
  transform?(part: From, controller: PartController<To>): unknown;
  flush?(controller: PartController<To>): unknown;
}

/** A TransformStream, which only `pipeThrough` of a PartStream writes to. */
export class PartTransform<From, To> {
  readonly readable: PartStream<To>;
  #before: PartReader<From> | undefined;

  constructor(transformer: PartTransformer<From, To> = {}) {
    this.readable = new PartStream<To>({
      start: (controller) => transformer.start?.(controller),
      pull: (controller) => this.#pull(transformer, controller),
      cancel: (why) => this.#before?.cancel(why),
    });
  }

  readFrom(before: PartReader<From>): void {
    this.#before = before;
  }

  async #pull(transformer: PartTransformer<From, To>, controller: PartController<To>): Promise<void> {
    const before = this.#before;
    if (before === undefined) throw new TypeError('Nothing is piped through this stage.');
    const { done, value } = await before.read();
    if (done) {
      await transformer.flush?.(controller);
      controller.close();
      return;
    }
    try {
      if (transformer.transform === undefined) controller.enqueue(value as unknown as To);
      else await transformer.transform(value, controller);
    } catch (thrown) {
      before.cancel(thrown).catch(() => {}); // PARTS-2: the reader gets what was thrown
      throw thrown;
    }
  }
}

/** A TextDecoderStream for UTF-8. */
export class PartDecoder extends PartTransform<Uint8Array, string> {
  constructor() {
    const decoder = new TextDecoder();
    const tell = (text: string, controller: PartController<string>): void => {
      if (text !== '') controller.enqueue(text);
    };
    super({
      transform: (part, controller) => tell(decoder.decode(part, { stream: true }), controller),
      flush: (controller) => tell(decoder.decode(), controller),
    });
  }
}
