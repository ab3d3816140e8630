// The contract of a dialect: the form in which one other program keeps its agents. Each has one table of keys and one of tools.
// DIALECT-1. A file is of a dialect by its place or by keys that only this one has, never by a guess. Markdown in a folder of
//     agents that no place and no key speaks for is read in the form of Claude Code, which most collections have.
// DIALECT-2. Reading never throws, and gives no right that the file does not give.

import type { MapNode } from '../../base/yaml/node.ts';
import type { AgentDraft, DraftContext } from './draft.ts';

export const DIALECT_NAMES = [
  'claude',
  'copilot',
  'opencode',
  'gemini',
  'codex',
  'docker',
  'goose',
  'netdata',
] as const;

export type DialectName = (typeof DIALECT_NAMES)[number];

/** A file as a tree of keys, with the text that follows them in Markdown. */
export interface ForeignFile {
  readonly tree: MapNode;
  readonly body: string;
  /** False where the frontmatter is not YAML and was read line by line. */
  readonly isYaml: boolean;
}

/** One agent of a file, before it has a name here. */
export interface ForeignAgent {
  /** Relative to the folder that is imported, with forward slashes. */
  readonly from: string;
  readonly dialect: AgentDialect;
  readonly file: ForeignFile;
  /** Its name in a file that holds several. */
  readonly member?: string;
  /** The name that it asks for. */
  readonly called: string;
}

export interface AgentDialect {
  readonly name: DialectName;
  /** As people call the program. */
  readonly title: string;
  /** The endings of its files. */
  readonly endings: RegExp;
  /** True if everything that lies there is of this dialect. The path begins above the folder that is imported. */
  isPlace(path: string): boolean;
  /** True if only this dialect has these keys. */
  hasKeys(file: ForeignFile): boolean;
  /** The reason why a file of this dialect cannot be taken over. */
  refusal?(file: ForeignFile): string | undefined;
  /** True if its agent is switched off there. */
  isOff?(file: ForeignFile): boolean;
  /** The paths of the agents that a file refers to, from that file. */
  references?(file: ForeignFile): readonly string[];
  /** The agents of a file: one, unless it says more. */
  members?(file: ForeignFile, path: string): readonly Pick<ForeignAgent, 'member' | 'called'>[];
  draft(agent: ForeignAgent, context: DraftContext): AgentDraft;
}
