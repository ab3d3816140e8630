// The paths of a workspace that the entries of `skills` lead to.

/** The entry of `skills: true`: every skill of the four folders. */
export const ALL_SKILLS = '*';

/** The folders of a workspace in which skills are looked for by name, in this order. */
export const SKILL_FOLDERS = ['skills', '.agents/skills', '.claude/skills', '.github/skills'] as const;

export const SKILL_FILE = 'SKILL.md';

/** An entry with a slash is a path, any other one is a name. */
export const isSkillPath = (entry: string): boolean => entry.includes('/') || entry.startsWith('.');

/** The paths of the workspace that an entry may lead to, whether they are there or not. */
export function pathsOfEntry(entry: string): readonly string[] {
  if (entry === ALL_SKILLS) return SKILL_FOLDERS;
  return isSkillPath(entry) ? [entry.replace(/^\.\//, '')] : SKILL_FOLDERS.map((folder) => `${folder}/${entry}`);
}
