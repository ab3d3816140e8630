// Reads what a run is to be given, and keeps it in the store of the run. Secrets are taken out before anything is kept.

import { hostname } from 'node:os';
import { basename, dirname } from 'node:path/posix';
import { cutToLines } from '../base/text/bytes.ts';
import {
  MAX_SKILL_BYTES,
  type SeenEntry,
  type SeenSkill,
  type SkillLook,
  type SkillSight,
  searchSkills,
} from '../definition/skills/find-skills.ts';
import { readSkill } from '../definition/skills/skill-file.ts';
import { digest } from '../journal/fingerprint.ts';
import type { ProjectFileFact, SkillFact, SkillsFact } from '../journal/given.ts';
import type { RunStore } from '../journal/store.ts';
import { FaultError } from '../kernel/fault.ts';
import { NOTHING_SECRET } from '../kernel/redacted.ts';
import { PROJECT_FILE_BYTES } from '../patterns/given-prompt.ts';
import { readProjectFile } from '../tools/files/project-file.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import type { LiveRun } from './driven-run.ts';
import type { CadreResources } from './resources.ts';

/** More than is shown, so that a secret is taken out whole before the text is cut. */
const READ_BYTES = 2 * PROJECT_FILE_BYTES;

/** The parts of a run that reading needs. */
interface ReadingRun {
  readonly cadre: Pick<LiveRun['cadre'], 'secrets'> & { readonly resources: Pick<CadreResources, 'workspace'> };
  readonly environment: Pick<LiveRun['environment'], 'warn'> & { readonly store: Pick<RunStore, 'blobs'> };
  readonly start: Pick<LiveRun['start'], 'run'>;
}

/** `what` names the text in a warning: the project file, the skill. */
export async function readAndKeep(path: string, what: string, run: ReadingRun): Promise<ProjectFileFact> {
  const { cadre, environment } = run;
  const redactor = cadre.secrets ?? NOTHING_SECRET;
  const found = await readProjectFile(() => cadre.resources.workspace(), path, READ_BYTES);
  if ('leftOut' in found) {
    const why = redactor.redact(found.why);
    warnOf(`${what} ${path}`, why, run);
    return { leftOut: found.leftOut, why };
  }
  const clean = redactor.redact(found.text);
  const text = cutToLines(clean, PROJECT_FILE_BYTES);
  const kept = await environment.store.blobs.put(new TextEncoder().encode(text));
  const isCut = text.length < clean.length || found.bytes > READ_BYTES;
  return { file: found.file, digest: kept, bytes: found.bytes, ...(isCut && { isCut }) };
}

const warnOf = (what: string, why: string, { environment, start }: ReadingRun): void =>
  environment.warn(`Run ${start.run} goes on without the ${what}, on ${hostname()}: ${why}`);

/** The skills that an entry of an agent's file brings. Never rejects for what lies in the workspace. */
export async function readSkills(entry: string, run: ReadingRun): Promise<SkillsFact> {
  const redactor = run.cadre.secrets ?? NOTHING_SECRET;
  const { notes, ...found } = await foundSkills(
    entry,
    () => run.cadre.resources.workspace(),
    (text) => redactor.redact(text),
  );
  for (const { folder, why } of notes) warnOf(`skill ${folder}`, why, run);
  return found;
}

/** `notes` are about skills that were named and cannot be used. */
export async function foundSkills(
  entry: string,
  open: () => Promise<Workspace>,
  redact: (text: string) => string,
): Promise<SkillsFact & { readonly notes: readonly LeftOut[] }> {
  const { missing, skills: seen } = await seenBy(open, entry);
  const lacks = missing === undefined ? [] : [{ folder: entry, why: redact(missing) }];
  const read = seen.map((one) => ({ isNamed: one.isNamed, fact: factOf(one, redact) }));
  const notes: LeftOut[] = [...lacks];
  const leftOut: LeftOut[] = [...lacks];
  const skills: SkillFact[] = [];
  for (const { fact, isNamed } of read) {
    if (!('why' in fact)) skills.push(fact);
    else {
      leftOut.push(fact);
      if (isNamed) notes.push(fact);
    }
  }
  return { skills, ...(leftOut.length > 0 && { leftOut }), notes };
}

interface LeftOut {
  readonly folder: string;
  readonly why: string;
}

function factOf(
  { folder, sight }: SeenSkill,
  redact: (text: string) => string,
): SkillFact | { readonly folder: string; readonly why: string } {
  if (sight.kind === 'closed') return { folder, why: redact(sight.why) };
  const text = redact(sight.text);
  const { skill, faults } = readSkill({ file: sight.file, text }, basename(folder));
  if (skill === undefined) return { folder, why: faults.map(({ message }) => message).join('; ') };
  const { name, description } = skill;
  return { name, description, folder, file: sight.file, digest: digest(text) };
}

async function seenBy(open: () => Promise<Workspace>, entry: string): Promise<SeenEntry> {
  const search = searchSkills(entry);
  let step = search.next();
  while (step.done !== true) step = search.next(await sightOf(open, step.value));
  return step.value;
}

async function sightOf(open: () => Promise<Workspace>, { kind, path }: SkillLook): Promise<SkillSight> {
  try {
    if (kind === 'text') return await textAt(open, path);
    const workspace = await open();
    const folder = await workspace.find(path);
    if (folder === undefined) return { kind: 'missing', why: `There is no "${path}" in the workspace.` };
    if (folder.kind !== 'folder') return { kind: 'closed', why: `"${path}" is not a folder.` };
    const names: string[] = [];
    for await (const one of workspace.walk(folder, 1))
      if (one.kind === 'folder' || one.kind === 'link') names.push(basename(one.path));
    return { kind: 'folder', names };
  } catch (thrown) {
    if (!(thrown instanceof FaultError)) throw thrown;
    const { code, message } = thrown.fault;
    return { kind: code === 'tool/source' ? 'missing' : 'closed', why: message };
  }
}

async function textAt(open: () => Promise<Workspace>, path: string): Promise<SkillSight> {
  const found = await readProjectFile(open, path, MAX_SKILL_BYTES);
  if ('leftOut' in found) return { kind: found.leftOut, why: found.why };
  const home = await (await open()).locate(dirname(path));
  return { kind: 'text', home: home.path, ...found };
}
