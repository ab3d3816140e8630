// Times the disk alone, with the operations that every run with the file store needs: a folder, files, appends.

import { appendFileSync, closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { figure, median } from './statistics.mjs';

const TIMES = 200;
const LINE = `${'x'.repeat(299)}\n`;

export function diskCost(folder) {
  const probe = join(folder, 'disk');
  mkdirSync(probe);
  const samples = Array.from({ length: TIMES }, (_, index) => {
    const place = join(probe, String(index));
    const made = timed(() => mkdirSync(place));
    const opened = timed(() => closeSync(openSync(join(place, 'events'), 'a')));
    appendFileSync(join(place, 'events'), LINE);
    const file = openSync(join(place, 'events'), 'a');
    const appended = timed(() => writeSync(file, LINE));
    closeSync(file);
    return { made, opened, appended };
  });
  const cost = (key) => `${figure(median(samples.map((sample) => sample[key])))} µs`;
  return `disk: a new folder ${cost('made')}, a new file ${cost('opened')}, an append ${cost('appended')}`;
}

function timed(work) {
  const begin = performance.now();
  work();
  return (performance.now() - begin) * 1000;
}
