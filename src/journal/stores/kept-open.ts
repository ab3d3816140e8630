// Files that are written to again and again stay open between two uses, the last few of them: to open one costs more
// than to write to it. A process that opens many stores one after another does not run out of files.

export interface KeptOpen {
  /** Called at most once between two rests. */
  close(): void;
}

const KEPT = 16;
/** In the order in which they came to rest. */
const resting = new Set<KeptOpen>();

/** Nobody needs it now: it is closed once enough others have come to rest after it. */
export function rest(file: KeptOpen): void {
  resting.delete(file);
  resting.add(file);
  const [oldest] = resting;
  if (oldest === undefined || resting.size <= KEPT) return;
  resting.delete(oldest);
  oldest.close();
}

/** It is needed until it rests again. */
export function use(file: KeptOpen): void {
  resting.delete(file);
}
