// One long session with the file store: what a turn takes at its beginning and at its end, and what it leaves on disk.

import { library } from '../built.mjs';
import { addingOf, workerFiles } from '../cadre-adapter.mjs';
import { cadreFolder } from '../cadre-folder.mjs';
import { figure, median } from '../statistics.mjs';
import { forget, seen, WORKLOADS } from '../workloads.mjs';

const END = 20;

export async function measure(quick) {
  await sessions(200, quick ? 2 : 20); // warm-up
  const whole = await sessions(200, quick ? 3 : 20);
  const half = await sessions(100, 1);
  const spans = (from) => whole.marks.map((marks) => ((marks.at(from + END) - marks.at(from)) * 1000) / END);
  return [
    [`200-turn session, file store: first ${END} turns`, `${figure(median(spans(0)))} µs/turn`],
    [`200-turn session, file store: last ${END} turns`, `${figure(median(spans(-END - 1)))} µs/turn`],
    [
      'journal of a 200-turn session',
      `${figure(whole.bytes / 200)} bytes/turn, ${figure(whole.events / 200)} events/turn`,
    ],
    ['journal of a 100-turn session', `${figure(half.bytes / 100)} bytes/turn`],
  ];
}

async function sessions(turns, times) {
  const { loadCadre } = await library();
  const { agents, script } = workerFiles(turns);
  const cadre = await loadCadre(cadreFolder(agents, script), { tools: [addingOf(await library())] });
  const all = [];
  for (let count = 0; count < times; count++) {
    forget();
    const { text } = await (await cadre.run('worker', WORKLOADS.W6.input)).outcome();
    if (text !== WORKLOADS.W6.text) throw new Error(`the session ended with ${text}`);
    all.push(seen.marks);
  }
  const [{ bytes, events }] = await cadre.store.list({ limit: 1 });
  return { marks: all, bytes, events };
}
