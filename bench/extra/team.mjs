// A team of twenty over ten cycles: every member speaks in every cycle, and hears what the others said.

import { performance } from 'node:perf_hooks';
import { library } from '../built.mjs';
import { USAGE } from '../cadre-adapter.mjs';
import { agentText, cadreFolder } from '../cadre-folder.mjs';
import { figure, median } from '../statistics.mjs';

const MEMBERS = 20;
const CYCLES = 10;

export async function measure(quick) {
  const { loadCadre } = await library();
  const members = Array.from({ length: MEMBERS }, (_, index) => `member-${index + 1}`);
  const team = `team: { members: [${members.join(', ')}], supervisor: self }\nmaxTurns: 50`;
  const agents = {
    lead: agentText(team, 'Decide together.'),
    ...Object.fromEntries(members.map((name) => [name, agentText(`description: ${name}\nmaxTurns: 50`, 'You speak.')])),
  };
  const script = `agents:
  lead:
    - { call: { team_broadcast: { message: Once more please. } }, repeat: ${CYCLES - 1}, ${USAGE} }
    - { report: We are done., ${USAGE} }
any:
  - { call: { team_broadcast: { message: "{{agent}} says {{turn}}" } }, repeat: true, ${USAGE} }
`;
  const cadre = await loadCadre(cadreFolder(agents, script));
  const samples = [];
  for (let count = 0; count < (quick ? 2 : 8); count++) {
    const begin = performance.now();
    const handle = await cadre.run('lead', 'Shall we ship?');
    const outcome = await handle.outcome();
    samples.push(performance.now() - begin);
    const calls = await modelCalls(handle);
    if (outcome.text !== 'We are done.' || calls !== (MEMBERS + 1) * CYCLES)
      throw new Error(`${calls} model calls, then ${JSON.stringify(outcome)}`);
  }
  const ms = median(samples);
  const each = (ms * 1000) / ((MEMBERS + 1) * CYCLES);
  return [
    [`a team of ${MEMBERS} over ${CYCLES} cycles, file store`, `${figure(ms)} ms, ${figure(each)} µs per model call`],
  ];
}

async function modelCalls(handle) {
  let count = 0;
  for await (const event of handle.events()) if (event.type === 'op-start' && event.op.kind === 'model') count += 1;
  return count;
}
