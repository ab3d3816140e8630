// cadre init: from an empty folder to one that can be run. Writes only files that are not there; what is there stays as it
// is, and is named.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readRegularText } from '../../../base/disk/regular.ts';
import { shownWord } from '../../../base/text/shell-words.ts';
import { readCadre } from '../../../definition/load.ts';
import { readEnvironment } from '../../../definition/read/variables.ts';
import { workspaceFileProblem } from '../../../definition/skills/look-here.ts';
import { findModel, SCRIPTED_MODEL, type StarterModel } from '../../../engine/inspect/find-model.ts';
import { EXIT, fail } from '../../../kernel/fault.ts';
import { isFolder, isMissing } from '../../lookup/stats.ts';
import { notify, print } from '../../screen/output.ts';
import { FIRST_COMMAND, starterFiles } from '../../starter/files.ts';

/** Texts of a project that say how one works on it. The first that can be read is the one. */
const CONVENTIONS = ['AGENTS.md', 'CLAUDE.md'];

export async function init(
  folder: string,
  options: {
    /** `provider/model`, instead of what is found. */
    readonly model?: string;
  },
): Promise<number> {
  const asked = askedModel(options.model);
  makeFolder(folder);
  const chosen = asked ?? (await findModel(readEnvironment(folder)));
  const projectFile = CONVENTIONS.find((name) => workspaceFileProblem(folder, name) === undefined);
  const { written, left } = writeFiles(folder, starterFiles(chosen, projectFile));
  if (written.length > 0) print(`Written${folder === '.' ? '' : ` to ${folder}`}: ${written.join(', ')}`);
  if (left.length > 0) print(`Left as they are, because they were there: ${left.join(', ')}`);
  if (written.includes('cadre.yaml')) print(`Model: ${chosen.model} (${chosen.why})`);
  if (projectFile !== undefined && written.includes('helper.md'))
    print(`Project file: ${projectFile} (it stands in the prompt of helper)`);
  if (left.includes('.gitignore') && !leavesOutRuns(folder))
    print('If git is used here, .gitignore needs the lines: .cadre/ and .env');
  const { cadre } = await readCadre(folder);
  if (cadre === undefined) notify('This folder has errors beside what was written. The next command lists them.');
  const next = cadre === undefined ? 'check' : FIRST_COMMAND;
  print(`\nNext:\n${folder === '.' ? '' : `  cd ${shownWord(folder)}\n`}  ${command()} ${next}`);
  return EXIT.answered;
}

function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = resolve(folder); isMissing(at); at = dirname(at)) missing.unshift(at);
  try {
    for (const one of missing) mkdirSync(one); // not recursive: for a folder below /proc Node 20 would try for ever
  } catch (thrown) {
    fail('usage', `${folder} cannot be made: ${(thrown as Error).message}`);
  }
  if (!isFolder(folder)) fail('usage', `${folder} is not a folder.`);
}

/** Undefined where nothing was asked for. */
function askedModel(asked: string | undefined): StarterModel | undefined {
  if (asked === undefined) return undefined;
  if (asked === SCRIPTED_MODEL.model)
    return { ...SCRIPTED_MODEL, why: 'as you asked; it answers from demo.script.yaml' };
  if (!/^[A-Za-z][\w.-]*\/[\w.:/@+-]+$/.test(asked))
    fail('usage', `--model takes provider/model, not "${asked.slice(0, 80)}".`);
  return { model: asked, why: 'as you asked' };
}

function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): { readonly written: readonly string[]; readonly left: readonly string[] } {
  const written: string[] = [];
  const left: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    try {
      writeFileSync(join(folder, name), text, { flag: 'wx' }); // follows no link, replaces nothing
      written.push(name);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST')
        fail('usage', `${join(folder, name)} cannot be written: ${(thrown as Error).message}`);
      left.push(name);
    }
  }
  return { written, left };
}

const MAX_GITIGNORE_BYTES = 1_048_576;

function leavesOutRuns(folder: string): boolean {
  try {
    const text = readRegularText(join(folder, '.gitignore'), { maxBytes: MAX_GITIGNORE_BYTES });
    return /^\/?\.cadre\/?\s*$/m.test(text);
  } catch {
    return false; // unreadable: the person is told what it needs
  }
}

/** The way this command was called, so that the next one can be copied. */
const command = (): string => (process.env['npm_command'] === 'exec' ? 'npx cadre' : 'cadre');
