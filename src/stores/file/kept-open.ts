// Keeps the last few files that are written to again and again open between two uses, because opening a file costs more
// than writing to it. A process that opens many stores one after another does not run out of files.

export interface KeptOpen {
  /** Called at most once between two rests. */
  close(): void;
}

const KEPT = 16;
/** The files in the order in which they came to rest. */
const resting = new Set<KeptOpen>();

/** The file is not in use now. It is closed once enough others have come to rest after it. */
export function rest(file: KeptOpen): void {
  resting.delete(file);
  resting.add(file);
  const [oldest] = resting;
  if (oldest === undefined || resting.size <= KEPT) return;
  resting.delete(oldest);
  oldest.close();
}

/** The file is in use until it rests again. */
export function use(file: KeptOpen): void {
  resting.delete(file);
}
