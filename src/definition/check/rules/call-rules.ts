// Rules about entries of `approve`, `trust` and `deny`: each names what is there, says in brackets only what its tool
// understands, and has something left to say beside the entries that count before it.

import { nodeAt } from '../../../base/yaml/node.ts';
import { FINAL_REPORT } from '../../../kernel/session/final-report.ts';
import { READ_RESULT_NAME } from '../../../kernel/session/session-tool.ts';
import { CATALOG, reservedBy } from '../../../patterns/catalog.ts';
import { sourcesUsed } from '../../../patterns/record.ts';
import { argumentPattern, type CallRule, parseCallRule, parseCallRules } from '../../../rules/call-rule.ts';
import { type BracketKind, coversCalls, meansEveryCall } from '../../../rules/covers-calls.ts';
import { BUILT_IN_SOURCES } from '../../built-in-tools.ts';
import type { CadreConfig } from '../../definition.ts';
import type { FindingText } from '../../diagnostic.ts';
import type { LinkedAgent } from '../../link/define.ts';
import type { SourcePlace } from '../../source.ts';
import { type Checkup, forEachAgent, forEachEntry, placeIn, type Rule } from './checkup.ts';
import { builtInSourceOf, fullName, knownArguments, meansAllOf } from './rule-names.ts';
import { covers, notListed, unknownSource } from './tools.ts';

export const approvedCallsAreWellFormed = forEachEntry('approve', (entry, _agent, { config: { config } }) => {
  const problem = formProblem('approve', entry, config);
  return problem && { code: 'rule/brackets', ...problem };
});

export const trustedToolsAsk = forEachEntry('trust', (entry, agent, checkup) => {
  const problem = formProblem('trust', entry, checkup.config.config) ?? trustProblem(entry, agent, checkup);
  return problem && { code: 'trust/invalid', ...problem };
});

export const deniedToolsAreKnown: Rule = (checkup) => {
  const { config, defaults, source, tree } = checkup.config;
  const look = (entries: readonly string[], placeOf: (index: number) => SourcePlace): void => {
    for (const [index, entry] of entries.entries()) {
      const form = formProblem('deny', entry, config);
      if (form !== undefined) checkup.report({ code: 'rule/brackets', ...form, ...placeOf(index) });
      const { name } = parseCallRule(entry) ?? {};
      const unknown = name === undefined ? undefined : unknownTarget(name, checkup);
      if (unknown !== undefined) checkup.report({ ...unknown, ...placeOf(index) });
    }
  };
  for (const agent of checkup.agents.values())
    look(agent.file.fields.deny ?? [], (index) => placeIn(agent, checkup, ['deny', index]));
  if (source === undefined || tree === undefined) return;
  for (const [key, entries] of Object.entries({ limits: config.limits.deny, defaults: defaults.deny ?? [] }))
    look(entries, (index) => ({ source, at: nodeAt(tree, [key, 'deny', index]) }));
};

/** An entry that counts later, and of which one that counts first leaves nothing. */
export const noRuleIsDead = forEachAgent((agent, checkup) => {
  const { deny, approve, trust } = agent.definition;
  const ranked = [
    ...deny.map((entry) => ({ key: 'deny', index: -1, entry, rank: 0 })),
    ...Object.entries({ approve, trust }).flatMap(([key, entries], place) =>
      entries.map((entry, index) => ({ key, index, entry, rank: 1 + place + (entry.endsWith(')') ? 0 : 2) })),
    ),
  ];
  for (const { key, index, entry, rank } of ranked) {
    if (key === 'deny') continue;
    const stronger = ranked.find(
      (one) => one.rank < rank && one.key !== key && leavesNothing(one.entry, entry, checkup),
    );
    if (stronger === undefined) continue;
    checkup.report({
      code: 'rule/dead',
      ...placeIn(agent, checkup, [key, index]),
      message: `"${entry}" under \`${key}\` never holds, because "${stronger.entry}" under \`${stronger.key}\` counts before it`,
      help: 'Remove one of the two, or say in brackets which calls are meant.',
    });
  }
});

/** The mistake in an entry, whatever the agent has. */
function formProblem(key: string, entry: string, config: CadreConfig): FindingText | undefined {
  const rule = parseCallRule(entry);
  if (rule === undefined)
    return {
      message: `\`${key}\` takes a tool or a source, and calls of it in brackets, not ${JSON.stringify(entry)}`,
      help: `Write ${FORMS}.`,
    };
  return rule.inBrackets === undefined ? undefined : bracketsProblem(rule, rule.inBrackets, config);
}

const FORMS = [
  ...Object.entries(BUILT_IN_SOURCES)
    .filter(([, { asks }]) => asks)
    .map(([source, { brackets }]) => (brackets === undefined ? source : `${source}, ${source}(${brackets.example})`)),
  'edit_file(path=src/**)',
].join(', ');

function bracketsProblem({ entry, name }: CallRule, inBrackets: string, config: CadreConfig): FindingText | undefined {
  const full = fullName(name, config);
  const { brackets } = builtInSourceOf(full) ?? {};
  if (brackets !== undefined) {
    const problem = brackets.problem(inBrackets);
    if (problem === undefined) return undefined;
    return { message: `"${entry}": ${problem}`, help: `Write it like ${name}(${brackets.example}).` };
  }
  const known = knownArguments(full, config);
  const meant = argumentPattern(inBrackets);
  if (meant === undefined)
    return {
      message: `"${entry}" does not say which argument is meant`,
      help: `Write it like ${name}(${known?.[0] ?? 'to'}=…), where * stands for anything.`,
    };
  if (known === undefined || known.includes(meant.argument)) return undefined;
  return {
    message: `"${entry}": ${name} has no argument "${meant.argument}"`,
    help: `It has: ${known.join(', ') || 'none'}.`,
  };
}

function trustProblem(
  entry: string,
  { definition }: LinkedAgent,
  { config: { config } }: Checkup,
): FindingText | undefined {
  const { approve } = definition;
  const tools = sourcesUsed(definition);
  const { name = '' } = parseCallRule(entry) ?? {};
  if (!tools.some((tool) => covers(tool, name) || covers(name, tool))) return notListed('trust', name, tools);
  const full = fullName(name, config);
  const asks = builtInSourceOf(full)?.asks === true;
  const approved = parseCallRules(approve).map((rule) => fullName(rule.name, config));
  if (asks || approved.some((one) => meansAllOf(one, full) || meansAllOf(full, one))) return undefined;
  return {
    message: `"${name}" does not ask by default, so there is nothing to trust it with`,
    help: 'Remove it here. A tool of a server, a REST tool or a function asks only if `approve` names it.',
  };
}

/** A source or tool that is not there. It need not be one of the agent. */
function unknownTarget(name: string, checkup: Checkup) {
  const { config } = checkup.config;
  const full = fullName(name, config);
  const [, server = ''] = /^mcp:([^/]*)(?:\/.+)?$/.exec(full) ?? [];
  if (Object.hasOwn(config.mcpServers, server)) return undefined; // only the server knows its tools
  const problem = unknownSource(full, checkup);
  if (problem?.code !== 'tool/unknown') return problem;
  const isOfKey = name.startsWith('agent__') || [FINAL_REPORT, READ_RESULT_NAME, ...reservedBy(CATALOG)].includes(name);
  return { code: 'deny/unknown', message: `\`deny\`: ${problem.message}`, help: isOfKey ? OF_A_KEY : problem.help };
}

const OF_A_KEY = 'Rules are about tools. What agents, spawn and other keys offer is taken away in these keys.';

function leavesNothing(stronger: string, weaker: string, { config: { config } }: Checkup): boolean {
  const [one, other] = [parseCallRule(stronger), parseCallRule(weaker)];
  if (one === undefined || other === undefined) return false;
  const [wider, name] = [fullName(one.name, config), fullName(other.name, config)];
  if (!meansAllOf(wider, name)) return false;
  if (one.inBrackets === undefined) return true;
  if (other.inBrackets !== undefined)
    return coversCalls(one.inBrackets, other.inBrackets, kindOf(name, one.inBrackets));
  const isSource = Object.hasOwn(config.mcpServers, name.replace(/^mcp:/, '')) || name in BUILT_IN_SOURCES;
  return wider === name && !isSource && meansEveryCall(one.inBrackets, kindOf(name, one.inBrackets));
}

function kindOf(full: string, inBrackets: string): BracketKind {
  const { brackets, paths = [] } = builtInSourceOf(full) ?? {};
  if (brackets !== undefined) return brackets.kind;
  return paths.includes(argumentPattern(inBrackets)?.argument ?? '') ? 'path' : 'text';
}
