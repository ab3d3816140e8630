// The findings that only the servers and the functions themselves can give: they do not start, or lack tools that agent
// files and cadre.yaml name. Every server that an agent names is started, within a deadline, and closed afterwards.

import { nearestNames } from '../../base/text/nearest.ts';
import { isBuiltIn } from '../../definition/built-in-tools.ts';
import type { AgentDefinition, CadreDefinition } from '../../definition/definition.ts';
import type { Diagnostic } from '../../definition/diagnostic.ts';
import type { SignIns } from '../../journal/store.ts';
import { faultOf } from '../../kernel/fault.ts';
import { signInCommand, signInOf } from '../../kernel/sign-in.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import { parseCallRules } from '../../rules/call-rule.ts';
import { unknownArguments } from '../../run/resources/ruled-tools.ts';
import { type BoxedTool, isMeantBy, type Toolbox } from '../../tools/toolbox.ts';
import { configFinding, findingAt, lineOfKey } from './deep-findings.ts';
import { offerOf } from './offered-tools.ts';
import { openSources, serversOf, sourceOf } from './sources.ts';

/** `started`: the servers that were started, by the name that agents use. */
export async function toolFindings(
  cadre: CadreDefinition,
  { signal, signIns }: { readonly signal: StopSignal; readonly signIns: SignIns | undefined },
) {
  const toolbox = openSources(unfiltered(cadre), signIns);
  try {
    const servers = serversOf(cadre.agents.values());
    const looked = await Promise.all(servers.map((server) => looking(server, toolbox, signal)));
    const offered = new Map(looked.flatMap(({ server, tools }) => (tools === undefined ? [] : [[server, tools]])));
    const failures = looked.flatMap(({ server, why, command }) =>
      why === undefined ? [] : [unusable(cadre, server, { why, command })],
    );
    const named = [...cadre.agents.values()].flatMap((agent) => unknownEntries(agent, offered));
    const functions = await functionFindings(cadre, toolbox, signal);
    const filters = [...offered].flatMap(([server, tools]) => unknownFilters(cadre, server, tools));
    return { diagnostics: [...failures, ...named, ...functions, ...filters], started: [...offered.keys()] };
  } finally {
    await toolbox.close();
  }
}

/** The servers with all of their tools, so that what `allow` and `deny` name can be compared. */
function unfiltered(cadre: CadreDefinition): CadreDefinition {
  const servers = Object.entries(cadre.config.mcpServers).map(([name, { allow: _allow, deny: _deny, ...rest }]) => [
    name,
    rest,
  ]);
  return {
    ...cadre,
    config: { ...cadre.config, mcpServers: Object.fromEntries(servers) as typeof cadre.config.mcpServers },
  };
}

async function looking(
  server: string,
  toolbox: Toolbox,
  signal: StopSignal,
): Promise<{
  readonly server: string;
  readonly tools?: readonly BoxedTool[];
  readonly why?: string;
  /** The command that signs in to it, if it wants that. */
  readonly command?: string | undefined;
}> {
  try {
    return { server, tools: await toolbox.resolve([server], { signal }) };
  } catch (thrown) {
    const wanted = signInOf(faultOf(thrown));
    return {
      server,
      command: wanted && signInCommand(wanted),
      why: signal.aborted ? `the MCP server "${serverName(server)}" did not answer in time` : faultOf(thrown).message,
    };
  }
}

const serverName = (source: string): string => source.slice('mcp:'.length);

const unusable = (
  cadre: CadreDefinition,
  server: string,
  { why, command }: { readonly why: string; readonly command: string | undefined },
): Diagnostic =>
  configFinding(cadre, serverName(server), {
    code: 'mcp/unusable',
    severity: 'error',
    message: why,
    help: command === undefined ? 'Start it by hand to see what it says.' : `Run: ${command}`,
  });

/** Entries of `tools` and `approve` that name one tool of a server, which the server does not have. */
function unknownEntries(
  agent: AgentDefinition,
  offered: ReadonlyMap<string, readonly BoxedTool[]>,
): readonly Diagnostic[] {
  const { file, text, tools, approve, trust, deny } = agent;
  const ruled = Object.entries({ approve, trust, deny }).flatMap(([key, rules]) =>
    parseCallRules(rules).map(({ name }) => [key, name] as const),
  );
  const entries = [...tools.map((entry) => ['tools', entry] as const), ...ruled];
  const wrong = unknownArguments(agent, [...offered.values()].flat());
  const misnamed = wrong.map(({ key, entry, why }) =>
    findingAt(file, lineOfKey(text, key), {
      code: 'tool/unknown',
      severity: 'error',
      message: `\`${key}\` names "${entry}", and ${why.message}`,
      help: why.help,
    }),
  );
  const unknown = entries.flatMap(([key, entry]): readonly Diagnostic[] => {
    const all = entry.includes('/') ? offered.get(sourceOf(entry)) : undefined;
    if (all === undefined || all.some((one) => isMeantBy(entry, one))) return [];
    return [
      findingAt(file, lineOfKey(text, key), {
        code: 'tool/unknown',
        severity: 'error',
        message: `\`${key}\` names "${entry}", and the server has no such tool`,
        help: knownText(entry, all),
      }),
    ];
  });
  return [...misnamed, ...unknown];
}

function knownText(name: string, all: readonly BoxedTool[]): string {
  const addresses = all.map(({ address }) => address);
  const near = nearestNames(name, addresses);
  if (near.length > 0) return `Did you mean ${near.join(' or ')}?`;
  return `It has: ${addresses.slice(0, 12).join(', ')}${addresses.length > 12 ? ` and ${addresses.length - 12} more` : ''}.`;
}

/** Names without a star under `allow` and `deny` that the server does not have. */
function unknownFilters(cadre: CadreDefinition, server: string, tools: readonly BoxedTool[]): readonly Diagnostic[] {
  const name = serverName(server);
  const { allow = [], deny = [] } = cadre.config.mcpServers[name] ?? {};
  const known = tools.map(({ tool }) => tool.nativeName ?? tool.spec.name);
  return [...allow.map((one) => ['allow', one] as const), ...deny.map((one) => ['deny', one] as const)]
    .filter(([, one]) => !one.includes('*') && !known.includes(one))
    .map(([key, one]) =>
      configFinding(cadre, name, {
        code: 'mcp/unknown-name',
        severity: 'warning',
        message: `\`mcpServers.${name}.${key}\` names "${one}", and the server has no such tool`,
        help: `It has: ${known.slice(0, 12).join(', ')}${known.length > 12 ? ` and ${known.length - 12} more` : ''}.`,
      }),
    );
}

/** Functions are loaded here, as a run would load them. */
async function functionFindings(
  cadre: CadreDefinition,
  toolbox: Toolbox,
  signal: StopSignal,
): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const agent of cadre.agents.values()) {
    const functions = agent.tools.filter((entry) => cadre.config.functions !== undefined && isFunction(entry));
    if (functions.length === 0) continue;
    const { unseen } = await offerOf({ ...agent, tools: functions }, cadre, toolbox, { connect: true, signal });
    for (const { why } of unseen) {
      found.push(
        findingAt(agent.file, lineOfKey(agent.text, 'tools'), {
          code: 'tool/unknown',
          severity: 'error',
          message: why,
          help: 'Export it from a file that `functions` in cadre.yaml names.',
        }),
      );
    }
  }
  return found;
}

const isFunction = (entry: string): boolean => !/^(?:mcp|rest):/.test(entry) && !isBuiltIn(sourceOf(entry));
