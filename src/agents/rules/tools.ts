// Rules about tools: every source that an agent lists exists, and whatever waits for a person's yes is listed.
// A tool to approve is named like an entry of `tools`, like one tool of it (`mcp:docs/search`), or, for `files`, REST
// tools and functions, by the plain name that models see.

import type { CadreConfig } from '../definition.ts';
import { nearest } from '../../kernel/nearest.ts';
import { forEachAgent, placeIn } from './checkup.ts';

const FILE_TOOLS = ['read_file', 'list_files', 'search_files'] as const;

export const toolSourcesExist = forEachAgent((agent, checkup) => {
  const { config } = checkup.config;
  for (const [index, tool] of agent.definition.tools.entries()) {
    const problem = toolProblem(tool, config, checkup.knownTools);
    if (problem !== undefined) {
      checkup.report({ code: 'tool/unknown', ...placeIn(agent, checkup, ['tools', index]), ...problem });
    }
  }
});

export const approvedToolsAreListed = forEachAgent((agent, checkup) => {
  const { tools: own, approve, subagent } = agent.definition;
  const tools = subagent === undefined ? own : [...own, 'files']; // its helpers read files, whether it does or not
  for (const [index, name] of approve.entries()) {
    if (tools.some((tool) => covers(tool, name))) continue;
    const near = nearest(name, tools);
    checkup.report({
      code: 'approve/not-a-tool',
      ...placeIn(agent, checkup, ['approve', index]),
      message: `\`approve\` names "${name}", which is not one of this agent's tools`,
      help:
        near === undefined
          ? `Add it to tools, or name one of: ${tools.join(', ') || 'there are none'}.`
          : `Did you mean "${near}"?`,
    });
  }
});

/** Whether an entry of `tools` offers what `approve` names. */
export function covers(tool: string, approved: string): boolean {
  if (tool === approved || approved.startsWith(`${tool}/`)) return approved !== `${tool}/`;
  // The whole server, of which one tool is listed.
  if (tool.startsWith('mcp:') && tool.startsWith(`${approved}/`)) return true;
  if (tool === 'files') return FILE_TOOLS.some((name) => name === approved);
  return tool === `rest:${approved}`;
}

function toolProblem(
  tool: string,
  config: CadreConfig,
  functions: readonly string[],
): { readonly message: string; readonly help: string } | undefined {
  if (tool === 'files' || functions.includes(tool)) return undefined;
  const servers = Object.keys(config.mcpServers);
  const rest = Object.keys(config.restTools);
  const [, kind, name = '', single] = /^(mcp|rest):([^/]*)(?:\/(.*))?$/.exec(tool) ?? [];
  if (kind === 'mcp' && servers.includes(name))
    return single === undefined ? undefined : singleProblem(name, single, config);
  if (kind === 'rest' && rest.includes(name) && single === undefined) return undefined;

  const known = ['files', ...servers.map((one) => `mcp:${one}`), ...rest.map((one) => `rest:${one}`), ...functions];
  const near = nearest(tool, known) ?? known.find((one) => one.slice(one.indexOf(':') + 1) === tool);
  const message = `there is no tool source "${tool}"`;
  if (near !== undefined) return { message, help: `Did you mean "${near}"?` };
  if (kind === 'mcp') return { message, help: `Declare ${name || 'the server'} under mcpServers in cadre.yaml.` };
  if (kind === 'rest') return { message, help: `Declare ${name || 'the tool'} under restTools in cadre.yaml.` };
  return { message, help: `Known: ${known.join(', ')}. An MCP server is mcp:<server>, a REST tool rest:<name>.` };
}

/** One tool of a server: the cadre's own lists say whether it is offered; whether it exists only the server knows. */
function singleProblem(server: string, tool: string, config: CadreConfig) {
  const { allow, deny } = config.mcpServers[server]!;
  if (tool === '')
    return { message: `"mcp:${server}/" names no tool`, help: `Write mcp:${server}, or mcp:${server}/<tool>.` };
  if (allow !== undefined && !allow.includes(tool)) {
    const near = nearest(tool, allow);
    return {
      message: `cadre.yaml does not allow the tool "${tool}" of mcpServers.${server}`,
      help: near === undefined ? `Allowed: ${allow.join(', ')}.` : `Did you mean "${near}"?`,
    };
  }
  if (deny?.includes(tool) !== true) return undefined;
  return {
    message: `cadre.yaml denies the tool "${tool}" of mcpServers.${server}`,
    help: 'Remove it here, or from deny.',
  };
}
