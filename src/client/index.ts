// `cadre/client`: the HTTP API of `cadre serve`, for programs and for pages. It stands on `fetch` alone, and its types are
// those of the schemas by which the server checks requests.

import type {
  ApprovalList,
  ChangeList,
  ControlAccepted,
  EndRun,
  GivenVerdict,
  Outcome,
  ResumeRun,
  RunEvent,
  RunList,
  RunReport,
  RunStreamEvents,
  SendToRun,
  StartedRun,
  StartRun,
  ThreadInfo,
  ThreadList,
} from '../server/protocol.ts';
import { backOffMs, eventStream } from './event-stream.ts';
import { isFinal, Problem, problemFrom } from './problem.ts';

interface ClientOptions {
  /** The address of the server, as in `http://127.0.0.1:4177`. */
  readonly url: string;
  /** The token of the server, or one of `server.tokens`. */
  readonly token?: string;
  /** Sends the requests in place of the `fetch` of Node or the browser. */
  readonly fetch?: typeof fetch;
}

/** A message on the stream of a run. */
type RunNews = {
  [Type in keyof RunStreamEvents]: { readonly type: Type; readonly data: RunStreamEvents[Type] };
}[keyof RunStreamEvents];

interface FollowOptions {
  /** The first sequence number of the journal. Default: 0. */
  readonly from?: number;
  readonly signal?: AbortSignal;
  /** Told when the connection is lost. It is made again by itself. */
  readonly onLost?: (problem: Problem) => void;
}

/** Where to go on in a list, as its answer says in `next`. */
interface PageOptions {
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

export type CadreClient = ReturnType<typeof cadreClient>;

/** Sends a request to an address of the server. Rejects with a `Problem`. */
type Reach = (path: string, init: RequestInit) => Promise<Response>;

/** Every method rejects with a `Problem` if the server refuses, or cannot be reached. */
export function cadreClient(options: ClientOptions) {
  const reach = reachOf(options);
  const get = async <Answer>(path: string): Promise<Answer> => (await (await reach(path, {})).json()) as Answer;
  const post = async <Answer>(path: string, body: object, more: Readonly<Record<string, string>> = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...more } };
    return (await (await reach(path, { ...init, body: JSON.stringify(body) })).json()) as Answer;
  };
  const follow = (run: string, how: FollowOptions = {}): AsyncGenerator<RunNews, void> => followRun(run, how, reach);

  return {
    /** Starts a run. With `wait` (`30s`) the answer has the outcome of one that ends in time; with a `key` a second request gives the same run. */
    start: (
      request: StartRun,
      { key, wait }: { readonly key?: string; readonly wait?: string } = {},
    ): Promise<StartedRun> =>
      post(`/api/runs${query({ wait })}`, request, key === undefined ? {} : { 'idempotency-key': key }),
    /**
     * Yields the events of a run from the beginning to its end, also over connections that break: none is missed or
     * comes twice. Long texts within are cut, but for those of the end.
     */
    follow,
    /** One event with its texts whole. */
    event: (run: string, seq: number): Promise<RunEvent> => get(`${atRun(run)}/events/${seq}`),
    /** Waits for the end of a run. */
    async outcome(run: string, options: FollowOptions = {}): Promise<Outcome> {
      for await (const { type, data } of follow(run, options))
        if (type === 'journal' && data.event.type === 'run-end') return data.event.outcome;
      throw new Problem(0, 'client/no-end', `The journal of ${run} has no end after event ${options.from}.`);
    },
    /** A run with its tree, its ledger and its totals. */
    run: (run: string): Promise<RunReport> => get(atRun(run)),
    /** The files that a run changed, each with its diff. */
    changes: (run: string): Promise<ChangeList> => get(`${atRun(run)}/changes`),
    runs: (options: PageOptions & { readonly q?: string } = {}): Promise<RunList> => get(`/api/runs${query(options)}`),
    /** A message to a run that is at work: its session reads it before its next turn. */
    send: (run: string, message: SendToRun): Promise<ControlAccepted> => post(`${atRun(run)}/messages`, message),
    /** Asks for the final answer now. */
    stop: (run: string, request: EndRun = {}): Promise<ControlAccepted> => post(`${atRun(run)}/stop`, request),
    /** Ends a run at once. */
    cancel: (run: string, request: EndRun = {}): Promise<ControlAccepted> => post(`${atRun(run)}/cancel`, request),
    /** Goes on with a run that was broken off. */
    resume: (run: string, request: ResumeRun = {}): Promise<{ readonly run: string }> =>
      post(`${atRun(run)}/resume`, request),
    /** The calls and questions that wait for a person, in one run or in all. */
    approvals: (options: { readonly run?: string; readonly decided?: number } = {}): Promise<ApprovalList> =>
      get(`/api/approvals${query(options)}`),
    /** Answers what waits. Give the `digest` of what the person was shown as `seen`: an answer to anything else is refused. */
    answer: (run: string, path: string, verdict: GivenVerdict): Promise<ControlAccepted> =>
      post(`${atRun(run)}/ops/${encodeURIComponent(path)}/verdict`, verdict),
    threads: (options: PageOptions = {}): Promise<ThreadList> => get(`/api/threads${query(options)}`),
    /** A conversation: its runs, and the history that the next message gets. Continue it with `start({thread, …})`. */
    thread: (thread: string): Promise<ThreadInfo> => get(`/api/threads/${encodeURIComponent(thread)}`),
  };
}

function reachOf({ url, token, fetch: send = fetch }: ClientOptions): Reach {
  const base = url.replace(/\/+$/, '');
  return async (path, init) => {
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    let response: Response;
    try {
      response = await send(base + path, { ...init, headers, credentials: 'omit' });
    } catch (thrown) {
      init.signal?.throwIfAborted();
      throw new Problem(0, 'client/offline', `The server cannot be reached at ${base}. ${String(thrown)}`);
    }
    if (!response.ok) throw await problemFrom(response);
    return response;
  };
}

async function* followRun(run: string, options: FollowOptions, reach: Reach): AsyncGenerator<RunNews, void> {
  const { from = 0, signal = new AbortController().signal, onLost } = options;
  let next = from;
  let failures = 0;
  const open = (attempt: AbortSignal): Promise<Response> =>
    reach(`${atRun(run)}/events?from=${next}`, { headers: { accept: 'text/event-stream' }, signal: attempt });
  for (;;) {
    try {
      for await (const messages of eventStream(open, signal)) {
        failures = 0;
        for (const { event, data } of messages) {
          const news = { type: event, data: JSON.parse(data) } as RunNews | { type: 'refused'; data: Refusal };
          if (news.type === 'refused') throw new Problem(403, news.data.code, news.data.detail);
          if (news.type === 'journal' && news.data.event.seq < next) continue;
          const told = await withWholeEnd(run, news, reach);
          if (told.type === 'journal') next = told.data.event.seq + 1;
          yield told;
          if (news.type === 'journal' && news.data.event.type === 'run-end') return;
        }
      }
      return;
    } catch (thrown) {
      signal.throwIfAborted();
      const lost = thrown instanceof Problem ? thrown : new Problem(0, 'client/offline', String(thrown));
      if (isFinal(lost)) throw lost;
      onLost?.(lost);
    }
    await pause(backOffMs(failures++), signal);
  }
}

/** The stream cuts long texts. The answer of a run is what its reader came for, so the end is asked for once more. */
async function withWholeEnd(run: string, news: RunNews, reach: Reach): Promise<RunNews> {
  if (news.type !== 'journal' || news.data.event.type !== 'run-end' || news.data.cut === undefined) return news;
  const response = await reach(`${atRun(run)}/events/${news.data.event.seq}`, {});
  return { type: 'journal', data: { event: (await response.json()) as RunEvent } };
}

interface Refusal {
  readonly code: string;
  readonly detail: string;
}

const atRun = (run: string): string => `/api/runs/${encodeURIComponent(run)}`;

function query(fields: object): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given}`;
}

/** Rejects with the reason of the signal. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

export type * from '../server/protocol.ts';
export { Problem };
