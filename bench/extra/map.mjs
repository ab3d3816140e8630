// A map of 200 items and 200 advisors, measured in turns: what an item costs beside an advisor.

import { performance } from 'node:perf_hooks';
import { library } from '../built.mjs';
import { USAGE } from '../cadre-adapter.mjs';
import { agentText, cadreFolder } from '../cadre-folder.mjs';
import { figure, median } from '../statistics.mjs';

const COUNT = 200;
const SCHEMA = '{ type: object, properties: { items: { type: array, items: { type: string } } }, required: [items] }';

export async function measure(quick) {
  const { loadCadre } = await library();
  const maps = await loadCadre(mapFolder());
  const advised = await loadCadre(advisorFolder());
  const samples = { map: [], advisors: [] };
  for (let round = 0; round < (quick ? 4 : 25); round++) {
    samples.map.push(await timed(() => maps.run('lister', 'Go.')));
    samples.advisors.push(await timed(() => advised.run('boss', 'Go.')));
  }
  const [item, advisor] = [samples.map, samples.advisors].map((times) => median(times.slice(2)) / COUNT);
  await Promise.all([maps.close(), advised.close()]);
  return [
    [`an item of a map of ${COUNT}, file store`, `${figure(item)} ms`],
    [`an advisor of ${COUNT}, in turns with it`, `${figure(advisor)} ms`],
    ['an item beside an advisor (at most 1.3)', `${figure(item / advisor)} ×`],
  ];
}

async function timed(start) {
  const begin = performance.now();
  const outcome = await (await start()).outcome();
  if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome));
  return performance.now() - begin;
}

function mapFolder() {
  const items = JSON.stringify(Array.from({ length: COUNT }, (_, index) => `Part ${index}`));
  const next = `{ each: items, to: worker, max: ${COUNT}, concurrent: 64, join: boss }`;
  const script = `agents:
  lister: [{ report: { items: ${items} }, ${USAGE} }]
  worker: [{ answer: "42", ${USAGE} }]
  boss: [{ answer: Heard., ${USAGE} }]
`;
  const agents = {
    lister: agentText(`output: { schema: ${SCHEMA} }\nnext: ${next}`, 'You list.'),
    worker: agentText('description: Works.', 'You work.'),
    boss: agentText('description: Joins.', 'You join.'),
  };
  return cadreFolder(agents, script);
}

function advisorFolder() {
  const names = Array.from({ length: COUNT }, (_, index) => `advisor-${index}`);
  const advisors = names.map((name) => [name, agentText('description: Knows.', 'You know.')]);
  const agents = { boss: agentText(`advisors: [${names.join(', ')}]`, 'You decide.'), ...Object.fromEntries(advisors) };
  return cadreFolder(agents, `any: [{ answer: "42", repeat: true, ${USAGE} }]\n`);
}
