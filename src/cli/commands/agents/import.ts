// cadre import: takes agents of another tool over into this folder, and says for each what it is here and what it loses.

import { join, relative } from 'node:path';
import { countedNoun } from '../../../base/text/words.ts';
import type { ImportedSkill } from '../../../definition/import/copy-skills.ts';
import { DIALECT_NAMES, type DialectName } from '../../../definition/import/dialect.ts';
import { type ImportedAgents, importAgents } from '../../../definition/import/import.ts';
import { type ImportNote, isGrave } from '../../../definition/import/note.ts';
import type { PlannedAgent } from '../../../definition/import/plan.ts';
import { readCadre } from '../../../definition/load.ts';
import { EXIT, fail } from '../../../kernel/fault.ts';
import { isFile, isFolder } from '../../lookup/stats.ts';
import { table } from '../../render/table.ts';
import { widthOf } from '../../render/width.ts';
import { notify, print, printJson } from '../../screen/output.ts';
import { columnsOf } from '../../screen/terminal.ts';

export async function importPath(
  path: string,
  options: {
    readonly from?: string;
    readonly to?: string;
    readonly model?: string;
    readonly dryRun?: boolean;
    readonly allowLoss?: boolean;
    readonly json?: boolean;
  },
): Promise<number> {
  const { to = 'agents', model, dryRun = false, allowLoss = false, json = false } = options;
  const dialect = options.from === undefined ? undefined : dialectOf(options.from);
  if (!isFolder(path) && !isFile(path))
    fail('usage', `There is no file and no folder ${path}. Name what holds the agents of the other tool.`);
  if (model !== undefined && !model.includes('/')) fail('usage', `--model takes provider/model, not "${model}".`);
  const imported = await importAgents({ from: path, dialect, cadre: '.', to, model, dryRun });
  const { plan } = imported;
  if (plan.agents.length === 0 && plan.unreadable.length === 0) {
    const form =
      dialect === undefined ? `in a form that Cadre knows: ${DIALECT_NAMES.join(', ')}` : `in the form of ${dialect}`;
    notify(`${path} holds no agent ${form}. See: docs/start/import.md. ${othersText(plan)}`.trimEnd());
    return EXIT.failed;
  }
  const checked = dryRun ? undefined : await checkedAfter(imported);
  if (json) printJson(JSON.stringify(asJson(imported, dryRun, checked), null, 2));
  else {
    print(agentTable(plan.agents).join('\n'));
    notify(['', ...summary(imported, dryRun, checked)].join('\n'));
  }
  const isWhole = plan.unreadable.length === 0 && imported.change.kind !== 'refused';
  return isWhole && (allowLoss || gravely(imported).length === 0) ? EXIT.answered : EXIT.failed;
}

function dialectOf(written: string): DialectName {
  const name = DIALECT_NAMES.find((one) => one === written);
  return name ?? fail('usage', `--from takes ${DIALECT_NAMES.join(', ')}, not "${written}".`);
}

/**
 * The new agents that lose a tool, a restriction, a reference or a schema. One that is there already was dealt with
 * before.
 */
const gravely = ({ plan, skills }: ImportedAgents): readonly PlannedAgent[] => {
  const missing = new Set(skills.filter(({ state }) => state === 'missing').map(({ name }) => name));
  return plan.agents.filter(
    (agent) => agent.state === 'new' && (agent.notes.some(isGrave) || agent.skills.some((name) => missing.has(name))),
  );
};

/** Agents that named tools and have none here. */
const toolless = ({ agents }: ImportedAgents['plan']): readonly PlannedAgent[] =>
  agents.filter(
    ({ state, notes }) => state === 'new' && notes.some(({ kind, what }) => kind === 'todo' && what === 'tools'),
  );

/** The number of imported agents that pass the check as the folder is now. */
interface ImportCheck {
  readonly canRun: number;
  readonly cannot: readonly string[];
  /** Files that `agents` or `ignore` of cadre.yaml leaves out. */
  readonly leftOut: number;
}

async function checkedAfter({ plan, to }: ImportedAgents): Promise<ImportCheck> {
  const { cadre, texts, folder } = await readCadre('.');
  const written = plan.agents.filter(({ state }) => state === 'new');
  const read = written.filter(({ name }) => texts.has(relative(folder, join(to, `${name}.md`)).replaceAll('\\', '/')));
  const cannot = read.map(({ name }) => name).filter((name) => cadre?.agents.has(name) !== true);
  return { canRun: read.length - cannot.length, cannot, leftOut: written.length - read.length };
}

/** A pipe gets one line for each agent. On a screen, what does not fit has lines of its own, so that nothing of it is cut. */
function agentTable(agents: readonly PlannedAgent[]): readonly string[] {
  const width = columnsOf(process.stdout);
  const names = agents.map((agent) => [agent.name, agent.dialect, agent.models.join(', ') || 'default']);
  const columns = [{ title: 'AGENT' }, { title: 'FROM' }, { title: 'MODEL' }] as const;
  if (width === undefined) {
    const whole = names.map((row, index) => [...row, toolsText(agents[index]!), fateOf(agents[index]!)]);
    return table([...columns, { title: 'TOOLS' }, { title: 'WHAT CHANGES' }], whole);
  }
  const wide = table(
    [...columns, { title: 'TOOLS' }],
    names.map((row, index) => [...row, toolsText(agents[index]!)]),
  );
  const isWide = wide.every((line) => widthOf(line) <= width);
  const [head = '', ...lines] = isWide
    ? wide
    : table([columns[0], columns[1], { title: 'MODEL', flexible: true }], names, width);
  const told = lines.flatMap((line, index) => {
    const agent = agents[index]!;
    const more = [isWide ? '' : `has ${toolsText(agent)}`, fateOf(agent)].filter((one) => one !== '');
    return [line, ...more.map((one) => `    ${one}`)];
  });
  return [head, ...told];
}

function toolsText({ hasAllTools, tools, agents, spawns, leads }: PlannedAgent): string {
  const own = hasAllTools ? ['all'] : tools;
  return (
    [...own, ...agents.map((name) => `agent ${name}`), ...(spawns ? ['spawn'] : []), ...leads].join(', ') || 'none'
  );
}

function fateOf({ state, as, notes, deny }: PlannedAgent): string {
  if (state === 'same') return `not written: the same as ${as}`;
  if (state === 'taken') return `not written: ${as} is there already`;
  const of = (kind: ImportNote['kind']): readonly ImportNote[] => notes.filter((note) => note.kind === kind);
  return [
    ...(deny.length === 0 ? [] : [`denies ${deny.join(', ')}`]),
    ...(of('lost').length === 0
      ? []
      : [
          `loses ${of('lost')
            .map(({ what }) => what)
            .join(', ')}`,
        ]),
    ...of('todo').map(({ what, why }) => `to do: ${what}: ${why}`),
    ...of('changed').map(({ what, why }) => `${what}: ${why}`),
  ].join('; ');
}

function summary(
  { plan, to, config, change, skills }: ImportedAgents,
  dryRun: boolean,
  checked: ImportCheck | undefined,
): readonly string[] {
  const { agents, unreadable } = plan;
  const lossy = gravely({ plan, to, config, change, skills }).length;
  const count = (state: PlannedAgent['state']): number => agents.filter((one) => one.state === state).length;
  const all = agents.filter(({ state, hasAllTools }) => state === 'new' && hasAllTools).length;
  return [
    `${countedNoun(agents.length, 'agent')} found: ${count('new')} ${dryRun ? 'would be written' : 'written'} to ${relative('', to) || '.'}, ` +
      `${count('taken')} there already, ${count('same')} the same as another.`,
    ...unreadable.map(({ from, why }) => `not read: ${from}: ${why}`),
    othersText(plan),
    ...(all === 0
      ? []
      : [
          `${countedNoun(all, 'agent')} named no tools, which meant all of them: they have files, files:write, shell and web here.`,
        ]),
    'Nothing is trusted: files:write and shell ask before each call, web once for each host.',
    ...lossLines(agents),
    ...(lossy === 0
      ? []
      : [
          `${countedNoun(lossy, 'agent')} ${lossy === 1 ? 'loses' : 'lose'} a tool, a restriction, a reference or a schema, so the exit code is 1 (--allow-loss takes them as they are).`,
        ]),
    ...toollessLines(plan),
    ...skillLines(skills, dryRun),
    ...configLines(change, relative('', config), dryRun),
    ...(checked === undefined ? ['Nothing was written (--dry-run).'] : checkedLines(checked)),
  ].filter((line) => line !== '');
}

function toollessLines(plan: ImportedAgents['plan']): readonly string[] {
  const names = toolless(plan).map(({ name }) => name);
  if (names.length === 0) return [];
  const shown = `${names.slice(0, SHOWN).join(', ')}${names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ''}`;
  return [`To do: name the tools of ${shown}: nothing that they named is left here.`];
}

const KINDS = {
  command: 'command',
  skill: 'file of skills',
  markdown: 'other Markdown file',
  link: 'link',
  off: 'agent that is switched off there',
} as const;

function othersText({ others }: ImportedAgents['plan']): string {
  const counts = Object.entries(KINDS).flatMap(([kind, noun]) => {
    const count = others.filter((one) => one.kind === kind).length;
    const plural = PLURALS[kind] ?? `${noun}s`;
    return count === 0 ? [] : [countedNoun(count, noun, plural)];
  });
  return counts.length === 0 ? '' : `Not agents: ${counts.join(', ')} (--json names them).`;
}

const PLURALS: Readonly<Record<string, string>> = {
  skill: 'files of skills',
  off: 'agents that are switched off there',
};

/** A loss of several agents is said once, with their number. */
function lossLines(agents: readonly PlannedAgent[]): readonly string[] {
  const losses = new Map<string, { readonly why: string; count: number }>();
  for (const { state, notes } of agents) {
    if (state !== 'new') continue;
    for (const { kind, what, why } of notes) {
      if (kind !== 'lost') continue;
      const known = losses.get(what);
      if (known === undefined) losses.set(what, { why, count: 1 });
      else known.count += 1;
    }
  }
  const sorted = [...losses].sort(([, a], [, b]) => b.count - a.count);
  const lines = sorted.slice(0, SHOWN).map(([what, { why, count }]) => `  ${what} (${count}): ${why}`);
  if (lines.length === 0) return [];
  return ['Lost:', ...lines, ...(sorted.length > SHOWN ? [`  and ${sorted.length - SHOWN} more (--json)`] : [])];
}

const SKILL_STATES: Readonly<Record<ImportedSkill['state'], (isDry: boolean) => string>> = {
  copied: (isDry) => (isDry ? 'would be copied to skills/' : 'copied to skills/'),
  there: () => 'there already',
  missing: () => 'to do: not among what is imported; put its folder into skills/',
  'too-large': () => 'to do: too large to be copied; put its folder into skills/',
};

const skillLines = (skills: readonly ImportedSkill[], dryRun: boolean): readonly string[] =>
  Object.entries(SKILL_STATES).flatMap(([state, words]) => {
    const of = skills.filter((skill) => skill.state === state);
    const left = of.reduce((sum, { leftOut }) => sum + leftOut, 0);
    const links = left === 0 ? '' : ` (${countedNoun(left, 'link')} left out)`;
    return of.length === 0 ? [] : [`Skills ${words(dryRun)}: ${of.map(({ name }) => name).join(', ')}${links}`];
  });

const SHOWN = 20;

function configLines(change: ImportedAgents['change'], file: string, dryRun: boolean): readonly string[] {
  switch (change.kind) {
    case 'none':
      return [];
    case 'text':
      return [`${file} ${dryRun ? 'would get' : 'has now'}: ${change.added.join(', ')}`];
    case 'refused':
      return [`${file} was not changed: ${change.why}. Add to it yourself:\n${change.lines}`.trimEnd()];
  }
}

function checkedLines({ canRun, cannot, leftOut }: ImportCheck): readonly string[] {
  if (canRun + cannot.length + leftOut === 0) return [];
  return [
    ...(leftOut === 0
      ? []
      : [`${countedNoun(leftOut, 'file')} is not taken for an agent: see \`agents\` and \`ignore\` in cadre.yaml.`]),
    `${canRun} of them pass the check${cannot.length === 0 ? '.' : `, ${cannot.length} ${cannot.length === 1 ? 'does' : 'do'} not: ${cannot.slice(0, SHOWN).join(', ')}. See: cadre check`}`,
  ];
}

function asJson(
  { plan, to, config, change, skills }: ImportedAgents,
  dryRun: boolean,
  checked: ImportCheck | undefined,
): unknown {
  const of = (notes: readonly ImportNote[], kind: ImportNote['kind']): unknown =>
    notes.filter((note) => note.kind === kind).map(({ kind: _kind, ...note }) => note);
  return {
    to: relative('', to) || '.',
    dryRun,
    agents: plan.agents.map(({ notes, text: _text, ...agent }) => ({
      ...agent,
      loses: of(notes, 'lost'),
      todo: of(notes, 'todo'),
      changed: of(notes, 'changed'),
    })),
    others: plan.others,
    unreadable: plan.unreadable,
    skills,
    config: { file: relative('', config), ...(change.kind === 'text' ? { added: change.added } : change) },
    ...(checked && { check: checked }),
  };
}
