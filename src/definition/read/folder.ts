// The only part of the check that touches the disk: finds the cadre's folder, walks it and reads its texts. Never
// throws: a file that is missing, unreadable, binary or far too large is a finding, and the others are read.
// The walk leaves out what agent-choice.ts does not choose, links to folders, and folders with a cadre.yaml of their own or a
// SKILL.md.

import { isUtf8 } from 'node:buffer';
import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { wayDown } from '../../base/disk/paths.ts';
import { foreignText, isInFolder, mayBeUsed, readRegular, UnusableFile } from '../../base/disk/regular.ts';
import { CONFIG_FILE } from '../definition.ts';
import { compare, type Finding, type ReportFinding } from '../diagnostic.ts';
import { SKILL_FILE } from '../skill-paths.ts';
import { type AgentChoice, agentChoice } from './agent-choice.ts';
import { opensFrontmatter } from './frontmatter.ts';

/** The largest agent file or cadre.yaml that is read. */
export const MAX_FILE_BYTES = 1_048_576;
/** Markdown files in one cadre. More than that means the wrong folder, and would take seconds to read. */
export const MAX_FILES = 10_000;
/** Entries looked at in one walk, so that a check of `/` ends. */
const MAX_ENTRIES = 200_000;

export interface FolderTexts {
  /** Absolute. */
  readonly folder: string;
  /** Agent files and cadre.yaml, by path relative to the folder, in order. */
  readonly texts: ReadonlyMap<string, string>;
  /** Markdown files that are not agents. */
  readonly others: ReadonlySet<string>;
  /** Markdown files that were not read, because nothing needs them. */
  readonly unread?: ReadonlySet<string>;
  /** The file that was asked for, where it was a file. */
  readonly entry?: string;
  /** True if the target could not be read at all. */
  readonly unreadable: boolean;
}

/** The files of which a reading may choose some. */
export interface ChosenFiles {
  /** Absolute. */
  readonly folder: string;
  /** The Markdown files that may be agents, in order. */
  readonly files: readonly string[];
  /** The text of cadre.yaml. */
  readonly config: string | undefined;
  /** Reads a file. Undefined if it is no agent, or cannot be read. */
  textOf(file: string): string | undefined;
}

/** `choose` names the files that are needed, or none where that is all. */
export function readFolder(
  target: string,
  report: ReportFinding,
  choose: (among: ChosenFiles) => ReadonlySet<string> | undefined = () => undefined,
): FolderTexts {
  const asked = resolve(target);
  const stats = statsOf(asked);
  if (!('isFile' in stats)) {
    const message = stats.code === 'ENOENT' ? `${target} does not exist` : `${target} cannot be read: ${stats.message}`;
    report(fileFinding('.', 'folder/unreadable', message, 'Name a folder of agent files, or one agent file.'));
    return { folder: asked, texts: new Map(), others: new Set(), unreadable: true };
  }
  const start = stats.isDirectory() ? asked : dirname(asked);
  const folder = configFolder(start, report) ?? start;
  const texts = new Map<string, string>();
  const others = new Set<string>();
  const take = (file: string, wanted: boolean): void => {
    if (texts.has(file) || others.has(file)) return;
    const read = readText(folder, file, wanted, report);
    if (read !== undefined) texts.set(file, read);
    else others.add(file);
  };
  if (isThere(join(folder, CONFIG_FILE))) take(CONFIG_FILE, true);
  const config = texts.get(CONFIG_FILE);
  const choice = agentChoice(config === undefined ? undefined : { file: CONFIG_FILE, text: config }, folder);
  const found = new Walk(folder, choice, report);
  found.walk();
  choice.reportUnused(report);
  const textOf = (file: string): string | undefined => {
    take(file, false);
    return texts.get(file);
  };
  const chosen = choose({ folder, files: found.files, config, textOf });
  const unread = new Set(chosen && found.files.filter((file) => !chosen.has(file)));
  for (const file of found.files) if (!unread.has(file)) take(file, false);
  if (stats.isDirectory() || basename(asked) === CONFIG_FILE)
    return { folder, texts: inOrder(texts), others, unread, unreadable: false };

  const entry = wayDown(folder, asked);
  if (isOfSkill(folder, entry)) {
    if (!isThere(join(folder, SKILL_FILE))) report(ofSkill(entry, dirname(asked)));
    return { folder, texts, others, entry, unreadable: true };
  }
  if (!texts.has(entry) && stats.isFile()) take(entry, false);
  if (texts.has(entry)) return { folder, texts, others, entry, unreadable: false };
  const help =
    'An agent file is Markdown whose first line is ---, with its keys below and a second --- before the prompt.';
  report(fileFinding(entry, 'file/not-agent', `${target} is not an agent file`, help));
  return { folder, texts, others, entry, unreadable: true };
}

const inOrder = (texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map(
    [...texts].sort(([one], [other]) => (one === CONFIG_FILE ? -1 : other === CONFIG_FILE ? 1 : compare(one, other))),
  );

/** True if a file lies in or below the folder of a skill. */
function isOfSkill(folder: string, file: string): boolean {
  const names = file.split('/').slice(0, -1);
  return [...names.keys(), names.length].some((count) => isThere(join(folder, ...names.slice(0, count), SKILL_FILE)));
}

const ofSkill = (file: string, folder: string): Finding =>
  fileFinding(
    file,
    'file/skill',
    `${folder} belongs to a skill (it has a ${SKILL_FILE}), and Markdown below a skill is never an agent`,
    'Put agents into a folder of their own. An agent uses the skill by its key skills.',
  );

/** The nearest folder from here upward that has a cadre.yaml. Above the folder itself, only one that may be used. */
function configFolder(start: string, report: ReportFinding): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const file = join(folder, CONFIG_FILE);
    const stats = statsOf(file);
    if ('isFile' in stats && stats.isFile()) {
      if (folder === start || mayBeUsed(file)) return folder;
      const help = 'Put a cadre.yaml of your own into the folder of the agents to be sure which one is used.';
      const source = { file: '.', text: '' };
      report({ code: 'config/foreign', severity: 'warning', source, message: foreignText(file), help });
    }
    if (dirname(folder) === folder) return undefined;
  }
}

class Walk {
  readonly files: string[] = [];
  readonly #folder: string;
  readonly #choice: AgentChoice;
  readonly #report: ReportFinding;
  #entries = 0;

  constructor(folder: string, choice: AgentChoice, report: ReportFinding) {
    this.#folder = folder;
    this.#choice = choice;
    this.#report = report;
  }

  walk(): void {
    const waiting = [''];
    for (let within = waiting.pop(); within !== undefined; within = waiting.pop()) {
      waiting.push(...this.#enter(within));
      if (this.#entries <= MAX_ENTRIES && this.files.length <= MAX_FILES) continue;
      this.#refuse();
      break;
    }
    this.files.sort(compare);
  }

  /** Takes the files of one folder, and returns the folders in it. */
  #enter(within: string): readonly string[] {
    let entries: Dirent[];
    try {
      entries = readdirSync(join(this.#folder, within), { withFileTypes: true });
    } catch (thrown) {
      const message = `the folder ${within || '.'} cannot be read: ${(thrown as Error).message}`;
      this.#report(fileFinding(within || '.', 'folder/unreadable', message, 'Make it readable, or move it elsewhere.'));
      return [];
    }
    this.#entries += entries.length;
    const configured = entries.some((entry) => entry.name === CONFIG_FILE && !entry.isDirectory());
    if (within !== '' && configured) return [];
    if (entries.some((entry) => entry.name === SKILL_FILE && !entry.isDirectory())) {
      if (within === '') this.#report(ofSkill('.', this.#folder));
      return [];
    }
    const folders: string[] = [];
    for (const entry of entries) {
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      if (entry.isDirectory()) {
        if (this.#choice.enters(path)) folders.push(path);
      } else if (entry.name.endsWith('.md') && this.#choice.takes(path) && this.#isFile(entry, path)) {
        this.files.push(path);
      }
    }
    return folders;
  }

  #isFile(entry: Dirent, path: string): boolean {
    if (entry.isFile()) return true;
    const stats = statsOf(join(this.#folder, path));
    if ('isFile' in stats) return stats.isFile() && this.#staysInside(path);
    const message = `${path} cannot be read: ${stats.message}`;
    this.#report(fileFinding(path, 'file/unreadable', message, 'Fix the link, or remove it.'));
    return false;
  }

  #staysInside(path: string): boolean {
    if (isInFolder(realpathSync(join(this.#folder, path)), this.#folder)) return true;
    reportOutside(this.#report, path);
    return false;
  }

  #refuse(): void {
    const many = this.files.length > MAX_FILES ? `${MAX_FILES} Markdown files` : `${MAX_ENTRIES} files and folders`;
    const message = `there are more than ${many} below ${this.#folder}`;
    this.#report(fileFinding('.', 'folder/too-many', message, 'Name the folder that holds only the agents.'));
    this.files.length = 0;
  }
}

/** The text of an agent file, or of a `wanted` file. Undefined for other Markdown, and for what cannot be read. */
function readText(folder: string, file: string, wanted: boolean, report: ReportFinding): string | undefined {
  const path = join(folder, file);
  const refuse = (code: string, message: string, help: string): undefined => {
    report(fileFinding(file, code, message, help));
    return undefined;
  };
  try {
    const bytes = readRegular(path, { maxBytes: MAX_FILE_BYTES, within: folder });
    if (isUtf16(bytes)) return refuse('file/encoding', `${file} is written in UTF-16`, 'Save it as UTF-8.');
    if (!wanted && !opensFrontmatter(bytes.toString('latin1', 0, 200).replace(/^\u00ef\u00bb\u00bf/, '')))
      return undefined;
    if (bytes.includes(0)) {
      return refuse(
        'file/binary',
        `${file} holds a NUL byte: it is not text`,
        'Replace it by a text file, or remove it.',
      );
    }
    if (!isUtf8(bytes)) {
      return refuse(
        'file/encoding',
        `${file} is not valid UTF-8, first on line ${firstBadLine(bytes)}`,
        'Save it as UTF-8.',
      );
    }
    return bytes.toString('utf8');
  } catch (thrown) {
    const trouble = thrown instanceof UnusableFile ? thrown.trouble : undefined;
    if (trouble === 'outside') return reportOutside(report, file);
    if (trouble === 'not-regular')
      return refuse('file/unreadable', `${file} is not a regular file`, 'Replace it by a text file, or remove it.');
    if (trouble === 'too-large') {
      if (!wanted && !opensFrontmatter(headOf(path))) return undefined;
      const { size } = statSync(path);
      return refuse(
        'file/too-large',
        `${file} has ${size} bytes, and the limit is ${MAX_FILE_BYTES}`,
        'Put long material into files that the agent reads with its tools.',
      );
    }
    return refuse(
      'file/unreadable',
      `${file} cannot be read: ${(thrown as Error).message}`,
      'Make it readable, or remove it.',
    );
  }
}

const headOf = (path: string): string => readRegular(path, { maxBytes: 200, head: 200 }).toString('utf8');

/** True if the bytes begin with a byte order mark of UTF-16 and the dash of a fence. */
const isUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe && bytes[2] === 0x2d) ||
  (bytes[0] === 0xfe && bytes[1] === 0xff && bytes[3] === 0x2d);

function firstBadLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    if (!isUtf8(bytes.subarray(start, end))) return line;
    start = end;
  }
  return line;
}

/** True if something has this name that is no folder; a link that leads nowhere is reported when it is read. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
}

function statsOf(path: string): Stats | NodeJS.ErrnoException {
  try {
    return statSync(path);
  } catch (thrown) {
    return thrown as NodeJS.ErrnoException;
  }
}

const fileFinding = (file: string, code: string, message: string, help: string): Finding => ({
  code,
  severity: 'error',
  source: { file, text: '' },
  message,
  help,
});

function reportOutside(report: ReportFinding, file: string): undefined {
  const message = `${file} is a link that leads out of the folder, so it is not read`;
  report(fileFinding(file, 'file/link', message, 'Copy the file into the folder, or remove the link.'));
}
