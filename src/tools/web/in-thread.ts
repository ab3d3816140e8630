// Reads a page in a thread of its own.

import { inThread, ThreadTrouble } from '../../base/disk/in-thread.ts';
import { durationText } from '../../base/text/words.ts';
import { fail } from '../../kernel/fault.ts';
import type { ReadPage } from './page.ts';

const USUAL: { readonly deadlineMs: number; readonly memoryMb: number } = { deadlineMs: 10_000, memoryMb: 256 };

export type PageReader = (html: string, url: string, signal: AbortSignal) => Promise<ReadPage>;

export const readInThread =
  (limits: { readonly deadlineMs: number; readonly memoryMb: number } = USUAL): PageReader =>
  async (html, url, signal) => {
    try {
      return await inThread<ReadPage>({ file: 'tools/page-reader.js', data: { html, url }, ...limits, signal });
    } catch (thrown) {
      if (!(thrown instanceof ThreadTrouble)) throw thrown;
      switch (thrown.kind) {
        case 'not-built':
          return fail('tool/failed', 'The part that reads pages is not built. Run "npm run build".');
        case 'late':
          throw new Error(`The page is too complex: it could not be read within ${durationText(limits.deadlineMs)}.`, {
            cause: thrown,
          });
        case 'broken':
          throw new Error(`The page could not be read: ${thrown.message}.`, { cause: thrown });
      }
    }
  };
