// The files of a folder that may hold agents of another tool, and what each of them is. Follows no links, and reads no more
// than a number of files and bytes.

import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { join as joinPosix } from 'node:path/posix';
import { readRegularText, UnusableFile } from '../../base/disk/regular.ts';
import { fail } from '../../kernel/fault.ts';
import { compare } from '../diagnostic.ts';
import { MAX_FILE_BYTES, MAX_FILES } from '../read/folder.ts';
import { opensFrontmatter } from '../read/frontmatter.ts';
import { fileNameOf } from './agent-name.ts';
import type { AgentDialect, DialectName, ForeignAgent, ForeignFile } from './dialect.ts';
import { dialectAt, dialectNamed, dialectOfKeys } from './dialects.ts';
import { readData, readForeign, withoutKeys } from './foreign-file.ts';
import { textAt } from './nodes.ts';
import { readToml } from './toml-file.ts';

const MAX_ENTRIES = 200_000;
const MAX_BYTES = 128 * 1_048_576;
const CLOSED: ReadonlySet<string> = new Set(['.git', 'node_modules', '.cadre']);

/** A file that is no agent, and what it is. */
interface NoAgent {
  readonly from: string;
  readonly kind: 'command' | 'skill' | 'markdown' | 'link' | 'off';
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

interface FileSearch {
  readonly folder: string;
  /** One file of the folder: it and the agents that it refers to are read. */
  readonly only?: string;
  /** An absolute folder that is left out: where the agents are written to. */
  readonly except: string;
  /** Reads every file that it can be in this dialect. */
  readonly dialect?: DialectName | undefined;
}

export function findForeign(search: FileSearch): FoundFiles {
  const reader = new FileReader(search);
  if (search.only === undefined) {
    for (const { path, isLink } of filesBelow(search)) {
      if (isLink) reader.others.push({ from: path, kind: 'link' });
      else reader.read(path);
    }
    return reader;
  }
  const waiting = [search.only];
  const seen = new Set(waiting);
  for (let from = waiting.pop(); from !== undefined && seen.size <= MAX_FILES; from = waiting.pop()) {
    for (const path of reader.read(from)) {
      const next = joinPosix(dirname(from), path);
      if (next.startsWith('..') || next.startsWith('/') || seen.has(next)) continue;
      seen.add(next);
      if (existsSync(join(search.folder, next))) waiting.push(next);
    }
  }
  return reader;
}

/** Reads one file after the other, and keeps what each of them is. */
class FileReader implements FoundFiles {
  readonly agents: ForeignAgent[] = [];
  readonly others: NoAgent[] = [];
  readonly unreadable: Unreadable[] = [];
  readonly #search: FileSearch;
  /** A repository may be called agents, and hold everything else too. */
  readonly #isFolderOfAgents: boolean;
  #bytes = 0;

  constructor(search: FileSearch) {
    this.#search = search;
    this.#isFolderOfAgents = basename(search.folder) === 'agents' && !existsSync(join(search.folder, '.git'));
  }

  /** The paths of the agents that it refers to. */
  read(from: string): readonly string[] {
    try {
      const { folder } = this.#search;
      const text = readRegularText(join(folder, from), { maxBytes: MAX_FILE_BYTES, within: folder });
      this.#bytes += text.length;
      if (this.#bytes > MAX_BYTES) fail('usage', tooMuch(folder, `${MAX_BYTES / 1_048_576} MiB in files`));
      return MARKDOWN.test(from) ? this.#markdown(from, text) : this.#data(from, text);
    } catch (thrown) {
      if (thrown instanceof Error && 'fault' in thrown) throw thrown;
      if (thrown instanceof UnusableFile && !this.#mayBeAgent(from)) return []; // a lock file may be that large
      this.unreadable.push({ from, why: reasonOf(thrown as Error) });
      return [];
    }
  }

  #markdown(from: string, text: string): readonly string[] {
    const forced = this.#forced(from);
    const place = dialectAt(this.#placeOf(from));
    const kind = forced === undefined ? kindOf(from) : 'agent';
    if (kind !== 'agent') return this.#leave(from, kind);
    const plain = /\.ai$/i.test(from) ? text.replace(/^#![^\n]*\n/, '') : text;
    if (!opensFrontmatter(plain)) {
      const isWhole = (forced ?? place) !== undefined && /\.(?:agent\.md|ai)$/i.test(from);
      if (!isWhole) return this.#leave(from, 'markdown');
      return this.#take(from, (forced ?? place)!, withoutKeys({ file: from, text: plain }));
    }
    const file = readForeign({ file: from, text: plain });
    if (file === undefined) {
      this.unreadable.push({ from, why: 'its frontmatter has no second ---, or is too long' });
      return [];
    }
    const dialect = forced ?? place ?? dialectOfKeys(from, file);
    if (isCommand(file, dialect)) return this.#leave(from, 'command');
    const isAgent = (forced ?? place) === undefined ? this.#isAgent(from, file) : saysWhatItIs(file);
    return isAgent ? this.#take(from, dialect ?? dialectNamed('claude'), file) : this.#leave(from, 'markdown');
  }

  #data(from: string, text: string): readonly string[] {
    const dialect = this.#forced(from) ?? dialectAt(this.#placeOf(from));
    const isToml = /\.toml$/i.test(from);
    if (dialect === undefined && !(isToml ? CODEX_WORDS.test(text) : mayHoldAgents(text))) return [];
    const file = isToml ? readToml({ file: from, text }) : readData({ file: from, text });
    const own = dialect ?? dialectOfKeys(from, file);
    return own === undefined ? [] : this.#take(from, own, file);
  }

  #take(from: string, dialect: AgentDialect, file: ForeignFile): readonly string[] {
    const why = dialect.refusal?.(file);
    if (why !== undefined) this.unreadable.push({ from, why });
    else if (dialect.isOff?.(file) === true) return this.#leave(from, 'off');
    else {
      const members = dialect.members?.(file, from) ?? [];
      for (const one of members.length > 0 ? members : [{ called: calledIn(from, file) }])
        this.agents.push({ from, dialect, file, ...one });
    }
    return dialect.references?.(file) ?? [];
  }

  /** Its place says that it holds an agent. Other YAML, TOML and JSON has to be read for that. */
  #mayBeAgent(from: string): boolean {
    return MARKDOWN.test(from) || (this.#forced(from) ?? dialectAt(this.#placeOf(from))) !== undefined;
  }

  #leave(from: string, kind: NoAgent['kind']): readonly string[] {
    this.others.push({ from, kind });
    return [];
  }

  #forced(from: string): AgentDialect | undefined {
    const { dialect } = this.#search;
    const named = dialect === undefined ? undefined : dialectNamed(dialect);
    return named?.endings.test(from) === true ? named : undefined;
  }

  /** With the names of the folder itself: `cadre import .github/agents` says where its files lie. */
  #placeOf(from: string): string {
    return [...this.#search.folder.split(/[\\/]/).slice(-2), from].join('/');
  }

  /**
   * A file in a folder of agents is an agent if it says what it is for. Elsewhere it also has a name, and a model or
   * tools: commands and skills have a name and a description alone.
   */
  #isAgent(path: string, file: ForeignFile): boolean {
    const has = (key: string): boolean => file.tree.entries.has(key);
    if (this.#isFolderOfAgents || path.split('/').slice(0, -1).includes('agents')) return saysWhatItIs(file);
    return has('description') && has('name') && (has('model') || has('tools'));
  }
}

const MARKDOWN = /\.(?:md|ai)$/i;

/** Words that stand in a file with agents. Without them it is not parsed: a repository has thousands of YAML files. */
const mayHoldAgents = (text: string): boolean =>
  (/^agents[ \t]*:/m.test(text) && DOCKER_WORDS.test(text)) || (TITLE.test(text) && GOOSE_WORDS.test(text));

const DOCKER_WORDS =
  /[\s{,"'](?:instruction(?:_file)?|toolsets|sub_agents|handoffs|structured_output|harness|use_toolsets)["']?[ \t]*:/;
const TITLE = /(?:^|[\s{,"])title"?[ \t]*:/;
const GOOSE_WORDS = /(?:^|[\s{,"])(?:instructions|prompt)"?[ \t]*:/;
const CODEX_WORDS = /^[ \t]*developer_instructions[ \t]*=/m;

const calledIn = (path: string, { tree }: ForeignFile): string => textAt(tree, 'name') ?? fileNameOf(path);

const saysWhatItIs = ({ tree }: ForeignFile): boolean => tree.entries.has('description') || tree.entries.has('name');

const reasonOf = ({ message }: Error): string => message.split('\n')[0]!.slice(0, 300);

function filesBelow({ folder, except, dialect }: FileSearch) {
  const found: { readonly path: string; readonly isLink: boolean }[] = [];
  const waiting = [''];
  let seen = 0;
  let markdown = 0;
  for (let within = waiting.pop(); within !== undefined; within = waiting.pop()) {
    const entries = entriesOf(folder, within);
    seen += entries.length;
    for (const entry of entries) {
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      const isClosed = CLOSED.has(entry.name) || resolve(folder, path) === except;
      if (entry.isDirectory() && !isClosed) waiting.push(path);
      else if (!entry.isDirectory() && isCandidate(join(basename(folder), path), dialect)) {
        if (MARKDOWN.test(path)) markdown += 1;
        if (MARKDOWN.test(path) || !entry.isSymbolicLink()) found.push({ path, isLink: entry.isSymbolicLink() });
      }
    }
    if (seen > MAX_ENTRIES) fail('usage', tooMuch(folder, `${MAX_ENTRIES} files and folders`));
    if (markdown > MAX_FILES) fail('usage', tooMuch(folder, `${MAX_FILES} Markdown files`));
    if (found.length > 2 * MAX_FILES) fail('usage', tooMuch(folder, `${2 * MAX_FILES} files that may hold agents`));
  }
  return found.sort((a, b) => compare(a.path, b.path));
}

/** JSON holds many things: only a recipe is looked into. */
const isCandidate = (path: string, dialect: DialectName | undefined): boolean =>
  /\.(?:md|ai|toml|ya?ml)$/.test(path) || (path.endsWith('.json') && (dialect === 'goose' || /recipe/i.test(path)));

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

/** The kind of a Markdown file, by the folder that it lies in and by its name. */
function kindOf(path: string): NoAgent['kind'] | 'agent' {
  const place = path
    .split('/')
    .slice(0, -1)
    .findLast((part) => Object.hasOwn(PLACES, part));
  if (basename(path) === 'SKILL.md') return 'skill';
  if (/\.prompt\.md$/i.test(path)) return 'command';
  if (/\.instructions\.md$/i.test(path)) return 'markdown';
  return place === undefined ? 'agent' : PLACES[place]!;
}

const PLACES: Readonly<Record<string, NoAgent['kind'] | 'agent'>> = {
  agents: 'agent',
  commands: 'command',
  skills: 'skill',
};

/** Agents of Copilot have a hint for their argument too. */
const isCommand = ({ tree }: ForeignFile, dialect: AgentDialect | undefined): boolean =>
  tree.entries.has('allowed-tools') || (tree.entries.has('argument-hint') && dialect?.name !== 'copilot');
