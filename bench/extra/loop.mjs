// A loop of 100 rounds, none of whose answers is good: what its last ten rounds cost beside its first ten. Both are of
// the same run, and the runs follow each other, so a slow moment of the machine is in both.

import { performance } from 'node:perf_hooks';
import { library } from '../built.mjs';
import { USAGE } from '../cadre-adapter.mjs';
import { agentText, cadreFolder } from '../cadre-folder.mjs';
import { figure, median } from '../statistics.mjs';

const ROUNDS = 100;
const TEN = 10;

export async function measure(quick) {
  const { loadCadre, tool } = await library();
  const agents = {
    writer: agentText(
      `tools: [mark]\nrepeat: { until: critic, max: ${ROUNDS} }\nmaxTurns: ${2 * ROUNDS}`,
      'You write.',
    ),
    critic: agentText('description: Judges.', 'You judge.'),
  };
  const script = `agents:
  writer:
    - { when: { tool: mark }, answer: A draft., ${USAGE} }
    - { call: { mark: {} }, repeat: true, ${USAGE} }
  critic:
    - { report: { good: false, why: Say more. }, repeat: true, ${USAGE} }
`;
  const marks = [];
  const parameters = { type: 'object', properties: {}, additionalProperties: false };
  const mark = tool({
    name: 'mark',
    description: 'Marks a round.',
    parameters,
    run: () => (marks.push(performance.now()), 'ok'),
  });
  const cadre = await loadCadre(cadreFolder(agents, script), { tools: [mark] });
  const ratios = [];
  const rounds = [];
  for (let count = 0; count < (quick ? 4 : 20); count++) {
    marks.length = 0;
    const outcome = await (await cadre.run('writer', 'Write.')).outcome();
    if (outcome.rounds !== ROUNDS || marks.length !== ROUNDS) throw new Error(JSON.stringify(outcome));
    const first = (marks[TEN] - marks[0]) / TEN;
    const last = (marks[ROUNDS - 1] - marks[ROUNDS - 1 - TEN]) / TEN;
    if (count === 0) continue; // what is compiled on the way is in its first rounds
    ratios.push(last / first);
    rounds.push(first);
  }
  return [
    ['a loop of 100 rounds, file store: each of the first ten', `${figure(median(rounds) * 1000)} µs`],
    ['its last ten beside its first ten', `${figure(median(ratios))} times`],
  ];
}
