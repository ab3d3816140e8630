// cadre models: what each agent would use, whether that is ready, and which model servers run on this machine.

import type { CadreDefinition, Templated } from '../../agents/definition.ts';
import { readCadre } from '../../agents/load.ts';
import { readEnvironment, resolveTemplate } from '../../agents/variables.ts';
import { readScript } from '../../disk/regular.ts';
import { FaultError } from '../../kernel/fault.ts';
import { findLocalServers, type LocalServer, type Port, USUAL_PORTS } from '../../models/local.ts';
import { openRegistry, type Registry } from '../../models/registry.ts';
import { table } from '../render/table.ts';
import { columnsOf } from '../terminal.ts';
import { oneLine } from '../render/width.ts';

export interface ModelUse {
  readonly agent: string;
  readonly model: string;
  readonly standsFor: string;
  readonly ready: boolean;
  readonly state: string;
}

export async function models(folder: string, options: { readonly json?: boolean }): Promise<number> {
  const { cadre } = await readCadre(folder);
  const urls = cadre === undefined ? new Map<string, string>() : baseUrls(cadre);
  const servers = await findLocalServers([...USUAL_PORTS, ...ownPorts([...urls.values()])]);
  const uses = cadre === undefined ? [] : await usesOf(cadre, urls, servers);
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify({ agents: uses, local: servers }, null, 2)}\n`);
    return 0;
  }
  const width = columnsOf(process.stdout);
  const lines =
    cadre === undefined
      ? [`${folder} holds no cadre that passes its check; see: cadre check ${folder}`]
      : table(
          [{ title: 'AGENT' }, { title: 'MODEL' }, { title: 'STANDS FOR' }, { title: 'STATE', flexible: true }],
          uses.map((use) => [use.agent, use.model, use.standsFor === use.model ? '' : use.standsFor, use.state]),
          width,
        );
  process.stdout.write(`${[...lines, '', ...serverLines(servers)].join('\n')}\n`);
  return 0;
}

async function usesOf(
  cadre: CadreDefinition,
  urls: ReadonlyMap<string, string>,
  servers: readonly LocalServer[],
): Promise<readonly ModelUse[]> {
  const environment = readEnvironment(cadre.folder);
  const registry = openRegistry<Templated>(cadre.config, {
    env: (name) => environment[name],
    fill: (value) => resolveTemplate(value, environment),
    read: readScript,
  });
  const known = new Map<string, Promise<Omit<ModelUse, 'agent'>>>();
  const use = (model: string): Promise<Omit<ModelUse, 'agent'>> => {
    const one = known.get(model) ?? judged(model, registry, urls, servers);
    known.set(model, one);
    return one;
  };
  try {
    const uses = [...cadre.agents.values()].flatMap(({ name, models }) =>
      models.map(async (model) => ({ agent: name, ...(await use(model)) })),
    );
    return await Promise.all(uses);
  } finally {
    await registry.close();
  }
}

async function judged(
  model: string,
  registry: Registry,
  urls: ReadonlyMap<string, string>,
  servers: readonly LocalServer[],
): Promise<Omit<ModelUse, 'agent'>> {
  const found = registry.find(model);
  if (!found.ok) return { model, standsFor: model, ready: false, state: oneLine(found.fault.message) };
  const { name: standsFor, kind, providerId, model: id } = found.value;
  const resolved = await registry.resolve(model);
  if (!resolved.ok) return { model, standsFor, ready: false, state: briefly(resolved.fault.message) };
  if (kind === 'scripted') return { model, standsFor, ready: true, state: 'ready: script' };
  if (kind === 'recorded') return { model, standsFor, ready: true, state: 'ready: recording' };
  const url = urls.get(providerId);
  const port = url === undefined ? undefined : loopbackPort(url);
  if (port === undefined) return { model, standsFor, ready: true, state: 'key set, server not asked' };
  const server = servers.find(({ baseUrl }) => loopbackPort(baseUrl) === port);
  if (server === undefined) return { model, standsFor, ready: false, state: `nothing answers at ${url}` };
  const has = server.models.length === 0 || server.models.includes(id);
  return { model, standsFor, ready: has, state: has ? 'ready: local server' : `${url} does not offer ${id}` };
}

/** Of the providers that name one, with variables put in; one whose variable is unset is left out here. */
function baseUrls(cadre: CadreDefinition): ReadonlyMap<string, string> {
  const environment = readEnvironment(cadre.folder);
  const urls = new Map<string, string>();
  for (const [id, { baseUrl }] of Object.entries(cadre.config.providers)) {
    if (baseUrl === undefined) continue;
    try {
      urls.set(id, resolveTemplate(baseUrl, environment));
    } catch (thrown) {
      if (!(thrown instanceof FaultError)) throw thrown;
    }
  }
  return urls;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function loopbackPort(url: string): number | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, protocol } = new URL(url);
  if (!LOOPBACK.test(hostname)) return undefined;
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function ownPorts(urls: readonly string[]): readonly Port[] {
  const usual = new Set(USUAL_PORTS.map(({ port }) => port));
  const own = new Set(urls.map(loopbackPort).filter((port) => port !== undefined && !usual.has(port)));
  return [...own].map((port) => ({ name: 'cadre.yaml', port: port as number }));
}

function serverLines(servers: readonly LocalServer[]): readonly string[] {
  if (servers.length === 0) return ['No model server answers on this machine (Ollama, llama.cpp, LM Studio, vLLM).'];
  return servers.flatMap(({ name, baseUrl, models: offered }) => [
    `${name} answers at ${baseUrl}: ${offered.join(', ') || 'no models'}`,
    `  cadre.yaml: providers: { local: { kind: openai-compatible, baseUrl: "${baseUrl}" } }`,
  ]);
}

/** The ways out are told once a run needs one; a table has room for what is wrong. */
const briefly = (message: string): string => oneLine(message.split(' Other ways:')[0] ?? message);
