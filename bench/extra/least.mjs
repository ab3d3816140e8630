// The least that a run with the file store must do: the same folder, journal, events and writes as in W1, W2 and W4,
// and nothing else. The timed part runs no code of Cadre.

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { cadreAdapter } from '../cadre-adapter.mjs';
import { folderOf } from '../cadre-folder.mjs';
import { figure, median } from '../statistics.mjs';
import { prepare, WORKLOADS } from '../workloads.mjs';

const UNITS = { W1: ['turn', 10], W2: ['run', 1], W4: ['hop', 10] };

export async function measure(quick) {
  const rows = [];
  for (const [workload, [unit, of]] of Object.entries(UNITS)) {
    const events = await eventsOf(workload);
    const writes = writesOf(events);
    const all = median(timed(writes, quick ? 300 : 3000)) / of;
    const amount = `${figure(events.length / of)} events and ${figure(writes.length / of)} writes a ${unit}`;
    rows.push([`the file work of ${workload} alone: ${amount}`, `${figure(all)} µs/${unit}`]);
    if (workload === 'W2')
      rows.push(['of which its events as JSON', `${figure(jsonOf(events, quick ? 300 : 3000))} µs/${unit}`]);
  }
  return rows;
}

function jsonOf(events, times) {
  const samples = Array.from({ length: times }, () => {
    const begin = performance.now();
    for (const event of events) JSON.stringify(event);
    return (performance.now() - begin) * 1000;
  });
  return median(samples);
}

async function eventsOf(workload) {
  const run = await prepare(await cadreAdapter('memory'), workload);
  const { text, handle } = await run();
  if (text !== WORKLOADS[workload].text) throw new Error(`${workload} ended with ${text}`);
  const events = [];
  for await (const event of handle.events()) events.push(event);
  return events;
}

/** When a model or tool call begins, everything before it must be on disk. */
function writesOf(events) {
  const writes = [[]];
  for (const event of events) {
    writes.at(-1).push(event);
    if (event.type === 'op-start' && ['model', 'tool'].includes(event.op.kind)) writes.push([]);
  }
  return writes;
}

function timed(writes, times) {
  const folder = folderOf([]);
  return Array.from({ length: times }, (_, index) => {
    const begin = performance.now();
    const place = join(folder, String(index));
    mkdirSync(place);
    const file = openSync(join(place, 'events.jsonl'), 'ax');
    for (const events of writes) {
      let text = '';
      for (const event of events) text += `${JSON.stringify(event)}\n`;
      writeSync(file, text);
    }
    closeSync(file);
    return (performance.now() - begin) * 1000;
  });
}
