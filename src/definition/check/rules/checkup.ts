// The data that a rule gets: the whole linked cadre, and a place to report findings. Rules are small functions in a
// table (check.ts); each checks one thing, reports every case of it, and never throws.

import { nodeAt } from '../../../base/yaml/node.ts';
import type { AgentName } from '../../../kernel/effect.ts';
import { type CadreConfig, workspaceOf } from '../../definition.ts';
import type { FindingText, ReportFinding } from '../../diagnostic.ts';
import type { LinkedAgent } from '../../link/define.ts';
import type { ConfigFile } from '../../read/config/config.ts';
import type { skillsHere, workspaceFileProblem } from '../../skills/look-here.ts';
import { lineOf, type SourcePlace } from '../../source.ts';

export interface Checkup {
  /** The agents in the order of their files. */
  readonly agents: ReadonlyMap<AgentName, LinkedAgent>;
  readonly config: ConfigFile;
  readonly knownTools: readonly string[];
  /** True where no model will be called: then every provider passes. */
  readonly anyProvider: boolean;
  /** The texts of the cadre, those of its functions among them. */
  readonly texts: ReadonlyMap<string, string>;
  /** The absolute folder of the cadre. */
  readonly folder: string;
  /** The root of the tools, if the caller names another than the configuration. `unread`: nothing in it is looked at. */
  readonly workspace: string | undefined;
  /** A path of the workspace, as findings name files: relative to the folder of the cadre. */
  fileOf(path: string): string;
  /** True if a package is installed, as seen from a folder. */
  isInstalled(name: string, from: string): boolean;
  isFolder(path: string): boolean;
  workspaceFileProblem: typeof workspaceFileProblem;
  skillsHere: typeof skillsHere;
  /** True if a program of this name can be called here. */
  hasCommand(name: string): boolean;
  readonly report: ReportFinding;
}

export type Rule = (checkup: Checkup) => void;

/** A rule about each agent alone. Files whose frontmatter could not be read are left out. */
export const forEachAgent =
  (look: (agent: LinkedAgent, checkup: Checkup) => void): Rule =>
  (checkup) => {
    for (const agent of checkup.agents.values()) if (agent.file.tree !== undefined) look(agent, checkup);
  };

/** A rule about each entry of a list. The finding is at its place. */
export const forEachEntry = (
  key: 'approve' | 'models' | 'tools' | 'trust',
  problemOf: (
    entry: string,
    agent: LinkedAgent,
    checkup: Checkup,
  ) => (FindingText & { readonly code: string; readonly severity?: 'warning' }) | undefined,
): Rule =>
  forEachAgent((agent, checkup) => {
    for (const [index, entry] of agent.definition[key].entries()) {
      const problem = problemOf(entry, agent, checkup);
      const path = Array.isArray(agent.fields[key]) ? [key, index] : [key];
      if (problem !== undefined) checkup.report({ ...problem, ...placeIn(agent, checkup, path) });
    }
  });

/** A rule about cadre.yaml, where there is one that could be read. */
export const forConfig =
  (
    look: (config: CadreConfig, placeAt: (path: readonly (string | number)[]) => SourcePlace, checkup: Checkup) => void,
  ): Rule =>
  (checkup) => {
    const { config, source, tree } = checkup.config;
    if (source === undefined || tree === undefined) return;
    look(config, (path) => ({ source, at: nodeAt(tree, path) }), checkup);
  };

/** Undefined where nothing in it is to be looked at, or where it is missing, which another rule reports. */
export function workspaceFor({ workspace, folder, config: { config }, isFolder }: Checkup): string | undefined {
  if (workspace === 'unread') return undefined;
  const path = workspace ?? workspaceOf({ folder, config });
  return isFolder(path) ? path : undefined;
}

/** The place where an agent sets a key: its own file, else the cadre's defaults, else the beginning of the file. */
export function placeIn(
  agent: LinkedAgent,
  { config }: Pick<Checkup, 'config'>,
  path: readonly (string | number)[],
): SourcePlace {
  const [key] = path;
  const own = agent.file.tree;
  if (own?.entries.has(String(key)) === true) return { source: agent.file.source, at: nodeAt(own, path) };
  const defaults = config.tree?.entries.get('defaults')?.value;
  if (config.source !== undefined && defaults?.kind === 'map' && defaults.entries.has(String(key))) {
    return { source: config.source, at: nodeAt(defaults, path) };
  }
  return { source: agent.file.source, at: { start: 0, end: 3 } };
}

/** The words by which a finding refers to another place. */
export const placeText = ({ source, at }: SourcePlace): string => `${source.file}:${lineOf(source, at)}`;
