// The contract of the part of a store that keeps the events of runs. Each store has its own: it is what pays for a crash, a
// fence and a second machine.

import type { Digest, RunEnd, RunEvent, RunId } from './event.ts';

/** The exclusive right to append to one run. Held until it is released or taken over. */
export interface RunLease {
  /**
   * Appends in order. When it returns, the events survive the death of this process, and a take-over. Throws a
   * `journal/write` fault when they could not be written, and `run/taken-over` when the run was taken over: then
   * the process that did so never sees a part of them that it could mistake for the whole.
   */
  append(events: readonly RunEvent[]): void | Promise<void>;
  release(): Promise<void>;
}

export interface Log {
  /**
   * Claims a run for writing: a new one when `expectedSeq` is 0. Throws `run/locked` where another process holds it and
   * is not known to be dead.
   */
  claim(run: RunId, expectedSeq: number): Promise<RunLease>;
  /** Fences out the holder of a run, dead or alive: from now on its appends are refused, and the run can be claimed. */
  takeOver(run: RunId): Promise<void>;
  /**
   * Reads from a sequence number on. Throws `run/unknown`. A torn last line is left out, with a warning to `onWarning`.
   */
  read(run: RunId, fromSeq?: number): AsyncIterable<RunEvent>;
  /**
   * The events from a sequence number on, and then those that any process adds, until the run ends or `signal` is
   * aborted. It goes on over a crash, a resume and a take-over. Throws `run/unknown`, also when the run is removed
   * meanwhile. It keeps the process alive only while a caller waits for the next event.
   */
  follow(run: RunId, fromSeq: number, signal: AbortSignal): AsyncIterable<RunEvent>;
  /**
   * The end of a run, as soon as it has ended. Undefined if the signal is aborted first, or if the end is not the last
   * event: then the run has to be read. Absent: the run is followed instead.
   * Throws `run/unknown`.
   */
  end?(run: RunId, signal: AbortSignal): Promise<RunEnd | undefined>;
  /** Throws `run/locked` where a process is at work on it. */
  remove(run: RunId): Promise<void>;
  /**
   * Everything that looks like a digest in the events of any run: we would rather keep a blob too many than lose one.
   */
  digests(): Promise<ReadonlySet<Digest>>;
  /** Removes what processes left that died before the first event of a run, if it is as old as this time. */
  sweep(before: number): Promise<void>;
}
