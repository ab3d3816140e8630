// Changes of one file follow each other, whichever run or agent of this process makes them: between the look at a file
// and its change no other call comes. Another process is noticed when the file is looked at again before the change.

const latest = new Map<string, Promise<unknown>>();

/** Does the work when all earlier work on these files is over. Paths are absolute, without links. */
export function inTurn<Value>(paths: readonly string[], work: () => Promise<Value>): Promise<Value> {
  const keys = [...new Set(paths.map((path) => path.normalize('NFC').toLowerCase()))]; // as some file systems compare names
  const before = keys.map((key) => latest.get(key) ?? Promise.resolve());
  const done = Promise.allSettled(before).then(work);
  const over: Promise<void> = done.then(
    () => leave(keys, over),
    () => leave(keys, over), // the caller gets the failure
  );
  for (const key of keys) latest.set(key, over);
  return done;
}

function leave(keys: readonly string[], over: Promise<unknown>): void {
  for (const key of keys) if (latest.get(key) === over) latest.delete(key);
}
