// Fills a store with real runs of three agents: node fill.mjs <folder> <runs>. A folder that was filled before is left as it is.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, refuse } from '../../scripts/command-line.mjs';
import { library } from '../built.mjs';
import { agentText } from '../cadre-folder.mjs';

const AGENTS = ['desk', 'writer', 'critic'];
const AT_ONCE = 8;

const [folder, runs] = commandLine(import.meta.url, { most: 2 }).positionals;
if (folder === undefined || !(Number(runs) > 0)) refuse(import.meta.url, 'It needs a folder and a number of runs.');
if (existsSync(join(folder, '.cadre'))) process.exit(0);
mkdirSync(folder, { recursive: true });
const config = 'providers:\n  fake: { kind: scripted, script: ./s.yaml }\ndefaults: { models: [fake/model] }\n';
writeFileSync(join(folder, 'cadre.yaml'), config);
const step = '    - { answer: "About {{last}}.", usage: { input: 10, output: 5 } }\n';
writeFileSync(join(folder, 's.yaml'), `agents:\n${AGENTS.map((agent) => `  ${agent}:\n${step}`).join('')}`);
for (const agent of AGENTS)
  writeFileSync(join(folder, `${agent}.md`), agentText(`description: ${agent}`, 'You answer.'));

const { loadCadre } = await library();
const cadre = await loadCadre(folder);
let next = 0;
async function line() {
  while (next < Number(runs)) {
    const number = next++;
    const handle = await cadre.run(AGENTS[number % AGENTS.length], `Question ${number} about order ${number % 1000}.`);
    await handle.outcome();
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, line));
await cadre.close();
