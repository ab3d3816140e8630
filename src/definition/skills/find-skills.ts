// Finds skills in a workspace: a routine that says what it wants to see, so that the check, which reads the disk itself, and
// a run, which reads by the rules of the file tools, find the same ones.
// SKILL-1. The first of a name counts. One folder that two paths lead to is one skill.

import { byteLength } from '../../base/text/bytes.ts';
import { skillLine } from '../../patterns/given-prompt.ts';
import { ALL_SKILLS, isSkillPath, pathsOfEntry, SKILL_FILE } from '../skill-paths.ts';

/** A path of the workspace, and what is to be seen of it: the names in a folder, or the text of a file. */
export interface SkillLook {
  readonly kind: 'folder' | 'text';
  readonly path: string;
}

export type SkillSight =
  | { readonly kind: 'folder'; readonly names: readonly string[] }
  | SkillText
  | { readonly kind: 'missing' | 'closed'; readonly why: string };

interface SkillText {
  readonly kind: 'text';
  /** Its path in the workspace, without links, and that of the folder that was named. */
  readonly file: string;
  readonly home: string;
  readonly text: string;
  readonly bytes: number;
}

/** A folder with a SKILL.md. */
export interface SeenSkill {
  /** As it was found: a path of the workspace. */
  readonly folder: string;
  /** The agent's file names it; otherwise it was found in a folder of skills. */
  readonly isNamed: boolean;
  readonly sight: SkillText | { readonly kind: 'closed'; readonly why: string };
}

/** The answer to one entry of `skills`. */
export interface SeenEntry {
  readonly skills: readonly SeenSkill[];
  /** Nothing is there, and why. */
  readonly missing?: string;
  /** The number of folders that were not looked into. */
  readonly rest: number;
}

type SkillSearch<Value> = Generator<SkillLook, Value, SkillSight>;

/** The folders that are looked into in one folder of skills. */
const MOST_FOLDERS = 1000;
/** The largest SKILL.md. */
export const MAX_SKILL_BYTES = 1_048_576;

export function* searchSkills(entry: string): SkillSearch<SeenEntry> {
  if (entry === ALL_SKILLS) {
    let all: SeenEntry = { skills: [], rest: 0 };
    for (const folder of pathsOfEntry(entry)) {
      const { skills, rest } = yield* inFolderOfSkills(folder, false);
      all = { skills: [...all.skills, ...skills], rest: all.rest + rest };
    }
    return all;
  }
  const skills: SeenSkill[] = [];
  for (const folder of pathsOfEntry(entry)) {
    const seen = yield* skillAt(folder, true);
    if (seen !== undefined) skills.push(seen);
  }
  if (skills.length > 0) return { skills, rest: 0 };
  if (isSkillPath(entry)) return yield* inFolderOfSkills(pathsOfEntry(entry)[0] ?? entry, true);
  return { skills, rest: 0, missing: `there is no skill "${entry}" in ${pathsOfEntry(entry).join(', ')}` };
}

function* inFolderOfSkills(folder: string, isNamed: boolean): SkillSearch<SeenEntry> {
  const sight = yield { kind: 'folder', path: folder };
  if (sight.kind === 'missing') return { skills: [], rest: 0, missing: sight.why };
  if (sight.kind === 'closed') return { skills: [{ folder, isNamed, sight: { ...sight, kind: 'closed' } }], rest: 0 };
  const names = sight.kind === 'folder' ? sight.names.filter((name) => !name.startsWith('.')).toSorted() : [];
  const skills: SeenSkill[] = [];
  for (const name of names.slice(0, MOST_FOLDERS)) {
    const seen = yield* skillAt(`${folder}/${name}`, false);
    if (seen !== undefined) skills.push(seen);
  }
  return { skills, rest: Math.max(0, names.length - MOST_FOLDERS) };
}

function* skillAt(folder: string, isNamed: boolean): SkillSearch<SeenSkill | undefined> {
  const sight = yield { kind: 'text', path: `${folder}/${SKILL_FILE}` };
  switch (sight.kind) {
    case 'text':
      return { folder, isNamed, sight: withinHome(sight) };
    case 'closed':
      return { folder, isNamed, sight: { ...sight, kind: 'closed' } };
    default:
      return undefined;
  }
}

function withinHome(sight: SkillText): SeenSkill['sight'] {
  const { file, home, bytes } = sight;
  if (!file.startsWith(home === '.' ? '' : `${home}/`))
    return { kind: 'closed', why: `its ${SKILL_FILE} is a link that leads out of its folder, to ${file}` };
  if (bytes > MAX_SKILL_BYTES)
    return { kind: 'closed', why: `its ${SKILL_FILE} has ${bytes} bytes, and the limit is ${MAX_SKILL_BYTES}` };
  return sight;
}

/** The most that stands in a prompt. */
const MOST_SKILLS = 100;
const MOST_BYTES = 32_768;

/** The skills of an agent out of all that its entries bring, in their order (SKILL-1). */
export function chooseSkills<
  Skill extends {
    readonly name: string;
    readonly description: string;
    /** The path of its SKILL.md without links. */
    readonly file: string;
  },
>(
  brought: readonly Skill[],
): {
  readonly used: readonly Skill[];
  /** Those whose name another one has that comes first. */
  readonly shadowed: readonly { readonly skill: Skill; readonly by: Skill }[];
  /** Those that find no room. */
  readonly leftOut: readonly Skill[];
} {
  const byName = new Map<string, Skill>();
  const shadowed: { readonly skill: Skill; readonly by: Skill }[] = [];
  for (const skill of brought) {
    const by = byName.get(skill.name);
    if (by === undefined) byName.set(skill.name, skill);
    else if (by.file !== skill.file) shadowed.push({ skill, by });
  }
  const all = [...byName.values()];
  let bytes = 0;
  let count = 0;
  for (const skill of all.slice(0, MOST_SKILLS)) {
    bytes += byteLength(skillLine(skill)) + 1;
    if (bytes > MOST_BYTES) break;
    count += 1;
  }
  return { used: all.slice(0, count), shadowed, leftOut: all.slice(count) };
}
