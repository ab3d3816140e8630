// The tools of an agent under its rules: which are offered, which ask a person, and which entries mean which tool.

import type { AgentDefinition, CadreConfig } from '../../definition/definition.ts';
import { argumentPattern, type CallRule, parseCallRule, parseCallRules } from '../../rules/call-rule.ts';
import { hangsOnCall, isDeniedWhole, mayAsk, type ToolRules } from '../../rules/judge-call.ts';
import { isOffered } from '../../tools/mcp/server.ts';
import { type BoxedTool, isMeantBy } from '../../tools/toolbox.ts';
import type { AgentTools } from '../resources.ts';

type Ruling = Pick<AgentDefinition, 'approve' | 'trust' | 'deny'>;

/** The rules for one tool. */
export function rulesFor({ approve, trust, deny }: Ruling, one: BoxedTool): ToolRules {
  return {
    deny: meaning(deny, one),
    approve: meaning(approve, one),
    trust: meaning(trust, one).filter(({ onlyIfGiven }) => onlyIfGiven !== true),
    asks: one.tool.asks !== undefined,
  };
}

/** Brackets after a source hold for those of its tools that have the argument. */
function meaning(entries: readonly string[], one: BoxedTool): readonly CallRule[] {
  return parseCallRules(entries).flatMap((rule): readonly CallRule[] => {
    if (!isMeantBy(rule.name, one)) return [];
    const { argument } = argumentPattern(rule.inBrackets ?? '') ?? {};
    const isOfSource = one.address.startsWith(`${rule.name}/`);
    if (argument === undefined || !isOfSource || hasOwnBrackets(one) || argumentsOf(one).includes(argument))
      return [rule];
    return [{ ...rule, onlyIfGiven: true }];
  });
}

/** True if its brackets hold no argument, but a command or a host. */
const hasOwnBrackets = ({ address }: BoxedTool): boolean => /^(?:shell|web)\//.test(address);

/** The names of the arguments that its schema declares. */
export function argumentsOf({ tool }: BoxedTool): readonly string[] {
  const { properties } = (tool.spec.parameters ?? {}) as { readonly properties?: unknown };
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

/** The entry of `tools` is denied whole, so its source need not be opened for it. */
export const isEntryDenied = (tool: string, { deny }: Ruling): boolean =>
  parseCallRules(deny).some(
    ({ name, inBrackets }) => inBrackets === undefined && (tool === name || tool.startsWith(`${name}/`)),
  );

/** The tools that are offered, with what `AgentTools` says about them. */
export function ruledTools(agent: Ruling, boxed: readonly BoxedTool[]): AgentTools {
  const ruled = boxed
    .map((one) => ({ one, name: one.tool.spec.name, rules: rulesFor(agent, one) }))
    .filter(({ rules }) => !isDeniedWhole(rules));
  const asking = ruled.filter(({ rules }) => mayAsk(rules));
  const previews = asking.filter(({ one, rules }) => one.tool.preview !== undefined || hangsOnCall(rules));
  return {
    tools: new Map(ruled.map(({ name, one }) => [name, one.tool])),
    addresses: new Map(ruled.map(({ name, one }) => [name, one.address])),
    rules: new Map(ruled.map(({ name, rules }) => [name, rules])),
    approve: asking.map(({ name }) => name),
    ...(previews.length > 0 && { previews: previews.map(({ name }) => name) }),
  };
}

/** Arguments in brackets that the tools which are meant do not have. */
export function unknownArguments(
  { approve, trust, deny, tools }: AgentDefinition,
  boxed: readonly BoxedTool[],
): readonly UnknownArgument[] {
  const keyed = Object.entries({ approve, trust, deny }).flatMap(([key, entries]) =>
    entries.map((entry) => ({ key, entry, rule: parseCallRule(entry) })),
  );
  return keyed.flatMap(({ key, entry, rule }) => {
    const { argument } = argumentPattern(rule?.inBrackets ?? '') ?? {};
    if (rule === undefined || argument === undefined) return [];
    const meant = boxed.filter((one) => isMeantBy(rule.name, one) && !hasOwnBrackets(one));
    const isWhole = tools.includes(rule.name) || meant.some(({ address }) => !address.startsWith(`${rule.name}/`));
    const known = [...new Set(meant.flatMap(argumentsOf))];
    if (meant.length === 0 || !isWhole || known.includes(argument)) return [];
    const message = `${rule.name} has no argument "${argument}"`;
    return [{ key, entry, why: { message, help: `It has: ${known.join(', ') || 'none'}.` } }];
  });
}

interface UnknownArgument {
  readonly key: string;
  readonly entry: string;
  readonly why: { readonly message: string; readonly help: string };
}

/** Tools of servers that `deny` names and their servers do not have. What cadre.yaml withholds is there. */
export function unknownDenied(
  agent: AgentDefinition,
  boxed: readonly BoxedTool[],
  { mcpServers }: CadreConfig,
): readonly string[] {
  return parseCallRules(agent.deny).flatMap(({ name }) => {
    const [, source = '', server = '', tool = ''] = /^(mcp:([^/]+))\/(.+)$/.exec(name) ?? [];
    const isListed = agent.tools.includes(source) && !isEntryDenied(source, agent);
    if (!isListed || boxed.some((one) => isMeantBy(name, one))) return [];
    return isOffered(mcpServers[server] ?? {}, tool) ? [name] : [];
  });
}
