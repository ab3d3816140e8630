// The thread that reads one page. Its owner ends it if it takes too long or too much memory.

import { parentPort, workerData } from 'node:worker_threads';
import { readPage } from './page.ts';

const { html, url } = workerData as { readonly html: string; readonly url: string };

parentPort?.postMessage(readPage(html, url));
