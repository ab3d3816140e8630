// A run as it stands in a file of its own: what `cadre export` writes, what the page's parts draw of it, and what
// `cadre verify` replays.

import type { RunEvent, RunStart } from '../journal/event.ts';
import type { RunNote } from '../journal/store.ts';

/** The text or file behind a digest, left out because the file would be too large. */
export interface LeftOutBlob {
  readonly digest: string;
  readonly bytes: number;
}

export interface ExportedRun {
  /** The version of Cadre that wrote it. */
  readonly version: string;
  readonly at: number;
  /** Without the places of the machine and without the names of other runs. */
  readonly events: readonly RunEvent[];
  /** `live`: a process worked on it when it was written. */
  readonly state: 'ended' | 'live' | 'broken-off';
  readonly notes: readonly Omit<RunNote, 'run'>[];
  /** The names of the secrets that were taken out of it. */
  readonly secrets: readonly string[];
  /** Some of them were replaced only when the file was written: a replay cannot prove the texts in which they stood. */
  readonly redactedLate: boolean;
  /** Texts by their digests: agent files, project files, long results. */
  readonly texts: Readonly<Record<string, string>>;
  /** The digests of pictures that stand in the file, and of nothing else. */
  readonly pictures: readonly string[];
  readonly leftOut: readonly LeftOutBlob[];
  /** At most so many rows of each table and entries of each conversation are drawn. */
  readonly rows: number;
}

/** The parts of the file, as drawn. A picture is drawn with `picture:<digest>` as its source. */
export interface DrawnRun {
  readonly title: string;
  readonly body: string;
  readonly style: string;
  readonly script: string;
}

export const pictureSource = (digest: string): string => `picture:${digest}`;

/** The name of the file if nobody gives another one: `front-desk-20261118-163429.html`. */
export const exportedName = ({ agent, run }: Pick<RunStart, 'agent' | 'run'>): string =>
  `${[agent, run.replace(/^(\d{8}-\d{6}).*/, '$1')].map((part) => part.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')).join('-')}.html`;
