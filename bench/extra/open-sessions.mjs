// Memory of sessions that stay open: an agent asks ten thousand that may be asked again. A tool reads the heap while
// all of them are open.

import { library } from '../built.mjs';
import { USAGE } from '../cadre-adapter.mjs';
import { agentText, cadreFolder } from '../cadre-folder.mjs';
import { figure } from '../statistics.mjs';

const PER_TURN = 1000;

export async function measure(quick) {
  const turns = quick ? 1 : 10;
  const count = turns * PER_TURN;
  const { loadCadre, tool } = await library();
  const heap = [];
  const weigh = tool({
    name: 'weigh',
    description: 'Reads the heap.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    run() {
      globalThis.gc();
      heap.push(process.memoryUsage().heapUsed);
      return 'weighed';
    },
  });
  const asking = Array.from({ length: PER_TURN }, () => ({
    agent__helper: { input: 'What is six times seven?', reason: 'I must know.' },
  }));
  const agents = {
    boss: agentText(
      `agents: [helper]\ntools: [weigh]\nmaxTurns: ${turns + 5}\nmaxToolCallsPerTurn: ${PER_TURN}\nstuck: off`,
      'Ask.',
    ),
    helper: agentText('description: Knows.\nchat: true', 'You know.'),
  };
  const script = `agents:
  boss:
    - { call: weigh, ${USAGE} }
    - { calls: ${JSON.stringify(asking)}, repeat: ${turns}, ${USAGE} }
    - { call: weigh, ${USAGE} }
    - { answer: Weighed., ${USAGE} }
  helper:
    - { answer: "42", ${USAGE} }
`;
  const cadre = await loadCadre(cadreFolder(agents, script), { tools: [weigh] });
  const outcome = await (await cadre.run('boss', 'Go.')).outcome();
  if (outcome.text !== 'Weighed.') throw new Error(JSON.stringify(outcome).slice(0, 500));
  const each = (heap[1] - heap[0]) / 1024 / count;
  return [[`memory of an open session, ${count.toLocaleString('en-US')} of them, file store`, `${figure(each)} KB`]];
}
