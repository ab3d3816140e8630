// Requests to a Restate server. Callers give requests that may be repeated: what changes something carries a key by which
// the server knows it again.
// RS-1. A server that was never reached is an error at once. One that was reached before is waited for. readiness.ts says
//       which of its answers are not final.
// RS-2. What a handler does needs a worker. A request that no worker answers in time ends with an error that says so.
// RS-3. All processes of a store go by the clock of the server, as far as it can be told from the dates of its answers:
//       deadlines hold whichever machine works on a run.

import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { shownWord } from '../../base/text/shell-words.ts';
import { FaultError, fail, fault } from '../../kernel/fault.ts';
import type { RestateAddress } from './address.ts';
import { AGAIN_MS, pauseAfter, type Readiness, readinessOf, SETTLED_MS, UNREGISTERED_MS } from './readiness.ts';
import { SMALLER_MESSAGES } from './wire.ts';

interface RequestOptions {
  /** It changes something: a repeated request has no second effect. */
  readonly once?: true;
  readonly answerMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Nobody needs the answer: an outage is not waited out, and not told. */
  readonly mayFail?: true | undefined;
  /** The service whose handler is called, if it is a call. */
  readonly service?: string;
}

const TOO_LARGE = 413;
const WAIT_MS = 60_000;
const ANSWER_MS = 30_000;
/** Dates have whole seconds, so a smaller difference says nothing. */
const SAME_CLOCK_MS = 2000;

interface NotYet {
  readonly readiness: Exclude<Readiness, 'ready'>;
  readonly why: string;
}

/** The whole of an answer: a server may die between its head and its end. */
interface RestateReply {
  readonly ok: boolean;
  readonly status: number;
  readonly bytes: Uint8Array;
}

export const replyText = ({ bytes }: RestateReply): string => new TextDecoder().decode(bytes);

/** An object, its key, and a handler of it. */
export type HandlerTarget = readonly [service: string, key: string, handler: string];

export class RestateClient {
  readonly shown: string;
  readonly #address: RestateAddress;
  readonly #options;
  #isReached = false;
  #isAwayTold = false;
  /** A handler has answered: workers have registered. */
  #isServed = false;
  /** The time at which the server last was not ready. */
  #unreadyAt = Number.NEGATIVE_INFINITY;
  #aheadMs = 0;
  /** The time until which no worker is expected to answer. */
  #withoutWorkerUntil = 0;
  readonly #closed = new AbortController();

  constructor(
    address: RestateAddress,
    options: {
      /** The time for which an outage is waited out. */
      readonly waitMs?: number;
      /** The time that a worker gets to answer. */
      readonly answerMs?: number;
      warn(text: string): void;
    },
  ) {
    this.shown = address.shown;
    this.#address = address;
    this.#options = options;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Reaches the server, and takes its clock. Called now and then, because clocks drift and are set. */
  async reach(): Promise<void> {
    const answer = await this.admin('/health', { method: 'GET' });
    if (!answer.ok) fail('store/unreachable', `The admin API of ${this.shown} answered ${answer.status}.`);
  }

  close(): void {
    this.#closed.abort();
  }

  /** Calls a handler of an object. Throws `store/unreachable`, also if no worker answers. */
  async call(
    [service, key, handler]: HandlerTarget,
    body: string | Uint8Array = '',
    { once, answerMs = this.#options.answerMs ?? ANSWER_MS, signal, mayFail }: RequestOptions = {},
  ): Promise<RestateReply> {
    const url = `${this.#address.ingress}/${service}/${encodeURIComponent(key)}/${handler}`;
    const headers = {
      'content-type': typeof body === 'string' ? 'text/plain' : 'application/octet-stream',
      ...(once && { 'idempotency-key': randomUUID() }),
    };
    const reply = await this.#persist(url, { method: 'POST', body, headers }, { answerMs, signal, service, mayFail });
    if (reply.status === TOO_LARGE)
      fail('journal/write', `A message of ${Buffer.byteLength(body)} bytes is too large: ${SMALLER_MESSAGES}`);
    if (!reply.ok) return this.#refused(reply);
    this.#isServed = true;
    return reply;
  }

  async text(target: HandlerTarget, body?: string | Uint8Array, options?: RequestOptions): Promise<string> {
    return replyText(await this.call(target, body, options));
  }

  /**
   * Returns the answer of a handler; if no worker answers soon, the result of a query. After that, for a while, the
   * query is asked at once.
   */
  async readOr<Value>(work: (answerMs: number) => Promise<Value>, otherwise: () => Promise<Value>): Promise<Value> {
    if (Date.now() < this.#withoutWorkerUntil) return otherwise();
    try {
      return await work(SOON_MS);
    } catch (thrown) {
      if (!isLate(thrown)) throw thrown;
      this.#withoutWorkerUntil = Date.now() + WITHOUT_WORKER_MS;
      return otherwise();
    }
  }

  /** Leaves a request to the server, and returns the id of the invocation that will do it. */
  async send([service, key, handler]: HandlerTarget, body = ''): Promise<string> {
    const sent = await this.call([service, key, `${handler}/send`], body, { once: true });
    return (JSON.parse(replyText(sent)) as { readonly invocationId: string }).invocationId;
  }

  /** Waits for the answer of an invocation; undefined if it fails, or is not known, or the signal is aborted first. */
  async attached(invocation: string, signal: AbortSignal): Promise<string | undefined> {
    const url = `${this.#address.ingress}/restate/invocation/${encodeURIComponent(invocation)}/attach`;
    while (!signal.aborted) {
      try {
        const reply = await this.#persist(url, {}, { answerMs: ATTACHED_MS, signal });
        return reply.ok ? replyText(reply) : undefined;
      } catch (thrown) {
        if (!isLate(thrown)) throw thrown;
      }
    }
    return undefined;
  }

  /** Rows of a query on what the server knows. It needs no worker. */
  async query<Row>(query: string): Promise<readonly Row[]> {
    for (;;) {
      const rows = await this.#queryOnce<Row>(query);
      const unsettledMs = this.#unreadyAt + SETTLED_MS - Date.now();
      if (unsettledMs <= 0) return rows; // READY-3
      await setTimeout(unsettledMs);
    }
  }

  /** The same, for what must be there: if it is not found it is looked for again. Empty if it is not there after all. */
  async queryAgain<Row>(query: string): Promise<readonly Row[]> {
    for (let attempt = 0; ; attempt++) {
      const rows = await this.query<Row>(query);
      const pause = AGAIN_MS[attempt];
      if (rows.length > 0 || pause === undefined) return rows;
      await setTimeout(pause);
    }
  }

  async #queryOnce<Row>(query: string): Promise<readonly Row[]> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const reply = await this.#persist(`${this.#address.admin}/query`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    if (!reply.ok) return this.#refused(reply);
    return (JSON.parse(replyText(reply)) as { readonly rows: readonly Row[] }).rows;
  }

  /** A request to the admin API. The caller looks at the status. */
  admin(path: string, init: { readonly method: string; readonly body?: string }): Promise<RestateReply> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    return this.#persist(`${this.#address.admin}${path}`, { ...init, headers });
  }

  #refused(reply: RestateReply): never {
    const said = replyText(reply).slice(0, 500);
    return fail('store/unreachable', `The store ${this.shown} refused a request (${reply.status}): ${said}`);
  }

  /** RS-1 */
  async #persist(url: string, init: RequestInit, asked: RequestOptions = {}): Promise<RestateReply> {
    const since = Date.now();
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#ask(url, init, asked);
      if ('reply' in answer) {
        this.#isAwayTold = false;
        return answer.reply;
      }
      this.#unreadyAt = Date.now();
      if (asked.mayFail || !(await this.#isWorthWaiting(answer, Date.now() - since, asked.service)))
        this.#giveUp(answer);
      if (attempt === 4) this.#tellAway(answer.why);
      await setTimeout(pauseAfter(attempt));
    }
  }

  /** Once for each outage, however many requests wait. */
  #tellAway(why: string): void {
    if (this.#isAwayTold) return;
    this.#isAwayTold = true;
    this.#options.warn(`${this.shown} does not answer. Waiting for it: ${why}`);
  }

  /** One attempt. Throws if the answer is late or not wanted any more. */
  async #ask(
    url: string,
    init: RequestInit,
    { answerMs = ANSWER_MS, signal }: RequestOptions,
  ): Promise<{ readonly reply: RestateReply } | NotYet> {
    try {
      const late = AbortSignal.timeout(answerMs);
      const response = await fetch(url, { ...init, signal: AbortSignal.any([late, ...(signal ? [signal] : [])]) });
      this.#isReached = true;
      this.#measureClock(response);
      const { ok, status } = response;
      const reply: RestateReply = { ok, status, bytes: new Uint8Array(await response.arrayBuffer()) };
      const readiness = readinessOf(response);
      if (readiness === 'ready') return { reply };
      return { readiness, why: `it answered ${status}: ${replyText(reply).slice(0, 200)}` };
    } catch (thrown) {
      if (signal?.aborted === true) throw thrown;
      if (isLate(thrown)) throw new LateAnswer(this.shown, answerMs); // RS-2
      return { readiness: 'starting', why: wordsOf(thrown) };
    }
  }

  async #isWorthWaiting({ readiness }: NotYet, waitedMs: number, service: string | undefined): Promise<boolean> {
    const { waitMs = WAIT_MS } = this.#options;
    if (!this.#isReached || this.#closed.signal.aborted || waitedMs > waitMs) return false;
    if (readiness === 'starting' || this.#isServed || waitedMs < UNREGISTERED_MS) return true;
    return service !== undefined && (await this.#isRegistered(service)); // READY-2
  }

  async #isRegistered(service: string): Promise<boolean> {
    return (await this.admin(`/services/${service}`, { method: 'GET' })).ok;
  }

  #giveUp({ readiness, why }: NotYet): never {
    if (readiness === 'starting') fail('store/unreachable', `The store ${this.shown} cannot be reached: ${why}`);
    return fail(
      'store/unreachable',
      `No worker has registered at ${this.shown} yet. Start one with: cadre worker <folder> --store ${shownWord(this.shown)} --register`,
    );
  }

  /** RS-3 */
  #measureClock(response: Response): void {
    const date = Date.parse(response.headers.get('date') ?? '');
    if (Number.isNaN(date)) return;
    const ahead = date + 500 - Date.now();
    this.#aheadMs = Math.abs(ahead) < SAME_CLOCK_MS ? 0 : Math.round(ahead / 1000) * 1000;
  }
}

/** A worker that is well answers within milliseconds; one that is loaded may take long. */
const SOON_MS = 1500;
const WITHOUT_WORKER_MS = 5000;

/** Fetch gives up an answer that takes five minutes, so we do it before. */
const ATTACHED_MS = 240_000;

class LateAnswer extends FaultError {
  constructor(shown: string, ms: number) {
    const text = `No worker of ${shown} answered within ${ms / 1000} s. See whether one runs: cadre worker <folder> --store ${shownWord(shown)}`;
    super(fault('store/unreachable', text));
  }
}

const isLate = (thrown: unknown): boolean =>
  thrown instanceof LateAnswer || (thrown instanceof Error && thrown.name === 'TimeoutError');

function wordsOf(thrown: unknown): string {
  const { cause } = thrown as { readonly cause?: unknown };
  if (cause instanceof AggregateError) return cause.errors.map((one: Error) => one.message).join(', ');
  if (cause instanceof Error) return cause.message;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
