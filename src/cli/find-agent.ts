// Which agent a person means: the path of an agent file, or a name in the cadre of a folder.

import type { AgentDefinition, CadreDefinition } from '../agents/definition.ts';
import { loadCadre, readCadre } from '../agents/load.ts';
import { agentIn } from '../engine/request.ts';
import { fail } from '../kernel/fault.ts';
import { isFile, isFolder } from './stats.ts';

export interface FoundAgent {
  readonly cadre: CadreDefinition;
  readonly agent: AgentDefinition;
}

export async function findAgent(asked: string, dir: string | undefined): Promise<FoundAgent> {
  if (dir === undefined && isPath(asked)) return agentOfFile(asked);
  const cadre = await loadCadre(dir ?? '.');
  return { cadre, agent: agentIn(cadre, asked) };
}

async function agentOfFile(path: string): Promise<FoundAgent> {
  if (isFolder(path)) {
    fail('usage', `${path} is a folder. Name an agent file in it, or an agent: --dir ${path} <agent>.`);
  }
  const reading = await readCadre(path);
  const { cadre, entry } = reading;
  if (cadre !== undefined && entry !== undefined) return { cadre, agent: agentIn(cadre, entry) };
  await loadCadre(path); // says why not, with every finding
  return fail('agent/unreadable', `${path} is not an agent file.`);
}

const isPath = (asked: string): boolean =>
  asked.endsWith('.md') || asked.includes('/') || asked.includes('\\') || isFile(asked);
