// How a journal grows: with the members of a team that hear each other, and with the length of a chain.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { library } from '../built.mjs';
import { USAGE } from '../cadre-adapter.mjs';
import { agentText, cadreFolder } from '../cadre-folder.mjs';
import { figure } from '../statistics.mjs';

const CYCLES = 5;
/** A broadcast of about 500 characters, as a model writes it. */
const BROADCAST = `{{agent}} says in turn {{turn}}: ${'the harbour is calm, the rigging holds and the stores last for a week; '.repeat(7)}`;

export async function measure(quick) {
  const rows = [];
  for (const members of quick ? [10, 20] : [25, 50, 100]) rows.push(await team(members, 'Done.'));
  for (const members of quick ? [10, 20] : [25, 50, 100])
    rows.push(await team(members, BROADCAST, ', of 500 characters'));
  for (const stages of quick ? [10, 20] : [50, 100, 200]) rows.push(await chain(stages));
  return rows;
}

async function team(count, said, note = '') {
  const members = Array.from({ length: count }, (_, index) => `member-${index + 1}`);
  const agents = {
    lead: agentText(`team: { members: [${members.join(', ')}], supervisor: self }\nmaxTurns: 50`, 'Decide together.'),
    ...Object.fromEntries(members.map((name) => [name, agentText(`description: ${name}\nmaxTurns: 50`, 'You speak.')])),
  };
  const script = `agents:
  lead:
    - { call: { team_broadcast: { message: Once more please. } }, repeat: ${CYCLES - 1}, ${USAGE} }
    - { report: We are done., ${USAGE} }
any:
  - { call: { team_broadcast: { message: "${said}" } }, repeat: true, ${USAGE} }
`;
  const bytes = await journalOf(cadreFolder(agents, script), 'lead', 'We are done.');
  return [
    `a team of ${count} over ${CYCLES} cycles, broadcasts${note || ' of one word'}`,
    sizes(bytes, count, 'member'),
  ];
}

async function chain(count) {
  const next = (index) => (index < count - 1 ? `\nnext: stage-${index + 2}` : '');
  const stages = Array.from({ length: count }, (_, index) => [
    `stage-${index + 1}`,
    agentText(`description: Stage ${index + 1}.${next(index)}`, 'You work.'),
  ]);
  const script = `any:\n  - { answer: "This is {{agent}}.", ${USAGE} }\n`;
  const bytes = await journalOf(cadreFolder(Object.fromEntries(stages), script), 'stage-1', `This is stage-${count}.`);
  return [`a chain of ${count}`, sizes(bytes, count, 'stage')];
}

async function journalOf(folder, agent, answer) {
  const { loadCadre } = await library();
  const cadre = await loadCadre(folder);
  const handle = await cadre.run(agent, 'Shall we ship?');
  const outcome = await handle.outcome();
  if (outcome.text !== answer) throw new Error(JSON.stringify(outcome));
  await cadre.close();
  const runs = join(folder, '.cadre/runs');
  return statSync(join(runs, readdirSync(runs)[0], 'events.jsonl')).size;
}

const sizes = (bytes, count, each) => `${figure(bytes / 1e6)} MB, ${figure(bytes / 1e3 / count)} kB per ${each}`;
