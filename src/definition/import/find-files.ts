// The Markdown files of a folder that may hold agents of another tool, and what each of them is. Follows no links, and reads
// no more than a number of files and bytes.

import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { readRegularText } from '../../base/disk/regular.ts';
import { fail } from '../../kernel/fault.ts';
import { compare } from '../diagnostic.ts';
import { MAX_FILE_BYTES, MAX_FILES } from '../read/folder.ts';
import { opensFrontmatter } from '../read/frontmatter.ts';
import { type ForeignFile, readForeign } from './foreign-file.ts';

const MAX_ENTRIES = 200_000;
const MAX_BYTES = 128 * 1_048_576;
const CLOSED: ReadonlySet<string> = new Set(['.git', 'node_modules', '.cadre']);

export interface ForeignAgent {
  /** Relative to the folder, with forward slashes. */
  readonly from: string;
  readonly file: ForeignFile;
}

/** Markdown that is no agent, and what it is. */
interface NoAgent {
  readonly from: string;
  readonly kind: 'command' | 'skill' | 'markdown' | 'link';
}

/** A file that may be an agent and could not be read. */
interface Unreadable {
  readonly from: string;
  readonly why: string;
}

export interface FoundFiles {
  readonly agents: readonly ForeignAgent[];
  readonly others: readonly NoAgent[];
  readonly unreadable: readonly Unreadable[];
}

/** `except` is an absolute folder that is left out: where the agents are written to. */
export function findForeign(folder: string, except: string): FoundFiles {
  const agents: ForeignAgent[] = [];
  const others: NoAgent[] = [];
  const unreadable: Unreadable[] = [];
  // A repository may be called agents, and hold everything else too.
  const isFolderOfAgents = basename(folder) === 'agents' && !existsSync(join(folder, '.git'));
  let bytes = 0;
  for (const { path: from, isLink } of markdownBelow(folder, except)) {
    if (isLink) {
      others.push({ from, kind: 'link' });
      continue;
    }
    try {
      const text = readRegularText(join(folder, from), { maxBytes: MAX_FILE_BYTES, within: folder });
      bytes += text.length;
      if (bytes > MAX_BYTES) fail('usage', tooMuch(folder, `${MAX_BYTES / 1_048_576} MiB of Markdown`));
      const kind = kindOf(from, text);
      const file = kind === 'agent' ? readForeign({ file: from, text }) : undefined;
      if (kind !== 'agent') others.push({ from, kind });
      else if (file === undefined) unreadable.push({ from, why: 'its frontmatter has no second ---, or is too long' });
      else if (isAgent(from, file, isFolderOfAgents)) agents.push({ from, file });
      else others.push({ from, kind: isCommand(file) ? 'command' : 'markdown' });
    } catch (thrown) {
      if (thrown instanceof Error && 'fault' in thrown) throw thrown;
      unreadable.push({ from, why: (thrown as Error).message });
    }
  }
  return { agents, others, unreadable };
}

interface MarkdownFile {
  readonly path: string;
  readonly isLink: boolean;
}

function markdownBelow(folder: string, except: string): readonly MarkdownFile[] {
  const found: MarkdownFile[] = [];
  const waiting = [''];
  let seen = 0;
  for (let within = waiting.pop(); within !== undefined; within = waiting.pop()) {
    const entries = entriesOf(folder, within);
    seen += entries.length;
    for (const entry of entries) {
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      const isClosed = CLOSED.has(entry.name) || resolve(folder, path) === except;
      if (entry.isDirectory() && !isClosed) waiting.push(path);
      else if (entry.name.endsWith('.md') && !entry.isDirectory()) found.push({ path, isLink: entry.isSymbolicLink() });
    }
    if (seen > MAX_ENTRIES) fail('usage', tooMuch(folder, `${MAX_ENTRIES} files and folders`));
    if (found.length > MAX_FILES) fail('usage', tooMuch(folder, `${MAX_FILES} Markdown files`));
  }
  return found.sort((a, b) => compare(a.path, b.path));
}

const tooMuch = (folder: string, many: string): string =>
  `There are more than ${many} below ${folder}. Name the folder that holds the agents.`;

function entriesOf(folder: string, within: string): readonly Dirent[] {
  try {
    return readdirSync(join(folder, within), { withFileTypes: true });
  } catch (thrown) {
    if (within === '') fail('agent/unreadable', `${folder} cannot be read: ${(thrown as Error).message}`);
    return []; // a folder that is closed to us holds nothing that could be taken over
  }
}

/** The kind of a file, by the folder that it lies in and by its first line. */
function kindOf(path: string, text: string): NoAgent['kind'] | 'agent' {
  const place = path
    .split('/')
    .slice(0, -1)
    .findLast((part) => Object.hasOwn(PLACES, part));
  if (basename(path) === 'SKILL.md') return 'skill';
  if (place !== undefined && PLACES[place] !== 'agent') return PLACES[place]!;
  return opensFrontmatter(text) ? 'agent' : 'markdown';
}

const PLACES: Readonly<Record<string, NoAgent['kind'] | 'agent'>> = {
  agents: 'agent',
  commands: 'command',
  skills: 'skill',
};

/**
 * A file in a folder of agents is an agent if it says what it is for. Elsewhere it also has a name, and a model or
 * tools: commands and skills have a name and a description alone.
 */
function isAgent(path: string, { tree }: ForeignFile, isFolderOfAgents: boolean): boolean {
  const has = (key: string): boolean => tree.entries.has(key);
  if (isCommand({ tree })) return false;
  if (isFolderOfAgents || path.split('/').slice(0, -1).includes('agents')) return has('description') || has('name');
  return has('description') && has('name') && (has('model') || has('tools'));
}

const isCommand = ({ tree }: Pick<ForeignFile, 'tree'>): boolean =>
  tree.entries.has('argument-hint') || tree.entries.has('allowed-tools');
