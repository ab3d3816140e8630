// Takes agents of another tool over into a cadre: finds them, plans, and writes what is new. Nothing that exists is
// overwritten; of cadre.yaml everything that is there stays.

import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { readRegularText } from '../../base/disk/regular.ts';
import { fail } from '../../kernel/fault.ts';
import { CONFIG_FILE, workspaceOf } from '../definition.ts';
import { readCadre } from '../load.ts';
import { MAX_FILE_BYTES } from '../read/folder.ts';
import { type ConfigChange, withModels } from './config-models.ts';
import { copySkills, type ImportedSkill } from './copy-skills.ts';
import type { DialectName } from './dialect.ts';
import { findForeign } from './find-files.ts';
import { CLAUDE_SONNET } from './model-names.ts';
import { type ImportPlan, planImport } from './plan.ts';

export interface ImportedAgents {
  readonly plan: ImportPlan;
  /** Absolute: where agents were written to, and the cadre.yaml. */
  readonly to: string;
  readonly config: string;
  readonly change: ConfigChange;
  readonly skills: readonly ImportedSkill[];
}

export async function importAgents(request: {
  /** The folder with the agents of the other tool, or one file of them. */
  readonly from: string;
  readonly dialect?: DialectName | undefined;
  /** The folder whose cadre gets them, and the folder for the files in it. */
  readonly cadre: string;
  readonly to: string;
  readonly model?: string | undefined;
  /** Decides everything and writes nothing. */
  readonly dryRun: boolean;
}): Promise<ImportedAgents> {
  const { cadre, to, model, dryRun, dialect } = request;
  const isFile = lstatSync(request.from, { throwIfNoEntry: false })?.isFile() === true;
  const source = resolve(isFile ? dirname(request.from) : request.from);
  const target = resolve(cadre, to);
  const reading = await readCadre(cadre);
  const config = join(reading.folder, CONFIG_FILE);
  if (relative(reading.folder, target).startsWith('..'))
    fail('usage', `${to} is outside of ${reading.folder}, so its files would not be agents of that folder.`);
  const there = configThere(config, reading.folder);
  const workspace = reading.cadre === undefined ? reading.folder : workspaceOf(reading.cadre);
  const only = isFile ? basename(request.from) : undefined;
  const found = findForeign({ folder: source, except: target, dialect, ...(only !== undefined && { only }) });
  const plan = planImport(found, {
    existing: existingIn(reading, target, source),
    textAt: (path) => textBelow(source, path),
    workspace,
    declared: new Set([
      ...Object.keys(reading.cadre?.config.providers ?? {}),
      ...Object.keys(reading.cadre?.config.mcpServers ?? {}).map((name) => `mcp:${name}`),
    ]),
    model,
    hasVariables: there.kind === 'file' && /^\s*["']?variables["']?\s*:/m.test(there.text),
  });
  const fallback = plan.needsDefault ? (model ?? firstOf(plan.aliases)) : undefined;
  const change =
    there.kind === 'closed'
      ? ({ kind: 'refused', why: 'it is not a plain file', lines: '' } as const)
      : withModels(there.text, { aliases: plan.aliases, ...(fallback !== undefined && { fallback }) });
  const fresh = plan.agents.filter(({ state }) => state === 'new');
  const skills = copySkills(
    fresh.flatMap((agent) => agent.skills),
    {
      from: source,
      found: plan.others.filter(({ kind }) => kind === 'skill').map((one) => one.from),
      workspace,
      dryRun,
    },
  );
  if (!dryRun) {
    writeAgents(plan, target);
    if (change.kind === 'text') writeConfig(config, change.text, there.kind === 'file');
  }
  return { plan, to: target, config, change, skills };
}

/** A text that an agent is put together from. What cannot be read is as if it were not there, which is said of the agent. */
function textBelow(folder: string, path: string): string | undefined {
  try {
    return readRegularText(join(folder, path), { maxBytes: MAX_FILE_BYTES, within: folder });
  } catch {
    return undefined;
  }
}

/** An agent that names no model has the one that most of the others name, as its tool had the model of the conversation. */
const firstOf = (aliases: ReadonlyMap<string, string>): string =>
  aliases.has('sonnet') ? 'sonnet' : ([...aliases.keys()][0] ?? `anthropic/${CLAUDE_SONNET}`);

/** Agents that are there already. Those of the imported files themselves, read in place, make room for their import. */
function existingIn(reading: Awaited<ReturnType<typeof readCadre>>, target: string, source: string) {
  const { cadre, folder } = reading;
  const files = new Map<string, string>([
    ...[...(cadre?.agents.values() ?? [])].map(({ name, file }) => [name, file] as const),
    ...(cadre?.faulty ?? []),
  ]);
  return (name: string): string | undefined => {
    const file = join(target, `${name}.md`);
    if (existsSync(file)) return relative(folder, file);
    const other = files.get(name);
    return other === undefined || isBelow(resolve(folder, other), source) ? undefined : other;
  };
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`) || path === folder;

/** A link is not written through: what it leads to may belong to something else. */
function configThere(
  file: string,
  folder: string,
):
  | { readonly kind: 'none'; readonly text?: undefined }
  | { readonly kind: 'file'; readonly text: string }
  | { readonly kind: 'closed' } {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return { kind: 'none' };
  if (!stats.isFile()) return { kind: 'closed' };
  return { kind: 'file', text: readRegularText(file, { maxBytes: MAX_FILE_BYTES, within: folder }) };
}

function writeAgents({ agents }: ImportPlan, folder: string): void {
  const fresh = agents.filter(({ state }) => state === 'new');
  if (fresh.length > 0) mkdirSync(folder, { recursive: true });
  for (const { name, text } of fresh) {
    try {
      writeFileSync(join(folder, `${name}.md`), text, { flag: 'wx' });
    } catch (thrown) {
      fail('usage', `${join(folder, `${name}.md`)} cannot be written: ${(thrown as Error).message}`);
    }
  }
}

/** Written beside it and then put in its place, so that no moment has half of it. */
function writeConfig(file: string, text: string, exists: boolean): void {
  if (!exists) return writeFileSync(file, text, { flag: 'wx' });
  const draft = join(file, '..', `.${basename(file)}.${process.pid}`);
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: lstatSync(file).mode & 0o777 });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
