// The build of Cadre that is measured: a copy that the runner made, so that a build meanwhile changes nothing.

import { fileURLToPath, pathToFileURL } from 'node:url';

export const DIST = process.env.CADRE_BENCH_DIST ?? fileURLToPath(new URL('../dist', import.meta.url));

export const library = () => import(pathToFileURL(`${DIST}/index.js`).href);
export const testing = () => import(pathToFileURL(`${DIST}/testing/index.js`).href);
