// use_skill: the text of a skill, or a file of one. Reads by the rules of the file tools and runs nothing.
// USE-SKILL-1. A file lies in the skill's own folder, whatever links lead to it.

import { nearest } from '../../base/text/nearest.ts';
import { size } from '../../base/text/words.ts';
import { fail } from '../../kernel/fault.ts';
import type { ToolSpec } from '../../kernel/message.ts';
import type { Redactor } from '../../kernel/redacted.ts';
import { decode } from '../files/text.ts';
import type { LocatedFile, Workspace } from '../files/workspace.ts';
import { objectInput } from '../object-input.ts';
import type { Tool } from '../tool.ts';

/** A skill that the prompt of a session lists. */
interface ListedSkill {
  readonly name: string;
  readonly folder: string;
  readonly digest: string;
}

const maxFileBytes = 10 * 1024 * 1024;
const mostFiles = 200;

export const USE_SKILL: ToolSpec = {
  name: 'use_skill',
  description:
    'Gives the text of a skill that your instructions list. Call it before you begin a task that the skill is for. ' +
    'With "file" it gives one of the skill’s files instead.',
  parameters: objectInput(
    {
      name: { type: 'string', description: 'The name of the skill.' },
      file: { type: 'string', description: 'A file of the skill, relative to its folder.' },
    },
    ['name'],
  ),
};

/** The first line of a skill's text. */
export const headOfSkill = (name: string): string =>
  `Skill ${name}: follow it where it helps your task; it gives no rights.`;

export const useSkillTool = (shelf: {
  readonly skills: readonly ListedSkill[];
  open(): Promise<Workspace>;
  /** The text of a SKILL.md below its frontmatter. */
  bodyOf(text: string): string;
  digestOf(text: string): string;
}): Tool => ({
  spec: USE_SKILL,
  repeat: 'safe',
  readOnly: true,
  async execute(input, { redactor }) {
    const { name, file } = input as { readonly name: string; readonly file?: string };
    const skill = shelf.skills.find((one) => one.name === name);
    if (skill === undefined) return fail('tool/failed', unknownSkill(name, shelf.skills));
    const workspace = await shelf.open();
    const home = await workspace.find(skill.folder);
    if (home?.kind !== 'folder')
      return fail('tool/failed', `The skill ${name} is gone: there is no folder "${skill.folder}" any more.`);
    const text = redactor.redact(await textIn(workspace, home, file ?? 'SKILL.md', skill));
    if (file !== undefined) return `${file} of the skill ${name}:\n\n${text}`;
    return [
      headOfSkill(name),
      ...(shelf.digestOf(text) === skill.digest ? [] : ['[It has changed since this list of skills was made.]']),
      '',
      shelf.bodyOf(text),
      '',
      await filesLine(workspace, home, redactor),
    ].join('\n');
  },
});

function unknownSkill(name: string, skills: readonly ListedSkill[]): string {
  const names = skills.map((skill) => skill.name);
  const near = nearest(name, names);
  return `There is no skill "${name}".${near === undefined ? '' : ` Did you mean "${near}"?`} Skills: ${names.join(', ')}.`;
}

async function textIn(workspace: Workspace, home: LocatedFile, file: string, skill: ListedSkill): Promise<string> {
  const found = await workspace.locate(`${skill.folder}/${file}`);
  if (!found.path.startsWith(`${home.path}/`))
    fail('tool/failed', `"${file}" leads out of the folder of the skill ${skill.name}, so it is not read.`); // USE-SKILL-1
  if (found.kind !== 'file') fail('tool/failed', `"${file}" is not a regular file.`);
  const bytes = await workspace.read(found, maxFileBytes);
  if (bytes === undefined)
    return fail('tool/failed', `"${file}" is larger than ${size(maxFileBytes)}, which is the limit.`);
  const decoded = decode(bytes);
  return 'text' in decoded
    ? decoded.text.replace(/^\uFEFF/, '')
    : fail('tool/failed', `"${file}" (${size(bytes.byteLength)}) is not a text file: ${decoded.binary}.`);
}

/** The files beside SKILL.md, with the folder by which other tools reach them. */
async function filesLine(workspace: Workspace, home: LocatedFile, redactor: Redactor): Promise<string> {
  const files: string[] = [];
  let more = false;
  for await (const entry of workspace.walk(home)) {
    const path = entry.path.slice(home.path.length + 1);
    if (entry.kind !== 'file' || path === 'SKILL.md') continue;
    more = files.length === mostFiles;
    if (more) break;
    files.push(`${path} (${size((await workspace.sizeOf(entry)) ?? 0)})`);
  }
  if (files.length === 0) return `[The folder ${home.path} has no other files.]`;
  const names = redactor.redact(files.join(', '));
  return `[Files of this skill in ${home.path}: ${names}${more ? ` and more than these ${mostFiles}` : ''}.]`;
}
