// The facts of the tool that a person is asked about, beyond the question in the journal: the fate of a call that
// breaks off, and the request of a REST call. It starts no server and loads no function for that: a fact that it cannot
// know so, it does not claim.
// ASKED-1. Of a request it tells method and address. Headers are never told, and the address has lost its secrets.

import type { AgentDefinition, CadreDefinition, TemplatedText } from '../../definition/definition.ts';
import { readEnvironment, resolveTemplate } from '../../definition/read/variables.ts';
import type { AskedCall, AskedTool } from '../../kernel/approval.ts';
import { FaultError } from '../../kernel/fault.ts';
import type { LoadedCadre } from '../../run/loaded-cadre.ts';
import { restDeclaration } from '../../run/resources/tool-sources.ts';
import { secretsOf } from '../../secrets/configured.ts';
import { FILES_WRITE } from '../../tools/files/write/source.ts';
import { fill, readTemplate } from '../../tools/rest/template.ts';
import { openSources, sourceOf } from './sources.ts';

type AskedIn = Pick<CadreDefinition, 'config' | 'folder'>;

type AtWork = Pick<LoadedCadre, 'recordable' | 'resources'>;

/** `atWork` is what the run works with, if this process drives it. */
export async function askedTool(
  { name = '', source = name, arguments: given }: Partial<AskedCall>,
  cadre: AskedIn,
  atWork?: AtWork,
): Promise<AskedTool | undefined> {
  const repeat = openedRepeat(source, name, atWork) ?? (await configuredRepeat(source, cadre));
  if (repeat === undefined) return undefined;
  const request = source.startsWith('rest:') ? requestOf(source.slice('rest:'.length), given, cadre) : undefined;
  return { repeat, ...(request && { request }) };
}

/** Sources that open without a process and without a connection. The shell looks for a sandbox first. */
const QUIET: readonly string[] = ['files', FILES_WRITE, 'person', 'web'];

async function configuredRepeat(source: string, cadre: AskedIn): Promise<AskedTool['repeat'] | undefined> {
  if (!source.startsWith('rest:') && !QUIET.includes(sourceOf(source))) return undefined;
  const toolbox = openSources({ ...cadre, agents: new Map(), texts: new Map() });
  try {
    const [found] = (await toolbox.resolve([sourceOf(source)])).filter(({ address }) => address === source);
    return found?.tool.repeat;
  } catch (thrown) {
    if (thrown instanceof FaultError) return undefined; // its folder is gone, or a variable is not set
    throw thrown;
  } finally {
    await toolbox.close();
  }
}

/** The answer from the tools that this process has opened for an agent. */
function openedRepeat(source: string, name: string, atWork: AtWork | undefined): AskedTool['repeat'] | undefined {
  const names = ({ tools }: AgentDefinition): boolean => tools.some((entry) => sourceOf(entry) === sourceOf(source));
  const agents = [...(atWork?.recordable.agents.values() ?? [])].filter(names);
  for (const agent of agents) {
    const { tools, addresses } = atWork?.resources.openedTools?.(agent) ?? {};
    if ((addresses?.get(name) ?? name) === source) return tools?.get(name)?.repeat; // a function has its name alone
  }
  return undefined;
}

/** ASKED-1. */
function requestOf(tool: string, given: unknown, cadre: AskedIn): AskedTool['request'] {
  const config = cadre.config.restTools[tool];
  if (config === undefined) return undefined;
  const environment = readEnvironment(cadre.folder);
  const filled = (value: TemplatedText): string => resolveTemplate(value, environment);
  try {
    const { method, url } = fill(readTemplate(restDeclaration(tool, config, filled)), given, '');
    return { method, url: secretsOf(cadre).redact(url.href) };
  } catch (thrown) {
    if (thrown instanceof FaultError) return undefined; // a variable is not set, or the arguments do not fit
    throw thrown;
  }
}
