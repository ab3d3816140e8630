// Well-known providers that need no address in cadre.yaml: where each is, which variables hold its key, and what the price
// table calls it. All but Bedrock speak OpenAI's chat protocol.

import type { PresetKind } from '../kernel/provider-settings.ts';

type Variable = (name: string) => string | undefined;

interface Preset {
  /** Variables that may hold the key. The first one that is set counts. */
  readonly keys: readonly string[];
  /** A server on this machine needs none. */
  readonly needsKey: boolean;
  /** Variables that say where the server is. */
  readonly places: readonly string[];
  /** Undefined where the variables do not say. */
  address(variable: Variable): string | undefined;
  /** The header that the key is sent in. If absent: `Authorization: Bearer`. */
  readonly keyHeader?: string;
  /** The name in the price table. */
  readonly prices?: string;
}

const at = (url: string, key: string, prices: string): Preset => ({
  keys: [key],
  needsKey: true,
  places: [],
  address: () => url,
  prices,
});

export const PRESETS: Readonly<Record<PresetKind, Preset>> = {
  ollama: {
    keys: ['OLLAMA_API_KEY'],
    needsKey: false,
    places: ['OLLAMA_HOST'],
    address: (variable) => ollamaAddress(variable('OLLAMA_HOST')),
  },
  openrouter: at('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', 'openrouter'),
  groq: at('https://api.groq.com/openai/v1', 'GROQ_API_KEY', 'groq'),
  mistral: at('https://api.mistral.ai/v1', 'MISTRAL_API_KEY', 'mistral'),
  deepseek: at('https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY', 'deepseek'),
  azure: {
    keys: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
    needsKey: true,
    places: ['AZURE_OPENAI_ENDPOINT', 'AZURE_RESOURCE_NAME'],
    address: azureAddress,
    keyHeader: 'api-key',
    prices: 'azure',
  },
  bedrock: {
    keys: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
    needsKey: true,
    places: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
    address: () => undefined, // its package makes the address from the region
    prices: 'aws',
  },
};

export const presetOf = (kind: string): Preset | undefined =>
  Object.hasOwn(PRESETS, kind) ? PRESETS[kind as PresetKind] : undefined;

/** OLLAMA_HOST is also what the server listens on: a host, a port, both, or an address. */
function ollamaAddress(given = ''): string {
  const text = given.trim().replace(/\/+$/, '');
  const url = /^https?:\/\//i.test(text)
    ? text
    : `http://${text.startsWith(':') || text === '' ? `127.0.0.1${text}` : text}`;
  if (!URL.canParse(url)) return `${url}/v1`;
  const { protocol, hostname, port } = new URL(url);
  const host = hostname === '0.0.0.0' || hostname === '[::]' ? '127.0.0.1' : hostname;
  const isBare = port === '' && !/^https?:\/\//i.test(text);
  return `${protocol}//${host}${isBare ? ':11434' : port === '' ? '' : `:${port}`}/v1`;
}

/** The newer form of the address, which takes the name of the deployment as the model and needs no version of the API. */
function azureAddress(variable: Variable): string | undefined {
  const endpoint = variable('AZURE_OPENAI_ENDPOINT')?.trim().replace(/\/+$/, '') ?? '';
  if (endpoint !== '') return endpoint.endsWith('/openai/v1') ? endpoint : `${endpoint}/openai/v1`;
  const resource = variable('AZURE_RESOURCE_NAME')?.trim() ?? '';
  return resource === '' ? undefined : `https://${resource}.openai.azure.com/openai/v1`;
}
