// cadre help <agent>: what an agent is for, how to ask it, and its frontmatter with every effective value.

import { agentTemplate } from '../../../definition/show/template.ts';
import { findAgent } from '../../lookup/find-agent.ts';
import { howToPhrase } from '../../lookup/read-input.ts';
import { print } from '../../screen/output.ts';
import { paintFor } from '../../screen/terminal.ts';

export async function helpAgent(asked: string, dir: string | undefined): Promise<number> {
  const { cadre, agent } = await findAgent(asked, dir);
  const paint = paintFor(process.stdout);
  const lines = [
    `${paint('strong', agent.name)}  ${paint('faint', agent.file)}`,
    ...(agent.description === undefined ? [] : [agent.description]),
    '',
    howToPhrase(agent),
    '',
    agentTemplate(cadre, agent.name) ?? '',
  ];
  print(lines.join('\n').replace(/\n$/, ''));
  return 0;
}
