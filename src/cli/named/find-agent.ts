// Finds the agent that a person means: the path of an agent file, or a name in the cadre of a folder. If the folder
// holds only other cadres, the name is looked for in all of them.

import { basename, dirname, join } from 'node:path';
import type { AgentDefinition, CadreDefinition } from '../../agents/definition.ts';
import { loadCadre, type PlacedCadre, readCadre, readCadres } from '../../agents/load.ts';
import { agentIn, agentNamed } from '../../engine/request.ts';
import { fail } from '../../kernel/fault.ts';
import { nearest } from '../../text/nearest.ts';
import { filesIn, isFile, isFolder, isMissing } from './stats.ts';

export interface FoundAgent {
  readonly cadre: CadreDefinition;
  readonly agent: AgentDefinition;
}

export async function findAgent(asked: string, dir: string | undefined): Promise<FoundAgent> {
  if (dir === undefined && isPath(asked)) return agentOfFile(asked);
  const cadres = await readCadres(dir ?? '.');
  const [first] = cadres;
  if (first === undefined || first.prefix !== '') return agentBelow(asked, dir ?? '.', cadres);
  const cadre = first.reading.cadre ?? (await loadCadre(first.target)); // says why not, with every finding
  return { cadre, agent: agentIn(cadre, asked) };
}

/** Finds an agent by its name alone, or with the cadre before it: `help-desk/front-desk`. */
function agentBelow(asked: string, dir: string, cadres: readonly PlacedCadre[]): FoundAgent {
  const loaded = cadres.flatMap(({ prefix, target, reading: { cadre } }) => (cadre ? [{ prefix, target, cadre }] : []));
  const found = loaded.flatMap(({ prefix, target, cadre }) => {
    const agent = agentNamed(cadre, asked.startsWith(prefix) ? asked.slice(prefix.length) : asked);
    return agent === undefined ? [] : [{ prefix, target, cadre, agent }];
  });
  const [one, ...more] = found;
  if (one === undefined) return fail('agent/unknown', noneBelow(asked, dir, cadres));
  if (more.length === 0) return { cadre: one.cadre, agent: one.agent };
  const ways = found.map(({ prefix, agent }) => prefix + agent.name).join(', ');
  return fail(
    'agent/unknown',
    `${found.length} cadres below ${dir} have an agent "${asked}". Say which, with --dir ${dir}: ${ways}.`,
  );
}

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

async function agentOfFile(path: string): Promise<FoundAgent> {
  if (isFolder(path)) {
    fail('usage', `${path} is a folder. Name an agent file in it, or an agent: --dir ${path} <agent>.`);
  }
  if (isMissing(path)) fail('agent/unreadable', `${path} does not exist.${agentFilesBeside(path)}`);
  const { cadre, entry } = await readCadre(path);
  if (cadre !== undefined && entry !== undefined) return { cadre, agent: agentIn(cadre, entry) };
  await loadCadre(path); // says why not, with every finding
  return fail('agent/unreadable', `${path} is not an agent file.`);
}

const isPath = (asked: string): boolean =>
  asked.endsWith('.md') || asked.includes('/') || asked.includes('\\') || isFile(asked);

const LISTED = 12;

/** What a person may have meant by a path that leads nowhere. */
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
