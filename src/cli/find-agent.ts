// Which agent a person means: the path of an agent file, or a name in the cadre of a folder.

import { basename, dirname, join } from 'node:path';
import type { AgentDefinition, CadreDefinition } from '../agents/definition.ts';
import { loadCadre, readCadre } from '../agents/load.ts';
import { nearest } from '../kernel/nearest.ts';
import { agentIn } from '../engine/request.ts';
import { fail } from '../kernel/fault.ts';
import { filesIn, isFile, isFolder, isMissing } from './stats.ts';

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
  if (isMissing(path)) fail('agent/unreadable', `${path} does not exist.${agentFilesBeside(path)}`);
  const { cadre, entry } = await readCadre(path);
  if (cadre !== undefined && entry !== undefined) return { cadre, agent: agentIn(cadre, entry) };
  await loadCadre(path); // says why not, with every finding
  return fail('agent/unreadable', `${path} is not an agent file.`);
}

const isPath = (asked: string): boolean =>
  asked.endsWith('.md') || asked.includes('/') || asked.includes('\\') || isFile(asked);

const LISTED = 8;

/** What a person may have meant by a path that leads nowhere. */
function agentFilesBeside(path: string): string {
  const folder = dirname(path);
  const files = filesIn(folder).filter((file) => file.endsWith('.md'));
  if (files.length === 0) return '';
  const near = nearest(basename(path), files);
  if (near !== undefined) return ` Did you mean ${join(folder, near)}?`;
  const more = files.length > LISTED ? ` and ${files.length - LISTED} more` : '';
  return ` In ${folder} there are: ${files.slice(0, LISTED).join(', ')}${more}.`;
}
