// Reads a page in a thread of its own. Nothing in a page can keep this process from hearing its clock: the thread is ended at
// a deadline, has its own memory and its own stack, and what goes wrong in it is a fault.

import { builtFile } from '../../base/disk/built-file.ts';
import { durationText } from '../../base/text/words.ts';
import { fail } from '../../kernel/fault.ts';
import type { ReadPage } from './page.ts';

const USUAL: { readonly deadlineMs: number; readonly memoryMb: number } = { deadlineMs: 10_000, memoryMb: 256 };

export type PageReader = (html: string, url: string, signal: AbortSignal) => Promise<ReadPage>;

export const readInThread =
  ({ deadlineMs, memoryMb }: { readonly deadlineMs: number; readonly memoryMb: number } = USUAL): PageReader =>
  (html, url, signal) => {
    const file = builtFile('tools/page-reader.js');
    if (file === undefined) return fail('tool/failed', 'The part that reads pages is not built. Run "npm run build".');
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const worker = new Worker(file, {
      workerData: { html, url },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 4 },
      env: {},
      stdin: false,
    });
    return new Promise<ReadPage>((resolve, reject) => {
      const timer = setTimeout(
        () =>
          settle(() =>
            reject(new Error(`The page is too complex: it could not be read within ${durationText(deadlineMs)}.`)),
          ),
        deadlineMs,
      );
      const onAbort = (): void => settle(() => reject(signal.reason as Error));
      const settle = (how: () => void): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        void worker.terminate();
        how();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      worker.once('message', (page: ReadPage) => settle(() => resolve(page)));
      worker.once('error', (error) => settle(() => reject(new Error(`The page could not be read: ${error.message}`))));
      worker.once('exit', () => settle(() => reject(new Error('The page could not be read: its thread ended.'))));
      if (signal.aborted) onAbort();
    });
  };
