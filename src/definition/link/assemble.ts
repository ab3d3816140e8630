// Puts a cadre together from its texts: read every file, link the references, lay defaults under the keys, check the
// whole. Touches no disk.

import { join } from 'node:path';
import { wayDown } from '../../base/disk/paths.ts';
import type { AgentName } from '../../kernel/effect.ts';
import type { Pattern } from '../../patterns/record.ts';
import { checkCadre, type DiskAnswers } from '../check/check.ts';
import { CONFIG_FILE, workspaceOf } from '../definition.ts';
import { compare, type Diagnostic, diagnosticOf, inOrder, isError, type ReportFinding } from '../diagnostic.ts';
import { claudeFrontmatter, isOfClaude } from '../import/dialects/in-place.ts';
import { type AgentFile, type AgentFileOptions, readAgentFile } from '../read/agent-file.ts';
import { type ConfigFile, readConfig, withoutConfig } from '../read/config/config.ts';
import { type Directory, directory } from '../read/directory.ts';
import type { FolderTexts } from '../read/folder.ts';
import { opensFrontmatter } from '../read/frontmatter.ts';
import { type AgentKeys, frontmatterShapeFor } from '../read/keys.ts';
import { withCatalog } from '../read/keys-forms.ts';
import type { PartText } from '../read/part-file.ts';
import type { skillsHere } from '../skills/look-here.ts';
import type { Source } from '../source.ts';
import { checkPatterns } from './custom-patterns.ts';
import { define, type LinkedAgent } from './define.ts';
import { link } from './link.ts';
import { fillInPrompts } from './prompt-parts.ts';
import { type LinkedFile, withWildcards } from './wildcard.ts';

export interface AssemblyOptions {
  /** Names of tools that the caller brings as functions; agents may list them under `tools`. */
  readonly knownTools?: readonly string[];
  /** Names of providers that the caller brings; their models are known. `any` where no model will be called. */
  readonly knownProviders?: readonly string[] | 'any';
  /** Patterns that the caller brings; agents may use their keys. */
  readonly patterns?: readonly Pattern[];
  /** The root of the tools, if it is not the one of the configuration. `unread` where no file of it will be read. */
  readonly workspace?: string | undefined;
}

/** For a cadre from recorded texts: everything that it needs is there. */
const NO_DISK: DiskAnswers = {
  isInstalled: () => true,
  isFolder: () => true,
  workspaceFileProblem: () => undefined,
  skillsHere: () => ({ skills: [], rest: 0 }),
  hasCommand: () => true,
};

export interface Assembly {
  readonly config: ConfigFile;
  /** The agents in the order of their files. */
  readonly agents: ReadonlyMap<AgentName, LinkedAgent>;
  readonly aliases: Readonly<Record<string, AgentName>>;
  readonly diagnostics: readonly Diagnostic[];
  /** Every text that the cadre is made from. */
  readonly texts: ReadonlyMap<string, string>;
  nameOf(file: string): AgentName | undefined;
}

/** `earlier` holds the findings of reading the folder. */
export function assemble(
  { folder, texts: read, others, unread }: Pick<FolderTexts, 'folder' | 'texts' | 'others' | 'unread'>,
  earlier: readonly Diagnostic[],
  { knownTools = [], knownProviders = [], patterns = [], workspace }: AssemblyOptions,
  disk?: DiskAnswers & {
    /** The files of functions that cadre.yaml names. What cannot be read is reported. */
    functionTexts(config: ConfigFile, report: ReportFinding): ReadonlyMap<string, string>;
    /** The text of a file that a prompt includes. */
    partText(file: string): PartText;
  },
): Assembly {
  checkPatterns(patterns);
  const diagnostics = [...earlier];
  const report: ReportFinding = (finding) => diagnostics.push(diagnosticOf(finding));
  const anyProvider = knownProviders === 'any';
  const config = withProviders(configFrom(read, folder, report), anyProvider ? [] : knownProviders);
  const partText = (file: string): PartText => disk?.partText(file) ?? recordedPart(read, file);
  const shape = frontmatterShapeFor(patterns);
  const aliases = new Set(Object.keys(config.config.models));
  const foreign: AgentFileOptions['foreign'] = (source) =>
    isOfClaude(source.file, folder) ? claudeFrontmatter(source, aliases, report) : undefined;
  const found = agentFilesOf(read, (source) => readAgentFile({ source, folder, report }, { shape, foreign }));
  const { files, parts } = fillInPrompts(
    unshadowed(found, folder, report),
    { variables: config.config.variables, part: partText },
    report,
  );
  const functions = disk?.functionTexts(config, report) ?? new Map<string, string>();
  const texts = functions.size + parts.size === 0 ? read : new Map([...read, ...parts, ...functions]);
  if (files.length === 0 && !diagnostics.some(isError)) reportEmpty(folder, report);

  const known = directory({ folder, files, aliases: config.aliases, others, isPart: (unread?.size ?? 0) > 0, report });
  const linked = files.map((file): LinkedFile => {
    const fields: AgentKeys = { ...config.defaults, ...file.fields };
    return { file, fields, links: link(file, fields, known, withCatalog(patterns)) };
  });
  const agents = definedAgents(withWildcards(linked, known, report), known, config);
  const answers = disk ?? NO_DISK;
  checkCadre({
    ...answers,
    agents,
    config,
    knownTools,
    anyProvider,
    texts,
    folder,
    workspace: disk === undefined ? 'unread' : workspace,
    skillsHere: memoized(answers.skillsHere),
    fileOf: (path) => wayDown(folder, join(workspace ?? workspaceOf({ folder, config: config.config }), path)),
    report,
  });
  return {
    config,
    texts,
    agents,
    aliases: Object.fromEntries([...known.aliases].map(([alias, file]) => [alias, file.name])),
    diagnostics: inOrder(diagnostics),
    nameOf: (file) => files.find(({ source }) => source.file === file)?.name,
  };
}

/** Defines every agent. The first of a name counts. */
function definedAgents(
  linked: readonly LinkedFile[],
  known: Directory,
  { config, defaults }: ConfigFile,
): ReadonlyMap<AgentName, LinkedAgent> {
  const all = [...known.agents.keys()].toSorted(compare);
  const fieldsOf = new Map(linked.map(({ file, fields }) => [file.name, fields]));
  const answerOf = (name: AgentName) => fieldsOf.get(name)?.output?.schema;
  const named = linked.filter(({ file }) => known.agents.get(file.name) === file);
  return new Map(
    named.map((one) => {
      const denied = [...(defaults.deny ?? []), ...(one.file.fields.deny ?? [])];
      return [
        one.file.name,
        { ...one, definition: define(one.file, one.fields, one.links, { config, all, denied, answerOf }) },
      ];
    }),
  );
}

function configFrom(texts: ReadonlyMap<string, string>, folder: string, report: ReportFinding): ConfigFile {
  const text = texts.get(CONFIG_FILE);
  return text === undefined ? withoutConfig : readConfig({ file: CONFIG_FILE, text }, folder, report);
}

/** Adds the providers that the caller brings to those that cadre.yaml declares. */
function withProviders(file: ConfigFile, names: readonly string[]): ConfigFile {
  if (names.length === 0) return file;
  const brought = Object.fromEntries(names.map((name) => [name, { kind: 'ai-sdk', headers: {} } as const]));
  const providers = { ...brought, ...file.config.providers };
  return { ...file, config: { ...file.config, providers } };
}

/** A run that recorded an agent recorded the parts of its prompt. */
function recordedPart(texts: ReadonlyMap<string, string>, file: string): PartText {
  const text = texts.get(file);
  return text === undefined ? { message: `there is no file ${file}`, help: 'Hand its text in, too.' } : { text };
}

function agentFilesOf(texts: ReadonlyMap<string, string>, read: (source: Source) => AgentFile): readonly AgentFile[] {
  return [...texts]
    .filter(([file, text]) => file.endsWith('.md') && opensFrontmatter(text))
    .sort(([a], [b]) => compare(a, b))
    .map(([file, text]) => read({ file, text }));
}

/** An agent of .claude/agents makes room for one of another file with the same name, such as its import. */
function unshadowed(files: readonly AgentFile[], folder: string, report: ReportFinding): readonly AgentFile[] {
  const own = new Map(
    files.filter(({ source }) => !isOfClaude(source.file, folder)).map((file) => [file.name, file.source.file]),
  );
  if (own.size === files.length) return files;
  return files.filter(({ name, source, nameAt }) => {
    const other = own.get(name);
    if (other === undefined || !isOfClaude(source.file, folder)) return true;
    report({
      code: 'name/shadowed',
      severity: 'warning',
      source,
      at: nameAt,
      message: `this agent is not used: ${other} has the same name`,
      help: 'Remove one of them, or leave .claude/agents out with ignore: [.claude/**] in cadre.yaml.',
    });
    return false;
  });
}

function reportEmpty(folder: string, report: ReportFinding): void {
  report({
    code: 'folder/empty',
    source: { file: '.', text: '' },
    message: `there is no agent in ${folder}`,
    help: 'An agent is a Markdown file whose first line is ---. "cadre init" writes a first one, "cadre new <name>" another.',
  });
}

/** Agents of a folder mostly have the same skills. */
function memoized(look: typeof skillsHere): typeof skillsHere {
  const known = new Map<string, ReturnType<typeof skillsHere>>();
  return (workspace, entry) => {
    const key = `${workspace} ${entry}`;
    const seen = known.get(key) ?? look(workspace, entry);
    known.set(key, seen);
    return seen;
  };
}
