// The models that each agent of a cadre would use, and their readiness. Servers on this machine are asked, others are
// not.

import { findPackage } from '../../base/disk/package.ts';
import type { CadreConfig, CadreDefinition, TemplatedText } from '../../definition/definition.ts';
import { readEnvironment, resolveTemplate } from '../../definition/read/variables.ts';
import { FaultError, faultOf } from '../../kernel/fault.ts';
import type { ProviderSettings } from '../../kernel/provider-settings.ts';
import { findLocalServers, type LocalServer, type Port, USUAL_PORTS } from '../../models/local.ts';
import { PRESETS } from '../../models/presets.ts';
import type { ModelRegistry } from '../../models/registry/model-registry.ts';
import { openInspectedModels } from './registry.ts';

export interface ModelUse {
  readonly agent: string;
  readonly model: string;
  readonly standsFor: string;
  readonly ready: boolean;
  readonly state: string;
  /** Its calls cost nothing, and why. */
  readonly free?: 'scripted' | 'recorded' | 'local';
}

/** Reads several cadres, each with the prefix of its agents' names. `servers`: model servers that answer on this machine. */
export async function modelUses(cadres: readonly { readonly prefix: string; readonly cadre: CadreDefinition }[]) {
  const ready = cadres.map((one) => ({ ...one, urls: baseUrls(one.cadre) }));
  const servers = await findLocalServers([
    ...USUAL_PORTS,
    ...ownPorts(ready.flatMap(({ urls }) => [...urls.values()])),
  ]);
  const uses: ModelUse[] = [];
  for (const { prefix, cadre, urls } of ready) {
    for (const use of await usesIn(cadre, urls, servers)) uses.push({ ...use, agent: prefix + use.agent });
  }
  return { uses, servers };
}

async function usesIn(
  cadre: CadreDefinition,
  urls: ReadonlyMap<string, string>,
  servers: readonly LocalServer[],
): Promise<readonly ModelUse[]> {
  const registry = openInspectedModels(cadre);
  const known = new Map<string, Promise<Omit<ModelUse, 'agent'>>>();
  const use = (model: string): Promise<Omit<ModelUse, 'agent'>> => {
    const one = known.get(model) ?? judged(model, { registry, urls, servers, providers: cadre.config.providers });
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
  {
    registry,
    urls,
    servers,
    providers,
  }: {
    readonly registry: ModelRegistry;
    /** The address of each provider that is a server. */
    readonly urls: ReadonlyMap<string, string>;
    readonly servers: readonly LocalServer[];
    readonly providers: CadreConfig['providers'];
  },
): Promise<Omit<ModelUse, 'agent'>> {
  const found = registry.find(model);
  if (!found.ok) return { model, standsFor: model, ready: false, state: oneLine(found.fault.message) };
  const { name: standsFor, kind, providerId, model: id } = found.value;
  if (kind === 'ai-sdk') return { model, standsFor, ...packaged(providers[providerId]) };
  const resolved = await registry.resolve(model);
  if (!resolved.ok) return { model, standsFor, ready: false, state: briefly(resolved.fault.message) };
  if (kind === 'scripted') return { model, standsFor, ready: true, state: 'ready: script', free: 'scripted' };
  if (kind === 'recorded') return { model, standsFor, ready: true, state: 'ready: recording', free: 'recorded' };
  const url = urls.get(providerId);
  const port = url === undefined ? undefined : loopbackPort(url);
  if (port === undefined) return { model, standsFor, ready: true, state: 'key set, server not asked' };
  const server = servers.find(({ baseUrl }) => loopbackPort(baseUrl) === port);
  if (server === undefined)
    return { model, standsFor, free: 'local', ready: false, state: `nothing answers at ${url}` };
  const has = server.models.length === 0 || server.models.includes(id);
  return {
    model,
    standsFor,
    free: 'local',
    ready: has,
    state: has ? 'ready: local server' : `${url} does not offer ${id}`,
  };
}

/** Packages are looked up, not loaded: no code of a package runs before a run needs one of its models. */
function packaged(provider: ProviderSettings<TemplatedText> | undefined): Pick<ModelUse, 'ready' | 'state'> {
  const { package: name, packageFrom: from } = provider ?? {};
  if (name === undefined || from === undefined) return { ready: false, state: 'a program hands its provider in' };
  try {
    const found = findPackage(name, from);
    if (found === undefined) return { ready: false, state: `not installed: npm install ${name}` };
    return { ready: true, state: `installed: ${name} ${found.version}, server not asked` };
  } catch (thrown) {
    return { ready: false, state: oneLine(faultOf(thrown).message) };
  }
}

/** Addresses that are known before a provider is made; one whose variable is unset is left out here. */
function baseUrls(cadre: CadreDefinition): ReadonlyMap<string, string> {
  const environment = readEnvironment(cadre.folder);
  const ollama = PRESETS.ollama.address((name) => environment[name]) ?? '';
  const urls = new Map<string, string>([['ollama', ollama]]);
  for (const [id, { kind, baseUrl }] of Object.entries(cadre.config.providers)) {
    if (kind === 'ollama') urls.set(id, ollama);
    if (baseUrl === undefined) continue;
    try {
      urls.set(id, withoutUser(resolveTemplate(baseUrl, environment)));
    } catch (thrown) {
      if (!(thrown instanceof FaultError)) throw thrown;
    }
  }
  return urls;
}

/** The address is shown, and its password is not. */
const withoutUser = (url: string): string => url.replace(/^(\s*[a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');

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

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** A table has room only for what is wrong. A run that needs the model also says the way out. */
const briefly = (message: string): string => oneLine(message.split(' Other ways:')[0] ?? message);
