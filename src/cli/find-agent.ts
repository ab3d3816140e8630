// Which agent a person means: the path of an agent file, or a name in the cadre of a folder.

import { existsSync, statSync } from 'node:fs';
import type { CadreDefinition } from '../agents/definition.ts';
import { readCadre, loadCadre } from '../agents/load.ts';
import { nearest } from '../agents/nearest.ts';
import type { AgentName } from '../kernel/effect.ts';
import { fail } from '../kernel/fault.ts';

export interface FoundAgent {
  readonly cadre: CadreDefinition;
  readonly agent: AgentName;
}

export async function findAgent(asked: string, dir: string | undefined): Promise<FoundAgent> {
  if (dir === undefined && isPath(asked)) return agentOfFile(asked);
  const folder = dir ?? '.';
  const cadre = await loadCadre(folder);
  return { cadre, agent: agentNamed(asked, cadre, folder) };
}

async function agentOfFile(path: string): Promise<FoundAgent> {
  if (existsSync(path) && statSync(path).isDirectory()) {
    fail('usage', `${path} is a folder. Name an agent file in it, or an agent: --dir ${path} <agent>.`);
  }
  const reading = await readCadre(path);
  const { cadre, entry } = reading;
  if (cadre !== undefined && entry !== undefined) return { cadre, agent: entry };
  await loadCadre(path); // says why not, with every finding
  return fail('agent/unreadable', `${path} is not an agent file.`);
}

const isPath = (asked: string): boolean =>
  asked.endsWith('.md') || asked.includes('/') || asked.includes('\\') || isFile(asked);

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** By name, with or without `agent__`, or by an alias of cadre.yaml. */
export function agentNamed(asked: string, cadre: CadreDefinition, folder: string): AgentName {
  const name = asked.startsWith('agent__') ? asked.slice('agent__'.length) : asked;
  if (cadre.agents.has(name)) return name;
  const aliases = cadre.config.aliases ?? {};
  const meant = Object.hasOwn(aliases, asked) ? aliases[asked] : undefined;
  if (meant !== undefined) return meant;
  const known = [...cadre.agents.keys(), ...Object.keys(aliases)];
  const near = nearest(asked, known);
  const listed = known.length > 12 ? `${known.slice(0, 12).join(', ')} and ${known.length - 12} more` : known.join(', ');
  const where = folder === '.' ? 'this folder' : folder;
  return fail(
    'agent/unknown',
    `There is no agent ${JSON.stringify(asked.slice(0, 80))} in ${where}. It has: ${listed}.` +
      (near === undefined ? '' : ` Did you mean "${near}"?`),
  );
}
