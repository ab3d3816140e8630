// Copies the skills that imported agents name to the folder where they are found by name. Nothing is overwritten, links are
// not followed, and what is far too large is left.

import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SKILL_FILE, SKILL_FOLDERS } from '../skill-paths.ts';

export interface ImportedSkill {
  readonly name: string;
  /** `there`: it is found by its name already. `missing`: it is not among what is imported. */
  readonly state: 'copied' | 'there' | 'missing' | 'too-large';
  /** The number of links and other things that were left. */
  readonly leftOut: number;
}

const MOST_FILES = 1000;
const MOST_BYTES = 64 * 1_048_576;

/** `found` are the paths of every SKILL.md below the imported folder. */
export function copySkills(
  names: Iterable<string>,
  {
    from,
    found,
    workspace,
    dryRun,
  }: {
    /** Absolute. */
    readonly from: string;
    readonly found: readonly string[];
    readonly workspace: string;
    readonly dryRun: boolean;
  },
): readonly ImportedSkill[] {
  return [...new Set(names)].map((name): ImportedSkill => {
    if (SKILL_FOLDERS.some((folder) => existsSync(join(workspace, folder, name, SKILL_FILE))))
      return { name, state: 'there', leftOut: 0 };
    const folder = folderOf(name, from, found);
    if (folder === undefined) return { name, state: 'missing', leftOut: 0 };
    const { files, bytes, leftOut } = filesIn(folder);
    if (files.length > MOST_FILES || bytes > MOST_BYTES) return { name, state: 'too-large', leftOut };
    const target = join(workspace, 'skills', name);
    if (existsSync(target)) return { name, state: 'there', leftOut: 0 };
    if (!dryRun) {
      for (const file of files) {
        mkdirSync(dirname(join(target, file)), { recursive: true });
        copyFileSync(join(folder, file), join(target, file));
      }
    }
    return { name, state: 'copied', leftOut };
  });
}

/** Below the folder that is imported, or beside it: agents lie in .claude/agents, skills in .claude/skills. */
function folderOf(name: string, from: string, found: readonly string[]): string | undefined {
  const below = found
    .filter((file) => file.endsWith(`/${name}/${SKILL_FILE}`))
    .map((file) => join(from, dirname(file)));
  const beside = join(from, '..', 'skills', name);
  return [...below, beside].find(
    (folder) =>
      lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true &&
      lstatSync(join(folder, SKILL_FILE), { throwIfNoEntry: false })?.isFile() === true,
  );
}

function filesIn(folder: string): {
  readonly files: readonly string[];
  readonly bytes: number;
  readonly leftOut: number;
} {
  const files: string[] = [];
  let bytes = 0;
  let leftOut = 0;
  const waiting = [''];
  for (let within = waiting.pop(); within !== undefined && files.length <= MOST_FILES; within = waiting.pop()) {
    for (const entry of readdirSync(join(folder, within), { withFileTypes: true })) {
      const path = join(within, entry.name);
      if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules') waiting.push(path);
      else if (entry.isFile()) {
        files.push(path);
        bytes += lstatSync(join(folder, path)).size;
      } else leftOut += 1;
    }
  }
  return { files, bytes, leftOut };
}
