// Folders of agents made for a measurement: agent files, a cadre.yaml and a script. The runner names the place and
// removes all of them at its end, not before: ext4 is slow to make files where many were removed just now.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const config = (maxTurns) => `providers:
  fake: { kind: scripted, script: ./fake.script.yaml }
defaults: { models: [fake/model] }
limits: { maxTurns: ${maxTurns}, concurrency: 10000 }
`;

/** `agents` are frontmatter and body by name, `script` the text of the scripted model. */
export function cadreFolder(agents, script, maxTurns = 1000) {
  const texts = Object.entries(agents).map(([name, text]) => [`${name}.md`, text]);
  return folderOf([['cadre.yaml', config(maxTurns)], ['fake.script.yaml', script], ...texts]);
}

export function folderOf(texts) {
  const folder = mkdtempSync(join(process.env.CADRE_BENCH_SCRATCH ?? tmpdir(), 'cadre-bench-'));
  for (const [file, text] of texts) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

export const agentText = (frontmatter, body) => `---\n${frontmatter}\n---\n${body}\n`;

/** The path of an agent that answers at once with its input. */
export function cliAgent() {
  const script = 'agents:\n  worker:\n    - { answer: "The total is {{last}}" }\n';
  return join(cadreFolder({ worker: agentText('description: Answers.', 'You answer.') }, script), 'worker.md');
}
