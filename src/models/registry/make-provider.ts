// Makes a provider from its settings. Each kind's code is imported only here and only when asked for, so that a run
// on a script loads no HTTP client. Throws a FaultError that says what is missing and the ways out.

import { bareAddress, namesAuthorization } from '../../base/net/credentials.ts';
import { fail, faultOf } from '../../kernel/fault.ts';
import type { PresetKind, ProviderSettings } from '../../kernel/provider-settings.ts';
import type { Access } from '../ai-sdk/access.ts';
import { presetOf } from '../presets.ts';
import type { ModelProvider } from '../provider.ts';
import type { AiSdkProvider } from '../provider-instance.ts';
import type { ScriptedProvider } from '../scripted/scripted.ts';
import { keyVariables, type ModelEnvironment, protocolOf, type RemoteKind } from '../settings.ts';

/** A kind whose package is one of Cadre's own, or a preset that uses one. */
type ApiKind = Exclude<RemoteKind | PresetKind, 'ai-sdk' | 'bedrock'>;

const OTHER_WAYS =
  'Other ways: a model of another provider; a server on this machine, which needs no key ("cadre models" lists those ' +
  'that run); or the scripted model, which needs neither key nor network.';

export async function makeScripted<Value>(
  id: string,
  settings: ProviderSettings<Value>,
  around: ModelEnvironment<Value>,
): Promise<ScriptedProvider> {
  const file = settings.script ?? fail('config/invalid', `provider "${id}" is scripted but names no script.`);
  const [{ scriptedBy }, text] = await Promise.all([
    import('../scripted/scripted-by.ts'),
    readScript(id, file, around),
  ]);
  return scriptedBy(text, file, id, settings.unpaced);
}

export async function makeRemote<Value>(
  id: string,
  kind: ApiKind,
  settings: ProviderSettings<Value>,
  around: ModelEnvironment<Value>,
): Promise<ModelProvider> {
  const access = accessTo(id, kind, settings, around);
  const { aiSdk } = await import('../ai-sdk/ai-sdk.ts');
  return aiSdk(id, access);
}

export async function makeBedrock<Value>(
  id: string,
  settings: ProviderSettings<Value>,
  around: ModelEnvironment<Value>,
): Promise<ModelProvider> {
  const fill = (value: Value | undefined): string | undefined => (value === undefined ? undefined : around.fill(value));
  const { url: baseUrl, authorization } = bareAddress(fill(settings.baseUrl) ?? '');
  if (authorization !== undefined)
    fail('config/invalid', `provider "${id}" has a user in its baseUrl. Bedrock signs its requests, so it takes none.`);
  const access = {
    region: fill(settings.region),
    apiKey: settings.apiKey && keyOf(id, 'bedrock', settings, around),
    baseUrl: baseUrl === '' ? undefined : baseUrl,
    headers: headersOf(settings, around),
    variable: around.env,
  };
  const { bedrock } = await import('../ai-sdk/bedrock.ts');
  return bedrock(id, access);
}

/** A provider that the program has made itself. */
export async function makeGiven(id: string, given: AiSdkProvider): Promise<ModelProvider> {
  const { anyAiSdk } = await import('../ai-sdk/ai-sdk.ts');
  return anyAiSdk(id, given);
}

/** A provider that an installed package makes. */
export async function makePackaged<Value>(
  id: string,
  settings: ProviderSettings<Value>,
  around: ModelEnvironment<Value>,
): Promise<ModelProvider> {
  const { package: name, packageFrom: from, options = {} } = settings;
  if (name === undefined || from === undefined) {
    return fail(
      'config/invalid',
      `provider "${id}" was handed in by the program that began the run, and this process does not have it. A ` +
        'program that resumes the run hands it in: loadCadre(dir, { providers }). A sub-agent needs runner: in-process.',
      { provider: id },
    );
  }
  const [{ anyAiSdk }, { loadPackage }] = await Promise.all([
    import('../ai-sdk/ai-sdk.ts'),
    import('../ai-sdk/load-package.ts'),
  ]);
  return anyAiSdk(
    id,
    await loadPackage(id, { package: name, from, options: around.fillOptions?.(options) ?? options }),
  );
}

export async function makeRecorded<Value>(
  id: string,
  settings: ProviderSettings<Value>,
  inner: () => Promise<ModelProvider>,
): Promise<ModelProvider> {
  const file = settings.recording ?? fail('config/invalid', `provider "${id}" is recorded but names no recording.`);
  const { recordedProvider } = await import('../recorded/recorded.ts');
  return recordedProvider({ id, file, match: settings.match, add: settings.add, inner });
}

async function readScript<Value>(id: string, file: string, around: ModelEnvironment<Value>): Promise<string> {
  try {
    return await around.read(file);
  } catch (error) {
    return fail('config/invalid', `the script of provider "${id}" cannot be read: ${faultOf(error).message}`, { file });
  }
}

function accessTo<Value>(
  id: string,
  kind: ApiKind,
  settings: ProviderSettings<Value>,
  around: ModelEnvironment<Value>,
): Access {
  const preset = presetOf(kind);
  const protocol = protocolOf(kind) as Access['kind'];
  const address = settings.baseUrl === undefined ? preset?.address(around.env) : around.fill(settings.baseUrl);
  const { url: baseUrl, authorization } = address === undefined ? {} : bareAddress(address);
  const isKeyToo = preset?.keyHeader === undefined && protocol.startsWith('openai');
  refuseTwoAuthorizations(id, authorization, settings, isKeyToo);
  const key = authorization !== undefined && isKeyToo ? undefined : keyOf(id, kind, settings, around);
  const named = preset?.keyHeader !== undefined && key !== undefined ? { [preset.keyHeader]: key } : {};
  const headers = {
    ...named,
    ...headersOf(settings, around),
    ...(authorization !== undefined && { Authorization: authorization }),
  };
  if (protocol === 'openai-compatible' && baseUrl === undefined) {
    const places = preset === undefined ? '' : ` Set ${preset.places.join(' or ')}, or baseUrl in cadre.yaml.`;
    fail('config/invalid', `provider "${id}" is ${kind} but has no baseUrl, as in http://127.0.0.1:8080/v1.${places}`);
  }
  const apiKey = preset?.keyHeader === undefined ? key : undefined;
  return {
    kind: protocol,
    headers,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

/** `isKeyToo`: the key would be sent in the same header. */
function refuseTwoAuthorizations<Value>(
  id: string,
  authorization: string | undefined,
  { apiKey, headers }: ProviderSettings<Value>,
  isKeyToo: boolean,
): void {
  if (authorization === undefined) return;
  const other = namesAuthorization(headers) ? 'headers' : apiKey !== undefined && isKeyToo ? 'apiKey' : undefined;
  if (other !== undefined)
    fail(
      'config/invalid',
      `provider "${id}" has a user in its baseUrl, which is sent as Authorization, and ${other} that says Authorization too. ` +
        'A request has one: remove the other.',
      { provider: id },
    );
}

const headersOf = <Value>(
  { headers }: ProviderSettings<Value>,
  around: ModelEnvironment<Value>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, around.fill(value)]));

function keyOf<Value>(
  id: string,
  kind: ApiKind | 'bedrock',
  settings: ProviderSettings<Value>,
  around: ModelEnvironment<Value>,
): string | undefined {
  if (settings.apiKey !== undefined) {
    try {
      return around.fill(settings.apiKey);
    } catch (error) {
      return fail('model/missing-key', `provider "${id}" has no key: ${faultOf(error).message} ${OTHER_WAYS}`, {
        provider: id,
      });
    }
  }
  const variables = keyVariables(kind);
  const key = variables.map((name) => around.env(name)).find((value) => value !== undefined && value !== '');
  if (key !== undefined || variables.length === 0 || presetOf(kind)?.needsKey === false) return key;
  return fail('model/missing-key', `provider "${id}" has no key: set ${variables.join(' or ')}. ${OTHER_WAYS}`, {
    provider: id,
    variables,
  });
}
