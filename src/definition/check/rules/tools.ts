// Rules about tools: every source that an agent lists exists, and every tool under `approve` is listed.
// A tool to approve is named like an entry of `tools`, like one tool of it (`mcp:docs/search`), or, for Cadre's own
// sources, REST tools and functions, by the plain name that models see. Only the server knows whether an MCP server has
// the tool: a run finds that out before its first model call.

import { meantOr, nearest } from '../../../base/text/nearest.ts';
import { matchesStars } from '../../../base/text/star-text.ts';
import { parseCallRule } from '../../../rules/call-rule.ts';
import { BUILT_IN_SOURCES, builtInTools, isBuiltIn } from '../../built-in-tools.ts';
import type { CadreConfig } from '../../definition.ts';
import type { FindingText } from '../../diagnostic.ts';
import { type Checkup, forEachEntry } from './checkup.ts';

export const toolSourcesExist = forEachEntry('tools', (tool, _agent, checkup) => unknownSource(tool, checkup));

export function unknownSource(tool: string, checkup: Checkup) {
  const problem = toolProblem(tool, checkup.config.config, checkup.knownTools);
  if (problem === undefined) return undefined;
  const functions = functionsSeen(tool, checkup);
  if (functions === 'named') return undefined;
  return functions === undefined
    ? { code: 'tool/unknown', ...problem }
    : { code: 'tool/unseen', severity: 'warning' as const, ...functions };
}

export const approvedToolsAreListed = forEachEntry('approve', (entry, { definition }, { config: { config } }) => {
  const tools = [...definition.tools, ...definition.patterns.flatMap(({ pattern }) => pattern.helperSources ?? [])];
  const { name } = parseCallRule(entry) ?? {};
  if (name === undefined) return undefined;
  const problem = !tools.some((tool) => covers(tool, name))
    ? notListed('approve', name, tools)
    : covers('person', name)
      ? ASKS_ANYWAY
      : withheld(name, config);
  return problem && { code: 'approve/not-a-tool', ...problem };
});

const ASKS_ANYWAY: FindingText = {
  message: '`approve` names ask_person, which is itself a question to a person',
  help: 'Remove it here.',
};

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * True if the files of functions may offer a tool. They are read and not run, so a name that none of them holds may
 * still be a tool: one that is imported from elsewhere, or whose name is computed.
 */
function functionsSeen(tool: string, { config: { config }, texts }: Checkup): 'named' | FindingText | undefined {
  const { functions: files = [] } = config;
  if (files.length === 0 || !TOOL_NAME.test(tool)) return undefined;
  const words = files.flatMap((file) => texts.get(file)?.match(/[a-zA-Z0-9_-]+/g) ?? []);
  if (words.includes(tool)) return 'named';
  const named = files.flatMap((file) =>
    [...(texts.get(file) ?? '').matchAll(/\bname['"]?\s*:\s*['"`]([a-zA-Z0-9_-]{1,64})['"`]/g)].map(
      ([, one = '']) => one,
    ),
  );
  const near = nearest(tool, [...Object.keys(BUILT_IN_SOURCES), ...named]);
  return {
    message: `no tool source is called "${tool}", and ${files.join(', ')} ${files.length === 1 ? 'does' : 'do'} not name it`,
    help:
      (near === undefined ? '' : `Did you mean "${near}"? `) +
      'A run finds out when it begins, because a check does not run the functions.',
  };
}

export function notListed(
  key: 'approve' | 'trust' | 'stuck.except',
  name: string,
  tools: readonly string[],
): FindingText {
  const known = tools.flatMap((tool) => [tool, ...builtInTools(tool)]);
  const near = [name, ...name.split('/').reverse()]
    .map((part) => nearest(part, known))
    .find((one) => one !== undefined);
  return {
    message: `\`${key}\` names "${name}", which is not one of this agent's tools`,
    help:
      near === undefined
        ? `Add it to tools, or name one of: ${known.join(', ') || 'there are none'}.`
        : `Did you mean "${near}"?`,
  };
}

/** A tool of a listed server that cadre.yaml does not let through. */
function withheld(name: string, config: CadreConfig): FindingText | undefined {
  const [, server = '', single] = MCP_TOOL.exec(name) ?? [];
  const isDeclared = single !== undefined && Object.hasOwn(config.mcpServers, server);
  return isDeclared ? singleProblem(server, single, config) : undefined;
}

const MCP_TOOL = /^mcp:([^/]*)\/(.*)$/;

/** True if an entry of `tools` offers the tool that `approve` or `trust` names. */
export function covers(tool: string, approved: string): boolean {
  if (tool === approved) return true;
  // `tools` lists the server and `approve` one tool of it, or the other way round.
  if (tool.startsWith('mcp:')) return isOneOf(tool, approved) || isOneOf(approved, tool);
  if (isBuiltIn(tool)) return builtInTools(tool).some((name) => approved === name || approved === `${tool}/${name}`);
  const [source = '', single] = tool.split('/', 2);
  if (isBuiltIn(source)) return approved === single;
  return tool === `rest:${approved}`;
}

const isOneOf = (server: string, single: string): boolean =>
  !server.includes('/') && single.startsWith(`${server}/`) && single !== `${server}/`;

function toolProblem(tool: string, config: CadreConfig, functions: readonly string[]): FindingText | undefined {
  if (isBuiltIn(tool) || functions.includes(tool)) return undefined;
  const own = ownProblem(tool);
  if (own !== undefined) return own === 'none' ? undefined : own;
  const servers = Object.keys(config.mcpServers);
  const rest = Object.keys(config.restTools);
  const [, kind, name = '', single] = /^(mcp|rest):([^/]*)(?:\/(.*))?$/.exec(tool) ?? [];
  if (kind === 'mcp' && servers.includes(name))
    return single === undefined ? undefined : singleProblem(name, single, config);
  if (kind === 'rest' && rest.includes(name) && single === undefined) return undefined;

  const known = [
    ...Object.keys(BUILT_IN_SOURCES),
    ...servers.map((one) => `mcp:${one}`),
    ...rest.map((one) => `rest:${one}`),
    ...functions,
  ];
  const near = nearest(tool, known) ?? known.find((one) => one.slice(one.indexOf(':') + 1) === tool);
  const message = `there is no tool source "${tool}"`;
  if (near !== undefined) return { message, help: `Did you mean "${near}"?` };
  if (kind === 'mcp') return { message, help: `Declare ${name || 'the server'} under mcpServers in cadre.yaml.` };
  if (kind === 'rest') return { message, help: `Declare ${name || 'the tool'} under restTools in cadre.yaml.` };
  return { message, help: `Known: ${known.join(', ')}. An MCP server is mcp:<server>, a REST tool rest:<name>.` };
}

/** One tool of a source that Cadre brings: `files/read_file`. Undefined if it is something else. */
function ownProblem(tool: string): FindingText | 'none' | undefined {
  const [, source = '', single = ''] = /^([^/]*)\/(.*)$/s.exec(tool) ?? [];
  if (!isBuiltIn(source)) return undefined;
  const names = builtInTools(source);
  if (names.includes(single)) return 'none';
  const near = nearest(single, names);
  return {
    message: `${source} has no tool "${single}"`,
    help: near === undefined ? `It has: ${names.join(', ')}.` : `Did you mean "${source}/${near}"?`,
  };
}

/** One tool of a server: cadre.yaml says whether it is offered; only the server knows whether it exists. */
function singleProblem(server: string, tool: string, config: CadreConfig): FindingText | undefined {
  const { allow, deny } = config.mcpServers[server]!;
  if (tool === '')
    return { message: `"mcp:${server}/" names no tool`, help: `Write mcp:${server}, or mcp:${server}/<tool>.` };
  if (allow !== undefined && !allow.some((pattern) => matchesStars(pattern, tool)))
    return {
      message: `cadre.yaml does not allow the tool "${tool}" of mcpServers.${server}`,
      help: meantOr(tool, allow, `Allowed: ${allow.join(', ')}.`),
    };
  if (deny?.some((pattern) => matchesStars(pattern, tool)) !== true) return undefined;
  return {
    message: `cadre.yaml denies the tool "${tool}" of mcpServers.${server}`,
    help: 'Remove it here, or from deny.',
  };
}
