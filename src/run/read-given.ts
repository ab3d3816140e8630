// Reads what a run is to be given, and keeps it in the store of the run. Secrets are taken out before anything is kept.

import { hostname } from 'node:os';
import { cutToLines } from '../base/text/bytes.ts';
import type { ProjectFileFact } from '../journal/given.ts';
import { NOTHING_SECRET } from '../kernel/redacted.ts';
import { PROJECT_FILE_BYTES } from '../patterns/given-prompt.ts';
import { readProjectFile } from '../tools/files/project-file.ts';
import type { LiveRun } from './driven-run.ts';

/** More than is shown, so that a secret is taken out whole before the text is cut. */
const READ_BYTES = 2 * PROJECT_FILE_BYTES;

type LiveParts = Pick<LiveRun, 'cadre' | 'environment' | 'start'>;

export async function readAndKeep(path: string, { cadre, environment, start }: LiveParts): Promise<ProjectFileFact> {
  const redactor = cadre.secrets ?? NOTHING_SECRET;
  const found = await readProjectFile(() => cadre.resources.workspace(), path, READ_BYTES);
  if ('leftOut' in found) {
    const why = redactor.redact(found.why);
    environment.warn(`Run ${start.run} goes on without the project file ${path}, on ${hostname()}: ${why}`);
    return { leftOut: found.leftOut, why };
  }
  const clean = redactor.redact(found.text);
  const text = cutToLines(clean, PROJECT_FILE_BYTES);
  const digest = await environment.store.blobs.put(new TextEncoder().encode(text));
  const isCut = text.length < clean.length || found.bytes > READ_BYTES;
  return { file: found.file, digest, bytes: found.bytes, ...(isCut && { isCut }) };
}
