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

/** Everything that an agent was given, recorded when its first session opens. */
export interface GivenFact {
  /** The paths of project files, as its file lists them. */
  readonly projectFiles?: readonly string[];
}

const PROJECT_FILE = 'project-file:';
const GIVEN = 'given:';

export const projectFileKey = (path: string): string => `${PROJECT_FILE}${path}`;
export const givenKey = (agent: AgentName): string => `${GIVEN}${agent}`;

/** The path of a fact about a project file. */
export const projectFileOf = ({ key }: Pick<RunFact, 'key'>): string | undefined =>
  key.startsWith(PROJECT_FILE) ? key.slice(PROJECT_FILE.length) : undefined;

/** The agent of a fact about what an agent was given. */
export const givenAgentOf = ({ key }: Pick<RunFact, 'key'>): AgentName | undefined =>
  key.startsWith(GIVEN) ? key.slice(GIVEN.length) : undefined;
