// The live tree of a run with 500 sessions at work, each of which writes: what one picture takes. The renderer is not
// a public export, so it is bundled from the source for this.

import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { library } from '../built.mjs';
import { USAGE } from '../cadre-adapter.mjs';
import { agentText, cadreFolder } from '../cadre-folder.mjs';
import { figure, median } from '../statistics.mjs';

const SESSIONS = 500;

export async function measure(quick) {
  const { progressFold } = await library();
  const { liveTree } = await bundled('../../src/cli/render/live-tree.ts');
  const events = await eventsOfManySessions();
  const fold = progressFold();
  for (const event of events) if (event.type !== 'op-end' && event.type !== 'run-end') fold.add(event);
  const writing = events.filter(({ type, op }) => type === 'op-start' && op.kind === 'model' && op.agent === 'helper');
  const screen = {
    columns: 120,
    rows: 40,
    now: Date.now(),
    paint: (_tone, text) => text,
    maxTurns: () => 10,
  };
  const samples = [];
  for (let frame = 0; frame < (quick ? 20 : 200); frame++) {
    const begin = performance.now();
    for (const { path } of writing) fold.delta(path, `word ${frame} `);
    const lines = liveTree(fold.now(), screen);
    samples.push(performance.now() - begin);
    if (fold.now().sessions.length !== SESSIONS + 1 || lines.length < 30) throw new Error(lines.join('\n'));
  }
  return [[`one picture of the live tree with ${SESSIONS} sessions that write`, `${figure(median(samples))} ms`]];
}

async function bundled(source) {
  const file = fileURLToPath(new URL('../.cache/render.js', import.meta.url));
  const bundle = await rolldown({ input: fileURLToPath(new URL(source, import.meta.url)), platform: 'node' });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return import(file);
}

async function eventsOfManySessions() {
  const { loadCadre } = await library();
  const calls = Array.from({ length: SESSIONS }, () => ({ agent__helper: { input: 'Well?', reason: 'I must know.' } }));
  const agents = {
    boss: agentText(`agents: [helper]\nmaxToolCallsPerTurn: ${SESSIONS}`, 'Ask.'),
    helper: agentText('description: Knows.', 'You know.'),
  };
  const script = `agents:
  boss: [{ calls: ${JSON.stringify(calls)}, ${USAGE} }, { answer: Heard., ${USAGE} }]
  helper: [{ answer: "42", ${USAGE} }]
`;
  const cadre = await loadCadre(cadreFolder(agents, script), { store: 'memory' });
  const handle = await cadre.run('boss', 'Go.');
  await handle.outcome();
  const events = [];
  for await (const event of handle.events()) events.push(event);
  return events;
}
