// Makes a checked cadre of a folder. All findings in the graph are reported at once, before anything runs; the same
// assembly works on texts that a run recorded, without the disk.

import { statSync } from 'node:fs';
import { findCommand } from '../base/disk/find-command.ts';
import { findPackage } from '../base/disk/package.ts';
import { wayDown } from '../base/disk/paths.ts';
import { UnusableFile } from '../base/disk/regular.ts';
import type { AgentName } from '../kernel/effect.ts';
import { fail } from '../kernel/fault.ts';
import type { CadreDefinition } from './definition.ts';
import { type Diagnostic, diagnosticOf, renderText, summarize } from './diagnostic.ts';
import { type Assembly, type AssemblyOptions, assemble } from './link/assemble.ts';
import { cadresBelow } from './link/nested-cadres.ts';
import { reachedFiles } from './link/reached-files.ts';
import { faultyAgents, filesReached, withoutFaulty } from './link/usable-agents.ts';
import { readFunctionsFiles } from './read/config/functions-files.ts';
import { type ChosenFiles, readFolder } from './read/folder.ts';
import { readPartFile } from './read/part-file.ts';
import { skillsHere, workspaceFileProblem } from './skills/look-here.ts';

export interface CadreReading {
  /** Absolute. */
  readonly folder: string;
  /** The agents that can run. Absent where an error concerns all of them. */
  readonly cadre?: CadreDefinition;
  /** The findings in order: by file, line and column. */
  readonly diagnostics: readonly Diagnostic[];
  /** The texts that were read, for excerpts: agent files and cadre.yaml by their path relative to the folder. */
  readonly texts: ReadonlyMap<string, string>;
  /** The number of agent files. */
  readonly agents: number;
  /** The agent whose file was asked for, where it was a file. */
  readonly entry?: AgentName;
  /** True if the target could not be read at all. */
  readonly unreadable: boolean;
  /** The files that an agent can reach, its own among them: an error in one of these keeps it from running. */
  filesOf(agent: AgentName): ReadonlySet<string>;
}

interface ReadingOptions extends AssemblyOptions {
  /** The agent that is to run: of a large folder, no file is read that it does not reach. */
  readonly only?: string | undefined;
}

/** Reads and checks the cadre of a folder, or of one agent file in it. Never throws for what the files say. */
export function readCadre(target: string, options: ReadingOptions = {}): Promise<CadreReading> {
  const diagnostics: Diagnostic[] = [];
  const { only } = options;
  const choose = only === undefined ? undefined : (among: ChosenFiles) => reachedFiles(only, among);
  const read = readFolder(target, (finding) => diagnostics.push(diagnosticOf(finding)), choose);
  const assembly = assemble(read, diagnostics, options, {
    functionTexts: (config, report) => readFunctionsFiles(read.folder, config, report),
    partText: (file) => readPartFile(read.folder, file),
    isInstalled: isPackageInstalled,
    hasCommand: (name) => findCommand(name, process.env['PATH']) !== undefined,
    workspaceFileProblem,
    skillsHere,
    isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
  });
  const entry = read.entry === undefined ? undefined : assembly.nameOf(read.entry);
  return Promise.resolve({
    folder: read.folder,
    ...definitionOf(read.folder, assembly),
    diagnostics: assembly.diagnostics,
    texts: assembly.texts,
    agents: assembly.agents.size,
    ...(entry === undefined ? {} : { entry }),
    unreadable: read.unreadable,
    filesOf: (agent) => filesReached(assembly.agents, agent),
  });
}

/** One that cannot be used counts as missing here: the reason is given where it is needed. */
function isPackageInstalled(name: string, from: string): boolean {
  try {
    return findPackage(name, from) !== undefined;
  } catch (thrown) {
    if (thrown instanceof UnusableFile || thrown instanceof SyntaxError) return false;
    throw thrown;
  }
}

/**
 * A checked cadre, of the agents that can run. Throws `agent/invalid` with every finding if no agent can, or
 * `agent/unreadable`.
 */
export async function loadCadre(target: string, options: AssemblyOptions = {}): Promise<CadreDefinition> {
  const reading = await readCadre(target, options);
  return reading.cadre ?? refuseEmpty(reading, target) ?? refuse(reading, target);
}

/** One of the cadres that a folder stands for. */
export interface PlacedCadre {
  /** The name that it has on the command line. */
  readonly target: string;
  /** Prefix of its agents' and files' names where several cadres are shown together: `help-desk/`. */
  readonly prefix: string;
  readonly reading: CadreReading;
}

/**
 * The cadres of a folder, the same for every command: its own one, or, if it holds no agent itself, each of the cadres
 * below it. At least one.
 */
export async function readCadres(target: string, options: ReadingOptions = {}): Promise<readonly PlacedCadre[]> {
  const reading = await readCadre(target, options);
  const below = isEmpty(reading) ? cadresBelow(target) : [];
  if (below.length === 0) return [{ target, prefix: '', reading }];
  return Promise.all(
    below.map(async (folder) => ({
      target: folder,
      prefix: `${wayDown(target, folder)}/`,
      reading: await readCadre(folder, options),
    })),
  );
}

/** The same, each checked. Throws as `loadCadre` does, for the first that has errors. */
export async function loadCadres(
  target: string,
): Promise<readonly (PlacedCadre & { readonly cadre: CadreDefinition })[]> {
  const placed = await readCadres(target);
  return placed.map((one) => ({ ...one, cadre: one.reading.cadre ?? refuse(one.reading, one.target) }));
}

/** A folder that was read, and holds no agent. */
const isEmpty = ({ agents, unreadable, entry }: CadreReading): boolean =>
  agents === 0 && !unreadable && entry === undefined;

/** Refuses a folder that only has cadres below it, where one cadre is needed. */
function refuseEmpty(reading: CadreReading, target: string): undefined {
  const below = isEmpty(reading) ? cadresBelow(target) : [];
  if (below.length === 0) return undefined;
  return fail(
    'agent/invalid',
    `${target} holds no agent itself, but there are cadres below it: ${below.join(', ')}. Name one of them.`,
  );
}

/** The same definition from the texts that a run recorded. Touches no disk. Throws as `loadCadre` does. */
export function cadreFromTexts(
  folder: string,
  texts: ReadonlyMap<string, string>,
  options: AssemblyOptions = {},
): CadreDefinition {
  const { cadre, ...reading } = readTexts(folder, texts, options);
  return cadre ?? refuse({ ...reading, unreadable: false }, folder);
}

/** The same, with its findings. Never throws for what the texts say. */
export function readTexts(
  folder: string,
  texts: ReadonlyMap<string, string>,
  options: AssemblyOptions = {},
): Pick<CadreReading, 'cadre' | 'diagnostics' | 'texts' | 'agents'> {
  const assembly = assemble({ folder, texts, others: new Set() }, [], options);
  const { diagnostics, agents } = assembly;
  return { ...definitionOf(folder, assembly), diagnostics, texts, agents: agents.size };
}

function definitionOf(folder: string, assembly: Assembly): { readonly cadre?: CadreDefinition } {
  const { diagnostics, agents, config, aliases, texts, nameOf } = assembly;
  const faulty = faultyAgents(agents, diagnostics, nameOf);
  if (faulty === 'all' || agents.size === faulty.size) return {};
  const defined = [...agents].filter(([name]) => !faulty.has(name));
  const usable = faulty.size === 0 ? defined : withoutFaulty(defined, faulty, config.config);
  const isUsed = (file: string): boolean => !file.endsWith('.md') || !faulty.has(nameOf(file) ?? '');
  return {
    cadre: {
      folder,
      config: { ...config.config, aliases: Object.fromEntries(known(aliases, faulty)) },
      agents: new Map(usable.map(([name, { definition }]) => [name, definition])),
      texts: faulty.size === 0 ? texts : new Map([...texts].filter(([file]) => isUsed(file))),
      ...(faulty.size > 0 && { faulty }),
    },
  };
}

const known = (aliases: Readonly<Record<string, AgentName>>, faulty: ReadonlyMap<AgentName, string>) =>
  Object.entries(aliases).filter(([, name]) => !faulty.has(name));

function refuse(reading: Pick<CadreReading, 'diagnostics' | 'texts' | 'agents' | 'unreadable'>, target: string): never {
  const { diagnostics, texts } = reading;
  return fail(
    reading.unreadable ? 'agent/unreadable' : 'agent/invalid',
    `${target}: ${summarize(diagnostics, reading.agents)}\n\n${renderText(diagnostics, { texts })}`,
    { diagnostics },
  );
}
