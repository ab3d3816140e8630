// Keeps the last few files that are written to again and again open between two uses, because opening a file costs more
// than writing to it. A process that opens many stores one after another does not run out of files.

export interface KeptOpen {
  /** Called at most once between two rests. */
  close(): void;
}

const KEPT = 16;
/** The files in the order in which they came to rest: so few that a list costs less than a set. */
const resting: KeptOpen[] = [];

/** The file is not in use now. It is closed once enough others have come to rest after it. */
export function rest(file: KeptOpen): void {
  use(file);
  resting.push(file);
  if (resting.length > KEPT) resting.shift()?.close();
}

/** The file is in use until it rests again. */
export function use(file: KeptOpen): void {
  const at = resting.indexOf(file);
  if (at >= 0) resting.splice(at, 1);
}
