// Rules about `stuck`: a session is warned before it is ended, and what is left out is a tool of the agent.

import { configOf, describeUse } from '../../../patterns/record.ts';
import { subagentPattern } from '../../../patterns/subagent/pattern.ts';
import { type Checkup, forEachAgent, placeIn } from './checkup.ts';
import { covers, notListed } from './tools.ts';

export const circlesAreToldOfFirst = forEachAgent((agent, checkup) => {
  const { stuck } = agent.definition;
  if (stuck === undefined || stuck.warn <= stuck.stop) return;
  const { fields } = agent;
  const key = typeof fields.stuck === 'object' && fields.stuck.warn !== undefined ? 'warn' : 'stop';
  checkup.report({
    code: 'stuck/order',
    ...placeIn(agent, checkup, ['stuck', key]),
    message: `\`stuck\` ends the session at the call ${stuck.stop}, before the first warning, at ${stuck.warn}`,
    help: `Write a stop of at least ${stuck.warn}, or a smaller warn.`,
  });
});

/** An entry of cadre.yaml, which is for all agents, need not be a tool of each. */
export const exceptedToolsAreListed = forEachAgent((agent, checkup) => {
  const { name, patterns, stuck } = agent.definition;
  if (agent.file.tree?.entries.has('stuck') !== true) return;
  const helps = configOf(agent.definition, subagentPattern)?.enabled === true;
  const tools = [...agent.definition.tools, ...(helps ? ['files'] : [])]; // helpers have no file of their own
  const given = patterns.flatMap((use) => describeUse(use, name, agentsOf(checkup)).tools.map((tool) => tool.name));
  for (const [index, entry] of (stuck?.except ?? []).entries()) {
    if (given.includes(entry) || tools.some((tool) => covers(tool, entry) || covers(entry, tool))) continue;
    checkup.report({
      code: 'stuck/not-a-tool',
      ...placeIn(agent, checkup, ['stuck', 'except', index]),
      ...notListed('stuck.except', entry, [...tools, ...given]),
    });
  }
});

const agentsOf = ({ agents }: Checkup) => ({ get: (name: string) => agents.get(name)?.definition });
