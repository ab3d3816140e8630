// The check of a whole folder of agents, from reading the files to the last finding.

import { performance } from 'node:perf_hooks';
import { DIST, library, testing } from '../built.mjs';
import { folderOf } from '../cadre-folder.mjs';
import { node } from '../processes.mjs';

const SCRIPT = ['demo.script.yaml', 'any:\n  - { answer: Yes., repeat: true }\n'];

export async function measure(quick) {
  const { readCadre } = await library();
  const { generateCadre } = await testing();
  const rows = [];
  for (const count of quick ? [1000] : [1000, 10_000]) {
    const folder = folderOf([...generateCadre(count), SCRIPT]);
    const begin = performance.now();
    const { agents, diagnostics } = await readCadre(folder);
    const ms = performance.now() - begin;
    if (agents !== count || diagnostics.length > 0) throw new Error(`${agents} agents, ${diagnostics.length} findings`);
    const command = await node([`${DIST}/cli/main.js`, 'check', folder]);
    const files = `${count.toLocaleString('en-US')} agent files`;
    rows.push([`check of ${files}, in the process`, `${Math.round(ms)} ms`]);
    rows.push([`\`cadre check\` of ${files}, with the start of the process`, `${Math.round(command.ms)} ms`]);
  }
  return rows;
}
