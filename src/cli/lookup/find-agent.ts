// Finds the agent that a person means: the path of an agent file, or a name in the cadre of a folder. If the folder
// holds only other cadres, the name is looked for in all of them.

import { basename, dirname, join, relative, resolve } from 'node:path';
import { nearest } from '../../base/text/nearest.ts';
import { countedNoun } from '../../base/text/words.ts';
import type { AgentDefinition, CadreDefinition } from '../../definition/definition.ts';
import { isError, renderText, summarize } from '../../definition/diagnostic.ts';
import { type CadreReading, loadCadre, type PlacedCadre, readCadre, readCadres } from '../../definition/load.ts';
import { agentIn, agentNamed } from '../../engine/request.ts';
import { fail } from '../../kernel/fault.ts';
import { notify } from '../screen/output.ts';
import { filesIn, isFile, isFolder, isMissing } from './stats.ts';

/**
 * `workspace` is the root of the tools that the caller wants, absolute. For a run, files that the agent cannot reach may be
 * left out of the cadre.
 */
export async function findAgent(
  asked: string,
  dir: string | undefined,
  workspace?: string,
  need: 'folder' | 'run' = 'folder',
): Promise<{ readonly cadre: CadreDefinition; readonly agent: AgentDefinition }> {
  if (dir === undefined && isPath(asked)) return agentOfFile(asked, workspace);
  const cadres = await readCadres(dir ?? '.', { workspace, ...(need === 'run' && { only: asked }) });
  const byFile = dir === undefined || !asked.endsWith('.md') ? undefined : agentByFile(asked, dir, cadres);
  if (byFile !== undefined) return byFile;
  const [first] = cadres;
  if (first === undefined || first.prefix !== '') return agentBelow(asked, dir ?? '.', cadres);
  const cadre = first.reading.cadre ?? (await loadCadre(first.target, { workspace })); // says why not, with every finding
  return { cadre, agent: soundAgent(first.reading, cadre, asked) };
}

/**
 * The agent, if no file that it can reach has errors; otherwise throws `agent/invalid` with those. What is wrong with
 * other files of the folder does not concern it, and is only mentioned.
 */
function soundAgent(reading: CadreReading, cadre: CadreDefinition, asked: string): AgentDefinition {
  const { diagnostics, texts, folder } = reading;
  if (cadre.faulty?.has(asked) === true) {
    const reached = reading.filesOf(asked);
    const own = diagnostics.filter((one) => reached.has(one.file));
    const pathOf = (file: string): string => relative('', join(folder, file));
    const text = `${asked}: ${summarize(own, reached.size)}\n\n${renderText(own, { texts, pathOf })}`;
    fail('agent/invalid', text, { diagnostics: own });
  }
  const agent = agentIn(cadre, asked);
  const errors = diagnostics.filter(isError).length;
  if (errors > 0) {
    const where = relative('', folder);
    notify(
      `${countedNoun(errors, 'error')} in files that ${agent.name} does not need. See: cadre check${where && ` ${where}`}`,
    );
  }
  return agent;
}

/** The agent of a file, whose path begins in the folder that was named or here. */
function agentByFile(path: string, dir: string, cadres: readonly PlacedCadre[]) {
  const files = new Set([resolve(dir, path), resolve(path)]);
  for (const { reading } of cadres) {
    const { cadre } = reading;
    const isIt = (file: string): boolean => files.has(resolve(reading.folder, file));
    const sound = [...(cadre?.agents.values() ?? [])].find(({ file }) => isIt(file))?.name;
    const name = sound ?? [...(cadre?.faulty ?? [])].find(([, file]) => isIt(file))?.[0];
    if (cadre !== undefined && name !== undefined) return { cadre, agent: soundAgent(reading, cadre, name) };
  }
  return undefined;
}

/** Finds an agent by its name alone, or with the cadre before it: `help-desk/front-desk`. */
function agentBelow(asked: string, dir: string, cadres: readonly PlacedCadre[]) {
  const loaded = cadres.flatMap(({ prefix, target, reading: { cadre } }) => (cadre ? [{ prefix, target, cadre }] : []));
  const found = loaded.flatMap(({ prefix, target, cadre }) => {
    const agent = agentNamed(cadre, withoutStart(asked, prefix));
    return agent === undefined ? [] : [{ prefix, target, cadre, agent }];
  });
  const [one, ...more] = found;
  const faulty = loaded.find(({ prefix, cadre }) => cadre.faulty?.has(withoutStart(asked, prefix)) === true);
  if (one === undefined && faulty !== undefined) agentIn(faulty.cadre, withoutStart(asked, faulty.prefix)); // says why not
  if (one === undefined) return fail('agent/unknown', noneBelow(asked, dir, cadres));
  if (more.length === 0) return { cadre: one.cadre, agent: one.agent };
  const ways = found.map(({ prefix, agent }) => prefix + agent.name).join(', ');
  return fail(
    'agent/unknown',
    `${found.length} cadres below ${dir} have an agent "${asked}". Say which, with --dir ${dir}: ${ways}.`,
  );
}

const withoutStart = (asked: string, prefix: string): string =>
  asked.startsWith(prefix) ? asked.slice(prefix.length) : asked;

function noneBelow(asked: string, dir: string, cadres: readonly PlacedCadre[]): string {
  const known = cadres.flatMap(({ prefix, reading: { cadre } }) =>
    [...(cadre?.agents.keys() ?? [])].map((name) => ({ name, whole: prefix + name })),
  );
  const near = nearest(
    asked,
    known.flatMap(({ name, whole }) => [name, whole]),
  );
  const invalid = cadres.filter(({ reading }) => reading.cadre === undefined).map(({ target }) => target);
  return [
    `There is no agent ${JSON.stringify(asked.slice(0, 80))} in the cadres below ${dir}.`,
    ...(known.length === 0 ? [] : [`They have: ${listed(known.map(({ whole }) => whole))}.`]),
    ...(near === undefined ? [] : [`Did you mean "${near}"?`]),
    ...(invalid.length === 0
      ? []
      : [`These have errors and were not searched: ${listed(invalid)}. See: cadre check ${dir}`]),
  ].join(' ');
}

async function agentOfFile(path: string, workspace: string | undefined) {
  if (isFolder(path)) {
    fail('usage', `${path} is a folder. Name an agent file in it, or an agent: --dir ${path} <agent>.`);
  }
  if (isMissing(path)) fail('agent/unreadable', `${path} does not exist.${agentFilesBeside(path)}`);
  const reading = await readCadre(path, { workspace });
  const { cadre, entry } = reading;
  if (cadre !== undefined && entry !== undefined) return { cadre, agent: soundAgent(reading, cadre, entry) };
  await loadCadre(path, { workspace }); // says why not, with every finding
  const ofSkill = reading.diagnostics.find(({ code }) => code === 'file/skill');
  const why = ofSkill === undefined ? '' : ` ${ofSkill.message}. ${ofSkill.help}`;
  return fail('agent/unreadable', `${path} is not an agent file.${why}`);
}

const isPath = (asked: string): boolean =>
  asked.endsWith('.md') || asked.includes('/') || asked.includes('\\') || isFile(asked);

const LISTED = 12;

/** The files that a person may have meant by a path that leads nowhere. */
function agentFilesBeside(path: string): string {
  const folder = dirname(path);
  const files = filesIn(folder).filter((file) => file.endsWith('.md'));
  if (files.length === 0) return '';
  const near = nearest(basename(path), files);
  if (near !== undefined) return ` Did you mean ${join(folder, near)}?`;
  return ` In ${folder} there are: ${listed(files)}.`;
}

function listed(names: readonly string[]): string {
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : '';
  return `${names.slice(0, LISTED).join(', ')}${more}`;
}
