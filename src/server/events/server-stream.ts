// The changes anywhere, for readers of lists: runs of any process, calls that wait for a person, files. Nothing is
// looked at while nobody reads. A reader that cannot keep up is cut off: it asks for the lists again anyway.

import type { ServerResponse } from 'node:http';
import { testHeads } from '../../agent-tests/test-records.ts';
import { approvalsOf } from '../../engine/remote/waiting-approvals.ts';
import type { RunId } from '../../journal/event.ts';
import type { IndexProgress, RunSummary } from '../../journal/store.ts';
import { FaultError } from '../../kernel/fault.ts';
import type { OpPath } from '../../kernel/path.ts';
import { type Caller, usesAll } from '../caller.ts';
import type { ServerContext, ServerStream } from '../context.ts';
import type { RunRow, ServerStreamEvents } from '../protocol.ts';
import { isVisible, maySeeTests, runRows } from '../runs/visible-runs.ts';
import { endRefused, openSse, type SseReader, sseChunk } from './sse.ts';

/** Changes of a run that come closer together are told as one. */
const GATHER_MS = 200;
/** The pause between two looks at runs of other processes. */
const LOOK_MS = 2000;
const CLOCK_MS = 5000;
/** The number of the newest runs that are looked at. */
const LOOKED_AT = 200;

interface StreamClient {
  /** The caller as they were when the stream began. It ends where the caller may see less. */
  readonly caller: Caller;
  readonly sse: SseReader;
  readonly outgoing: ServerResponse;
}

export function openServerStream(log: (text: string) => void): ServerStream {
  const readers = new Set<StreamClient>();
  const dirty = new Set<RunId>();
  let hub: Hub | undefined;
  let gathering: NodeJS.Timeout | undefined;
  const failed = (thrown: unknown): void => log(`Changes cannot be told: ${String(thrown)}`);
  const gather = (run: RunId): void => {
    if (hub === undefined) return;
    dirty.add(run);
    gathering ??= setTimeout(() => {
      gathering = undefined;
      const runs = [...dirty];
      dirty.clear();
      hub?.changed(runs).catch(failed);
    }, GATHER_MS).unref();
  };
  return {
    observe: (run) => ({ event: () => gather(run) }),
    changed: gather,
    read(access, outgoing, context) {
      const caller = access.now();
      const lost = access.while((now) => now.may.has('see') && usesAll(now, caller));
      const reader: StreamClient = {
        caller,
        outgoing,
        sse: openSse(outgoing, () => {
          readers.delete(reader);
          if (readers.size > 0) return;
          hub?.close();
          hub = undefined;
        }),
      };
      readers.add(reader);
      lost.addEventListener('abort', () => endRefused(reader.sse, lost));
      hub ??= new Hub(readers, context, failed);
      void hub.begun.then(() => reader.sse.send(sseChunk('now', { now: context.now() })));
    },
    close() {
      for (const { sse } of readers) sse.end();
    },
  };
}

class Hub {
  readonly #readers: ReadonlySet<StreamClient>;
  readonly #context: ServerContext;
  /** The last news of each run, and the calls of it that wait. */
  readonly #rows = new Map<RunId, string>();
  readonly #waiting = new Map<RunId, ReadonlySet<OpPath>>();
  /** The last news of each result of tests. */
  #tests: ReadonlyMap<string, string> | undefined;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #unwatch: () => void;
  #indexing: IndexProgress | undefined;
  #isLooking = false;
  /**
   * When what there is has been looked at. All that changes from then on is told, so a reader is sent its first `now` then:
   * lists that it reads after that have no gap before what it is told.
   */
  readonly begun: Promise<void>;

  constructor(readers: ReadonlySet<StreamClient>, context: ServerContext, failed: (thrown: unknown) => void) {
    this.#readers = readers;
    this.#context = context;
    const { now, cadres } = context;
    this.begun = this.#look(true).catch(failed);
    this.#timers = [
      setInterval(() => void this.#look(false).catch(failed), LOOK_MS).unref(),
      setInterval(() => this.#tell('now', { now: now() }), CLOCK_MS).unref(),
    ];
    this.#unwatch = cadres.watch(() => {
      const isWhole = ({ caller }: StreamClient): boolean => caller.agents === undefined;
      this.#tell('agents', { diagnostics: cadres.diagnostics(), now: now() }, isWhole);
      this.#tell('agents', { diagnostics: [], now: now() }, (reader) => !isWhole(reader));
    });
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#unwatch();
  }

  async changed(runs: readonly RunId[]): Promise<void> {
    for (const run of runs) {
      const summary = await this.#summary(run);
      if (summary === undefined) this.#gone(run);
      else for (const row of await runRows([summary], this.#context)) await this.#run(row);
    }
  }

  /** Readers that wait for a list are told how far it is. */
  #lookAtIndex(): void {
    const now = this.#context.store.counting();
    if (now !== undefined) this.#tell('index', now);
    else if (this.#indexing !== undefined) this.#tell('index', { ...this.#indexing, done: this.#indexing.of });
    this.#indexing = now;
  }

  /** Looks for news. At first nobody is told: the readers read the lists. */
  async #look(isFirst: boolean): Promise<void> {
    this.#lookAtIndex();
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const list = await this.#context.store.list({ limit: LOOKED_AT });
      for (const row of await runRows(list, this.#context)) await this.#run(row, isFirst);
      const oldest = list.length < LOOKED_AT ? '' : (list.at(-1)?.run ?? '');
      const there = new Set(list.map(({ run }) => run));
      for (const run of this.#rows.keys()) {
        if (there.has(run)) continue;
        if (run > oldest) this.#gone(run);
        else this.#rows.delete(run);
      }
      await this.#lookAtTests();
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookAtTests(): Promise<void> {
    const { store } = this.#context;
    const before = this.#tests;
    const now = new Map<string, string>();
    for (const { head, state } of await testHeads(store, store.now?.() ?? Date.now())) {
      const text = JSON.stringify([head, state]);
      now.set(head.id, text);
      if (before !== undefined && before.get(head.id) !== text)
        this.#tell('tests', { id: head.id, state }, ({ caller }) => maySeeTests(head, caller, this.#context));
    }
    this.#tests = now;
  }

  async #summary(run: RunId): Promise<RunSummary | undefined> {
    try {
      return await this.#context.store.summary(run);
    } catch (thrown) {
      if (thrown instanceof FaultError && thrown.fault.code === 'run/unknown') return undefined;
      throw thrown;
    }
  }

  /** Tells of a run that has changed. */
  async #run(row: RunRow, isKnown = false): Promise<void> {
    const text = JSON.stringify(row);
    if (this.#rows.get(row.run) === text) {
      if (await this.#isDecidedAtRest(row.run)) await this.#approvals(row, false);
      return;
    }
    this.#rows.set(row.run, text);
    if (!isKnown) this.#tell('run', row, ({ caller }) => isVisible(row, caller));
    await this.#approvals(row, isKnown);
  }

  /** A verdict for a run that no process works on changes nothing in its journal: it lies among the messages to the run. */
  async #isDecidedAtRest(run: RunId): Promise<boolean> {
    const { engine, store } = this.#context;
    const waiting = this.#waiting.get(run);
    if (waiting === undefined || engine.isAtWork(run)) return false;
    const messages = await store.control.posted(run);
    return messages.some((message) => message.kind === 'verdict' && waiting.has(message.op));
  }

  async #approvals(row: RunRow, isKnown: boolean): Promise<void> {
    const { run, waiting: count } = row;
    const before = this.#waiting.get(run);
    if (count === 0 && before === undefined) return;
    const { waiting } = await approvalsOf(run, this.#context.store);
    const now = new Set(waiting.map(({ path }) => path));
    if (now.size === 0) this.#waiting.delete(run);
    else this.#waiting.set(run, now);
    if (isKnown) return;
    const sees = ({ caller }: StreamClient): boolean => isVisible(row, caller);
    for (const path of now) if (before?.has(path) !== true) this.#tell('approval', { change: 'came', run, path }, sees);
    for (const path of before ?? []) if (!now.has(path)) this.#tell('approval', { change: 'went', run, path }, sees);
  }

  #gone(run: RunId): void {
    const row = this.#rows.get(run);
    this.#rows.delete(run);
    this.#waiting.delete(run);
    if (row === undefined) return;
    const last = JSON.parse(row) as RunRow;
    this.#tell('gone', { run }, ({ caller }) => isVisible(last, caller));
  }

  #tell<Kind extends keyof ServerStreamEvents>(
    kind: Kind,
    data: ServerStreamEvents[Kind],
    to: (reader: StreamClient) => boolean = () => true,
  ): void {
    const chunk = sseChunk(kind, data);
    for (const reader of this.#readers) {
      if (!to(reader)) continue;
      if (reader.sse.isBlocked) reader.outgoing.destroy();
      else reader.sse.send(chunk);
    }
  }
}
