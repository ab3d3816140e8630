// One reply that calls a thousand sub-agents, in one run.

import { performance } from 'node:perf_hooks';
import { library } from '../built.mjs';
import { USAGE } from '../cadre-adapter.mjs';
import { agentText, cadreFolder } from '../cadre-folder.mjs';
import { figure, median } from '../statistics.mjs';

const COUNT = 1000;

export async function measure(quick) {
  const { loadCadre } = await library();
  const calls = Array.from({ length: COUNT }, () => ({ agent__helper: { input: 'Well?', reason: 'I must know.' } }));
  const agents = {
    boss: agentText(`agents: [helper]\nmaxToolCallsPerTurn: ${COUNT}`, 'Ask.'),
    helper: agentText('description: Knows.', 'You know.'),
  };
  const script = `agents:
  boss:
    - { calls: ${JSON.stringify(calls)}, ${USAGE} }
    - { answer: Heard., ${USAGE} }
  helper:
    - { answer: "42", ${USAGE} }
`;
  const cadre = await loadCadre(cadreFolder(agents, script));
  const samples = [];
  for (let count = 0; count < (quick ? 2 : 10); count++) {
    const begin = performance.now();
    const { text } = await (await cadre.run('boss', 'Go.')).outcome();
    samples.push(performance.now() - begin);
    if (text !== 'Heard.') throw new Error(text);
  }
  return [['1,000 sub-agents called in one reply, file store', `${figure(median(samples))} ms`]];
}
