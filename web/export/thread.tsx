// The thread that draws a run as a file. Its owner gives it the run and ends it if it takes too long.

import { render } from 'preact-render-to-string';
import type { DrawnRun, ExportedRun } from '../../src/views/exported-run.ts';
import { transcript } from '../../src/views/talk/transcript.ts';
import { heldAt } from '../src/data/clock.ts';
import { WholeRun } from '../src/data/recorded-run.ts';
import { drawnTalks, placesIn } from './drawn-talks.ts';
import style from './export.css?inline';
import script from './reading.js?raw';
import { Sheet } from './sheet.tsx';
import { beStill } from './still.ts';

declare const process: {
  getBuiltinModule(id: 'node:worker_threads'): {
    readonly parentPort: { postMessage(message: DrawnRun): void };
    readonly workerData: ExportedRun;
  };
};

const { parentPort, workerData: run } = process.getBuiltinModule('node:worker_threads');
const [start] = run.events;
if (start?.type !== 'run-start') throw new Error('The journal does not begin with run-start.');

heldAt.value = run.events.at(-1)?.at; // what was under way lasted until then
const data = new WholeRun(run.events, run.state === 'live' ? 'running' : run.state);
const talks = drawnTalks(data.tree.value, transcript(run.events), run.rows);
beStill(start.run, { places: placesIn(talks), pictures: run.pictures });
parentPort.postMessage({
  title: `${start.agent}, ${start.run} · Cadre`,
  body: render(<Sheet run={run} start={start} data={data} talks={talks} />),
  style,
  script,
});
