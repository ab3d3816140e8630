// The thread that measures one file. Its owner ends it if it takes too long or too much memory. The libraries are loaded
// here, by the kind of file, and nowhere else.

import { parentPort, workerData } from 'node:worker_threads';
import type { MediaType } from './file-type.ts';
import type { FileMeasures } from './measure.ts';
import { pagesInTree } from './pages-in-tree.ts';

const { bytes, type } = workerData as { readonly bytes: Uint8Array; readonly type: MediaType };

async function measuredPicture(): Promise<FileMeasures> {
  const { imageSize } = await import('image-size');
  const { width, height } = imageSize(bytes);
  return width > 0 && height > 0 ? { width, height } : { trouble: 'it says no size' };
}

/** The library runs in this thread. It would begin one of its own if it did not find its working part here. */
async function measuredDocument(): Promise<FileMeasures> {
  const hanging = pagesInTree(bytes); // before the library takes the bytes away
  const working = await import('pdfjs-dist/legacy/build/pdf.worker.min.mjs');
  Object.assign(globalThis, { pdfjsWorker: working });
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.min.mjs');
  try {
    const { numPages } = await getDocument({
      data: bytes,
      isEvalSupported: false,
      disableFontFace: true,
      useSystemFonts: false,
      useWasm: false,
      stopAtErrors: true,
      verbosity: 0,
    }).promise;
    return { pages: Math.max(numPages, hanging) };
  } catch (thrown) {
    const isLocked = thrown instanceof Error && thrown.name === 'PasswordException';
    if (isLocked) return { trouble: 'it is locked with a password' };
    throw thrown;
  }
}

async function measured(): Promise<FileMeasures> {
  try {
    return await (type === 'application/pdf' ? measuredDocument() : measuredPicture());
  } catch (thrown) {
    return { trouble: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

parentPort?.postMessage(await measured());
