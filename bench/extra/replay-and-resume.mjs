// Replay and resume of a long run: one session of 5,000 turns, which is 10,000 ops.

import { performance } from 'node:perf_hooks';
import { library, testing } from '../built.mjs';
import { addingOf, workerFiles } from '../cadre-adapter.mjs';
import { cadreFolder } from '../cadre-folder.mjs';
import { WORKLOADS } from '../workloads.mjs';

const BROKEN_OFF = '20260101-000000-0000000';

export async function measure(quick) {
  const turns = quick ? 500 : 5000;
  const { loadCadre } = await library();
  const { replay, services } = await testing();
  const { agents, script } = workerFiles(turns);
  const cadre = await loadCadre(cadreFolder(agents, script, turns + 1), { tools: [addingOf(await library())] });
  const events = await journalOf(await cadre.run('worker', WORKLOADS.W6.input));
  const ops = events.filter(({ type }) => type === 'op-end').length;

  const [replayed, replayMs] = await timed(() => replay(events, cadre.definition, services));
  if (replayed.kind !== 'identical') throw new Error(JSON.stringify(replayed.difference));

  await breakOff(cadre.store, events.slice(0, -6));
  const [outcome, resumeMs] = await timed(async () => (await cadre.resume(BROKEN_OFF)).outcome());
  if (outcome.text !== WORKLOADS.W6.text) throw new Error(`the resumed run ended with ${JSON.stringify(outcome)}`);
  const count = ops.toLocaleString('en-US');
  return [
    [
      `replay of a ${count}-op run, ${events.length} events`,
      `${Math.round(events.length / (replayMs / 1000)).toLocaleString('en-US')} events/s`,
    ],
    [`resume of a ${count}-op run, broken off just before its end, file store`, `${Math.round(resumeMs)} ms`],
  ];
}

async function journalOf(handle) {
  await handle.outcome();
  const events = [];
  for await (const event of handle.events()) events.push(event);
  return events;
}

/** A run as a crash would have left it. */
async function breakOff(store, [start, ...events]) {
  const lease = await store.claim(BROKEN_OFF, 0);
  await lease.append([{ ...start, run: BROKEN_OFF }, ...events]);
  await lease.release();
}

async function timed(work) {
  const begin = performance.now();
  const value = await work();
  return [value, performance.now() - begin];
}
