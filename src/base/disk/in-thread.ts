// Work on data of others in a thread of its own. Nothing in the data can keep this process from hearing its clock: the thread
// is ended at a deadline, has its own memory and its own stack, and what goes wrong in it is an error.

import { builtFile } from './built-file.ts';

/** The reason why a thread gave no result. */
export class ThreadTrouble extends Error {
  readonly kind: 'not-built' | 'late' | 'broken';

  constructor(kind: ThreadTrouble['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Rejects with ThreadTrouble, or with the reason of the signal. */
export function inThread<Result>({
  file,
  data,
  transfer = [],
  deadlineMs,
  memoryMb,
  signal,
}: {
  /** The built file of the thread, below dist. It gets `data` as its workerData and posts one message. */
  readonly file: string;
  readonly data: unknown;
  /** Parts of the data that this thread has no more afterwards. All else is copied. */
  readonly transfer?: readonly ArrayBuffer[];
  readonly deadlineMs: number;
  readonly memoryMb: number;
  readonly signal?: AbortSignal;
}): Promise<Result> {
  const built = builtFile(file);
  if (built === undefined)
    return Promise.reject(new ThreadTrouble('not-built', `${file} is not built. Run "npm run build".`));
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const worker = new Worker(built, {
    workerData: data,
    transferList: [...transfer],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 4 },
    env: {},
    stdin: false,
    stdout: true, // what a library prints about the data is nobody's output
    stderr: true,
  });
  return new Promise<Result>((resolve, reject) => {
    const broken = (why: string): void => settle(() => reject(new ThreadTrouble('broken', why)));
    const timer = setTimeout(
      () => settle(() => reject(new ThreadTrouble('late', `it took longer than ${deadlineMs} ms`))),
      deadlineMs,
    );
    const onAbort = (): void => settle(() => reject(signal?.reason as Error));
    const settle = (how: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      void worker.terminate();
      how();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    worker.once('message', (result: Result) => settle(() => resolve(result)));
    worker.once('error', (error) => broken(error.message));
    worker.once('exit', () => broken('its thread ended'));
    if (signal?.aborted === true) onAbort();
  });
}
