// The facts about what agents of a run were given beside their own text. Texts are named by their digests and lie in the
// store as blobs, so that a resume, a replay and a fork use them as they were.

import type { AgentName } from '../kernel/effect.ts';
import type { Digest, RunFact } from './event.ts';

/** A project file as the run read it. */
export type ProjectFileFact =
  | {
      /** Its path in the workspace, without links. */
      readonly file: string;
      readonly digest: Digest;
      /** The size of the whole file. */
      readonly bytes: number;
      /** The text is only its beginning. */
      readonly isCut?: true;
    }
  /** It was not used. */
  | { readonly leftOut: 'missing' | 'closed'; readonly why: string };

/** A skill as the run found it. */
export interface SkillFact {
  readonly name: string;
  readonly description: string;
  /** Its folder, a path of the workspace. */
  readonly folder: string;
  /** The path of its SKILL.md without links. */
  readonly file: string;
  /** The digest of the text of its SKILL.md, which says later whether that has changed. */
  readonly digest: Digest;
}

/** The skills that one entry of `skills` brought. */
export interface SkillsFact {
  readonly skills: readonly SkillFact[];
  /** Those that cannot be used, and entries that bring none. */
  readonly leftOut?: readonly { readonly folder: string; readonly why: string }[];
}

/** Everything that an agent was given, recorded when its first session opens. */
export interface GivenFact {
  /** The paths of project files, as its file lists them. */
  readonly projectFiles?: readonly string[];
  /** The entries of its `skills`, and the names of the skills that its prompt lists. */
  readonly skillEntries?: readonly string[];
  readonly skills?: readonly string[];
  /** Those of them whose text stands in its prompt. */
  readonly preload?: readonly string[];
  /** The number of skills that found no room in the list. */
  readonly moreSkills?: number;
}

const PROJECT_FILE = 'project-file:';
const GIVEN = 'given:';
const SKILLS = 'skills:';
const SKILL_TEXT = 'skill-text:';

export const projectFileKey = (path: string): string => `${PROJECT_FILE}${path}`;
export const skillsKey = (entry: string): string => `${SKILLS}${entry}`;
/** The fact about the text of a SKILL.md that stands in a prompt: a `ProjectFileFact`. */
export const skillTextKey = (path: string): string => `${SKILL_TEXT}${path}`;
export const givenKey = (agent: AgentName): string => `${GIVEN}${agent}`;

/** The path of a fact about a project file. */
export const projectFileOf = ({ key }: Pick<RunFact, 'key'>): string | undefined =>
  key.startsWith(PROJECT_FILE) ? key.slice(PROJECT_FILE.length) : undefined;

/** The path of a fact about the text of a SKILL.md. */
export const skillTextOf = ({ key }: Pick<RunFact, 'key'>): string | undefined =>
  key.startsWith(SKILL_TEXT) ? key.slice(SKILL_TEXT.length) : undefined;

/** The agent of a fact about what an agent was given. */
export const givenAgentOf = ({ key }: Pick<RunFact, 'key'>): AgentName | undefined =>
  key.startsWith(GIVEN) ? key.slice(GIVEN.length) : undefined;

/** The entry of a fact about skills. */
export const skillsEntryOf = ({ key }: Pick<RunFact, 'key'>): string | undefined =>
  key.startsWith(SKILLS) ? key.slice(SKILLS.length) : undefined;

/** True for every fact about what agents were given. */
export const isGivenFact = ({ key }: Pick<RunFact, 'key'>): boolean =>
  [PROJECT_FILE, GIVEN, SKILLS, SKILL_TEXT].some((prefix) => key.startsWith(prefix));
