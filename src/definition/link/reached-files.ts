// The files of a large folder that an agent can reach, found by their names, so that a run need not read the others.
// REACHED-1. In doubt all files are read: where a name is not that of a file, where `*` stands for everybody, or where an
//            agent that is reached may change files, because then it must be known which ones are closed to it.

import { isAbsolute, relative } from 'node:path';
import { basename, dirname, normalize } from 'node:path/posix';
import { CONFIG_FILE } from '../definition.ts';
import { readAgentFile, withoutPrefix } from '../read/agent-file.ts';
import { readConfig, withoutConfig } from '../read/config/config.ts';
import type { ChosenFiles } from '../read/folder.ts';
import { opensFrontmatter } from '../read/frontmatter.ts';
import type { AgentKeys } from '../read/keys.ts';
import { refsIn, withCatalog } from '../read/keys-forms.ts';
import type { Ref } from '../read/shape.ts';

/** A folder of so few files is read whole: what is wrong in the others can then be mentioned. */
const FEW = 50;

/** Tools that change no file of the workspace, or that no rule about its files holds for. */
const CHANGES_NOTHING = /^(?:files|person|web|mcp:.*|rest:.*)$/;

const PATTERNS = withCatalog([]);
/** The name of an agent whose file says no other. */
const nameOf = (file: string): string => basename(file).replace(/\.md$/i, '');

const silent = (): void => {};

/** `asked` is the name of an agent, or an alias. Undefined: all files are to be read. */
export function reachedFiles(
  asked: string,
  { folder, files, config, textOf }: ChosenFiles,
): ReadonlySet<string> | undefined {
  if (files.length <= FEW) return undefined;
  const { aliases, defaults } =
    config === undefined ? withoutConfig : readConfig({ file: CONFIG_FILE, text: config }, folder, silent);
  const byName = new Map<string, string[]>();
  for (const file of files) byName.set(nameOf(file), [...(byName.get(nameOf(file)) ?? []), file]);
  const all = new Set(files);
  const named = (name: string): readonly string[] => byName.get(name) ?? byName.get(withoutPrefix(name)) ?? [];
  const pathOf = ({ text, source }: Ref): string =>
    isAbsolute(text)
      ? relative(folder, text).replaceAll('\\', '/')
      : normalize(`${dirname(source.file)}/${text.replaceAll('\\', '/')}`);
  const placed = (ref: Ref): readonly string[] => {
    const path = pathOf(ref);
    if (all.has(path)) return [path];
    const within = `${path.replace(/\/+$/, '')}/`;
    return files.filter((file) => file.startsWith(within));
  };
  const filesOf = (ref: Ref): readonly string[] => {
    const found = named(ref.text);
    if (found.length > 0) return found;
    const alias = aliases.get(ref.text);
    return placed(ref).length > 0 || alias === undefined ? placed(ref) : [...named(alias.text), ...placed(alias)];
  };
  if ([...aliases.values()].some((alias) => filesOf(alias).length === 0)) return undefined;

  const begin = aliases.get(asked);
  const waiting = [...(named(asked).length === 0 && begin !== undefined ? filesOf(begin) : named(asked))];
  if (waiting.length === 0) return undefined;
  const reached = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const text = textOf(file);
    if (text === undefined || !opensFrontmatter(text)) continue;
    const { name, fields } = readAgentFile({ source: { file, text }, folder, report: silent });
    const refs = refsOf({ ...defaults, ...fields });
    if (name !== nameOf(file) || refs === undefined) return undefined;
    for (const ref of refs) {
      if (ref.text === 'self') continue;
      const to = filesOf(ref);
      if (to.length === 0) return undefined;
      waiting.push(...to);
    }
  }
  return reached;
}

/** Undefined where the agent may reach everybody, or change files (REACHED-1). */
function refsOf(fields: AgentKeys): readonly Ref[] | undefined {
  if (fields.tools?.some((entry) => !CHANGES_NOTHING.test(entry)) === true) return undefined;
  const refs: Ref[] = [];
  for (const { key, keySpec } of PATTERNS) {
    const value = (fields as Readonly<Record<string, unknown>>)[key];
    if (value === undefined) continue;
    const found = refsIn(keySpec.form, value, key).map(({ ref }) => ref);
    const isCommand = key === 'repeat' && found.length === 0;
    if (isCommand || found.some(({ text }) => text === '*')) return undefined;
    refs.push(...found);
  }
  return refs;
}
