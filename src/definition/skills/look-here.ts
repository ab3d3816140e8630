// Looks at skills and project files on the disk for the check. A run reads them itself, by the rules of the file tools.
// Never throws.

import { readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { wayDown } from '../../base/disk/paths.ts';
import { isInFolder, readRegular, UnusableFile } from '../../base/disk/regular.ts';
import { decodeHead } from '../../base/text/decode-head.ts';
import { secretIn } from '../../base/text/secret-names.ts';
import { MAX_SKILL_BYTES, type SeenEntry, type SkillLook, type SkillSight, searchSkills } from './find-skills.ts';

/** The skills that an entry of an agent's file brings from a workspace. */
export function skillsHere(workspace: string, entry: string): SeenEntry {
  const search = searchSkills(entry);
  let step = search.next();
  while (step.done !== true) step = search.next(sightAt(workspace, step.value));
  return step.value;
}

/** The part of a file that shows if it is text. */
const HEAD_BYTES = 65_536;

/** The reason why a file of the workspace cannot stand in a prompt. `missing` if nothing is there. */
export function workspaceFileProblem(
  workspace: string,
  path: string,
): 'missing' | { readonly why: string } | undefined {
  const sight = sightAt(workspace, { kind: 'text', path }, { maxBytes: HEAD_BYTES, head: HEAD_BYTES });
  if (sight.kind === 'missing') return 'missing';
  return sight.kind === 'closed' ? { why: sight.why } : undefined;
}

function sightAt(workspace: string, look: SkillLook, size: TextSize = { maxBytes: MAX_SKILL_BYTES }): SkillSight {
  try {
    const secret = secretIn(look.path, look.kind === 'folder' ? 'folder' : 'file');
    if (secret !== undefined) return { kind: 'closed', why: `"${secret}" may hold secrets` };
    return look.kind === 'folder' ? namesIn(workspace, look.path) : textAt(workspace, look.path, size);
  } catch (thrown) {
    if (thrown instanceof UnusableFile) return { kind: 'closed', why: UNUSABLE[thrown.trouble](look.path) };
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return { kind: 'missing', why: `there is no folder "${look.path}" in the workspace ${workspace}` };
    return { kind: 'closed', why: `${look.path} cannot be read: ${message}` };
  }
}

const outside = (path: string): string => `${path} is a link that leads out of the workspace`;
const UNUSABLE: Readonly<Record<UnusableFile['trouble'], (path: string) => string>> = {
  outside,
  foreign: outside,
  'not-regular': (path) => `${path} is not a regular file`,
  'too-large': (path) => `${path} is larger than ${MAX_SKILL_BYTES} bytes`,
};

function namesIn(workspace: string, path: string): SkillSight {
  const folder = realpathSync(join(workspace, path));
  if (!isInFolder(folder, workspace)) return { kind: 'closed', why: outside(path) };
  const entries = readdirSync(folder, { withFileTypes: true });
  return {
    kind: 'folder',
    names: entries.filter((one) => one.isDirectory() || one.isSymbolicLink()).map(({ name }) => name),
  };
}

/** The most that is read, and the part of a longer text that is enough. */
type TextSize = Pick<Parameters<typeof readRegular>[1], 'maxBytes' | 'head'>;

function textAt(workspace: string, path: string, size: TextSize): SkillSight {
  const absolute = join(workspace, path);
  const bytes = readRegular(absolute, { ...size, within: workspace });
  const shown = (real: string): string => wayDown(realpathSync(workspace), real) || '.';
  const file = shown(realpathSync(absolute));
  const secret = secretIn(file, 'file');
  if (secret !== undefined) return { kind: 'closed', why: `${path} leads to "${secret}", which may hold secrets` };
  const text = decodeHead(bytes);
  if (text === undefined) return { kind: 'closed', why: `${path} is not text in UTF-8` };
  return { kind: 'text', file, home: shown(realpathSync(dirname(absolute))), text, bytes: bytes.byteLength };
}
