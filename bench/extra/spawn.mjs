// A thousand background runs in a diamond: one, then 998 at the same time that wait for it, then one that waits for all.

import { performance } from 'node:perf_hooks';
import { library } from '../built.mjs';
import { USAGE } from '../cadre-adapter.mjs';
import { agentText, cadreFolder } from '../cadre-folder.mjs';
import { figure } from '../statistics.mjs';

export async function measure(quick) {
  const count = quick ? 100 : 1000;
  const { loadCadre } = await library();
  const limits = `{ maxChildren: 1000, maxTotal: ${count}, maxConcurrent: 1000, agents: [helper] }`;
  const agents = {
    editor: agentText(`spawn: ${limits}`, 'You plan.'),
    helper: agentText('description: Works.', 'You work.'),
  };
  const tasks = Array.from({ length: count - 2 }, (_, index) => `Part ${index + 1}`);
  const spawn = (label, task, more = {}) => ({
    sessions_spawn: { label, task, agent: 'helper', ...(Array.isArray(task) && { parallel: true }), ...more },
  });
  const calls = [
    spawn('top', 'Begin.'),
    spawn('middle', tasks, { chainAfter: 'top' }),
    spawn('bottom', 'End.', { chainAfter: 'middle' }),
  ];
  const script = `agents:
  editor:
    - { calls: ${JSON.stringify(calls)}, ${USAGE} }
    - { call: { sessions_wait: {} }, ${USAGE} }
    - { answer: All ended., ${USAGE} }
  helper:
    - { answer: Done., ${USAGE} }
`;
  const cadre = await loadCadre(cadreFolder(agents, script));
  const begin = performance.now();
  const handle = await cadre.run('editor', 'Go.');
  const outcome = await handle.outcome();
  const ms = performance.now() - begin;
  let helpers = 0;
  for await (const event of handle.events()) {
    if (event.type === 'op-start' && event.op.kind === 'model' && event.op.agent === 'helper') helpers += 1;
  }
  if (outcome.text !== 'All ended.' || helpers !== count)
    throw new Error(`${helpers} of ${count} ran, then ${JSON.stringify(outcome).slice(0, 500)}`);
  const what = `${count.toLocaleString('en-US')} background runs in a diamond, file store`;
  return [[what, `${figure(ms)} ms, ${figure((ms * 1000) / count)} µs per run`]];
}
