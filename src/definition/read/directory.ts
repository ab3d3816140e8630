// All agents of a cadre by name, file and alias, and the agent that a reference means. Built after every file has
// been read, so a reference may point forward.

import { isAbsolute, relative } from 'node:path';
import { dirname, normalize } from 'node:path/posix';
import { nearest } from '../../base/text/nearest.ts';
import type { AgentName } from '../../kernel/effect.ts';
import type { ReportFinding } from '../diagnostic.ts';
import { lineOf } from '../source.ts';
import { type AgentFile, withoutPrefix } from './agent-file.ts';
import type { Ref } from './shape.ts';

export interface Directory {
  /** The agents in the order of their files. */
  readonly agents: ReadonlyMap<AgentName, AgentFile>;
  readonly aliases: ReadonlyMap<string, AgentFile>;
  /** `key` holds the reference, for the report where it cannot be resolved. */
  resolve(ref: Ref, key: string): AgentFile | undefined;
  /** The agents of a folder that a reference names as a path, in order. Undefined where it names something else. */
  folder(ref: Ref): readonly AgentFile[] | undefined;
}

interface DirectoryParts {
  /** Absolute. */
  readonly folder: string;
  readonly files: readonly AgentFile[];
  readonly aliases: ReadonlyMap<string, Ref>;
  /** Markdown files of the folder that are not agents. */
  readonly others: ReadonlySet<string>;
  /** Only some files were read. Then an alias may lead to another one. */
  readonly isPart: boolean;
  readonly report: ReportFinding;
}

export function directory({ folder, files, aliases, others, isPart, report }: DirectoryParts): Directory {
  const agents = new Map<AgentName, AgentFile>();
  const byFile = new Map<string, AgentFile>();
  for (const file of files) {
    byFile.set(file.source.file, file);
    const first = agents.get(file.name);
    if (first === undefined) agents.set(file.name, file);
    else reportDuplicate(first, file, report);
  }
  const byName = (name: string): AgentFile | undefined => agents.get(name) ?? agents.get(withoutPrefix(name));
  const byPath = (ref: Ref): AgentFile | undefined => byFile.get(pathOf(ref, folder));

  const known = new Map<string, AgentFile>();
  const find = (ref: Ref): AgentFile | undefined => byName(ref.text) ?? byPath(ref) ?? known.get(ref.text);
  const resolve = (ref: Ref, key: string): AgentFile | undefined => {
    const found = find(ref);
    if (found === undefined) reportUnresolved(ref, key, { folder, agents, aliases, others, report });
    return found;
  };
  for (const [alias, ref] of aliases) {
    const target = byName(ref.text) ?? byPath(ref);
    if (target === undefined && isPart) continue;
    if (target === undefined)
      reportUnresolved(ref, `aliases.${alias}`, { folder, agents, aliases: new Map(), others, report });
    else known.set(alias, target);
    const shadow = agents.get(alias);
    if (shadow !== undefined && shadow !== target) reportShadowed(alias, ref, shadow, report);
  }
  const folderOf = (ref: Ref): readonly AgentFile[] | undefined => {
    if (find(ref) !== undefined) return undefined;
    const path = pathOf(ref, folder).replace(/\/+$/, '');
    const within = path === '.' ? '' : `${path}/`;
    const found = files.filter(({ source }) => source.file.startsWith(within));
    return found.length === 0 ? undefined : found;
  };
  return { agents, aliases: known, resolve, folder: folderOf };
}

/** The file that a reference names as a path, relative to the cadre's folder. */
function pathOf(ref: Ref, folder: string): string {
  const written = ref.text.replaceAll('\\', '/');
  if (isAbsolute(ref.text)) return relative(folder, ref.text).replaceAll('\\', '/');
  return normalize(`${dirname(ref.source.file)}/${written}`);
}

function reportDuplicate(first: AgentFile, second: AgentFile, report: ReportFinding): void {
  report({
    code: 'name/duplicate',
    source: second.source,
    at: second.nameAt,
    message: `two agents are called "${first.name}": ${first.source.file} and ${second.source.file}`,
    help: `Rename one of the files, or set another name: in one of them (the first has its name on line ${lineOf(first.source, first.nameAt)}).`,
  });
}

function reportShadowed(alias: string, ref: Ref, shadow: AgentFile, report: ReportFinding): void {
  report({
    code: 'alias/shadowed',
    severity: 'warning',
    source: ref.source,
    at: ref,
    message: `the alias "${alias}" is never used: ${shadow.source.file} is called that, and names come first`,
    help: 'Choose another alias.',
  });
}

type RefContext = Pick<DirectoryParts, 'folder' | 'aliases' | 'others' | 'report'> & Pick<Directory, 'agents'>;

function reportUnresolved(ref: Ref, key: string, known: RefContext): void {
  const path = pathOf(ref, known.folder);
  known.report({
    code: 'ref/unresolved',
    source: ref.source,
    at: ref,
    message: `\`${key}\` refers to "${ref.text}", and there is no such agent; tried the name "${withoutPrefix(ref.text)}", the file ${path} and the aliases of cadre.yaml`,
    help: wayOut(ref, path, known),
  });
}

function wayOut(ref: Ref, path: string, { agents, aliases, others }: RefContext): string {
  const names = [...agents.keys(), ...aliases.keys()];
  const other = [path, `${path}.md`].find((file) => others.has(file));
  if (other !== undefined) return `${other} is there, but it is not an agent: its first line is not ---.`;
  if (path === '..' || path.startsWith('../')) return 'An agent must be below the folder of its cadre.';
  const near = nearest(withoutPrefix(ref.text), names);
  if (near !== undefined) return `Did you mean "${near}"?`;
  if (names.length === 0) return 'No other agent is known.';
  return `Known agents: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ` and ${names.length - 10} more` : ''}.`;
}
