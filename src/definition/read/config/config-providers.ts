// `providers` and `models` of cadre.yaml. Which keys a provider takes depends on its kind.

import { resolve } from 'node:path';
import type { MapNode, YamlNode } from '../../../base/yaml/node.ts';
import { FILE_KINDS } from '../../../kernel/file-ref.ts';
import {
  type ModelAlias,
  PRESET_KINDS,
  PROVIDER_KINDS,
  type ProviderKind,
  type ProviderSettings,
} from '../../../kernel/provider-settings.ts';
import type { PackageOption, PackageOptions, TemplatedText } from '../../definition.ts';
import { lineOf } from '../../source.ts';
import {
  choice,
  flag,
  integer,
  list,
  matchingText,
  number,
  type ReadContext,
  reportAt,
  type Shape,
  wrongValue,
} from '../shape.ts';
import { key, object, record, refineShape, type Values } from '../shape-object.ts';
import { literal, templatedText } from '../variables.ts';

export const CONFIG_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
export const CONFIG_NAME_SAYS = 'a letter, then up to 63 letters, digits, ".", "_" or "-"';
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^`|~-]{1,100}$/;

export const headersShape = record(templatedText, HEADER_NAME, 'the name of an HTTP header');

/** The name of an npm package, not a path or an address. */
const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

const optionsShape: Shape<PackageOptions> = {
  says: 'keys and values, whose texts may hold ${VARIABLES}',
  schema: { type: 'object' },
  read(node, path, reading) {
    return node.kind === 'map'
      ? (optionOf(node, path, reading) as PackageOptions)
      : wrongValue(node, path, optionsShape.says, reading);
  },
};

function optionOf(node: YamlNode, path: string, reading: ReadContext): PackageOption {
  if (node.kind === 'list') return node.items.map((item, index) => optionOf(item, `${path}[${index}]`, reading));
  if (node.kind === 'map') {
    return Object.fromEntries(
      [...node.entries].map(([name, { value }]) => [name, optionOf(value, `${path}.${name}`, reading)]),
    );
  }
  if (typeof node.value !== 'string') return node.value;
  const filled = node.value.trim() === '' ? undefined : templatedText.read(node, path, reading);
  return filled ?? { template: node.value, file: reading.source.file, line: lineOf(reading.source, node) };
}

const providerKeys = {
  kind: key(choice(PROVIDER_KINDS), 'The protocol or package that speaks to the models, or scripted, or recorded.', {
    required: true,
  }),
  baseUrl: key(templatedText, 'Where the server is.'),
  apiKey: key(templatedText, 'Its key, usually ${SOME_VARIABLE}.'),
  headers: key(headersShape, 'Sent with every request.'),
  region: key(templatedText, 'bedrock: the region of AWS, if AWS_REGION does not say it.'),
  script: key(literal, 'scripted: the file that holds the answers.'),
  recording: key(literal, 'recorded: the file that answers are recorded to and played back from.'),
  wraps: key(literal, 'recorded: the provider whose answers are recorded.'),
  match: key(
    choice(['exact', 'place']),
    'recorded: place takes the answer to the same turn of the same session, whatever was asked there.',
    { fallback: 'exact' as const },
  ),
  add: key(flag, 'recorded: true asks for the answers that the recording lacks, and adds them to it.'),
  package: key(
    matchingText(PACKAGE_NAME, 'the name of an npm package'),
    'ai-sdk: an installed package, as in "@ai-sdk/groq".',
  ),
  options: key(optionsShape, 'ai-sdk: what the function of the package that makes the provider is given.'),
  concurrency: key(integer(1, 10_000), 'Calls at the same time, over all runs of a process.'),
  trustUsage: key(flag, 'true: budgets count what it reports, however little that is.'),
};

type ProviderKey = keyof typeof providerKeys;

/** Keys that every kind takes. */
const ANY_KIND: ReadonlySet<string> = new Set(['kind', 'concurrency', 'trustUsage']);

const remote: readonly ProviderKey[] = ['baseUrl', 'apiKey', 'headers'];
/** Kinds that take other keys than `remote`. */
const OTHER_KEYS: Readonly<
  Partial<Record<ProviderKind, { readonly needs: readonly ProviderKey[]; readonly may: readonly ProviderKey[] }>>
> = {
  bedrock: { needs: [], may: [...remote, 'region'] },
  'openai-compatible': { needs: ['baseUrl'], may: remote },
  'ai-sdk': { needs: ['package'], may: ['package', 'options'] },
  scripted: { needs: ['script'], may: ['script'] },
  recorded: { needs: ['recording', 'wraps'], may: ['recording', 'wraps', 'match', 'add'] },
};

const takenBy = (kind: ProviderKind) => OTHER_KEYS[kind] ?? { needs: [], may: remote };

const providerShape: Shape<ProviderSettings<TemplatedText>> = refineShape(object(providerKeys), providerOf);
export const providersShape = record(providerShape, CONFIG_NAME, CONFIG_NAME_SAYS);

function providerOf(
  { kind, headers = {}, script, recording, ...rest }: Values<typeof providerKeys>,
  node: YamlNode,
  path: string,
  reading: ReadContext,
): ProviderSettings<TemplatedText> | undefined {
  if (kind === undefined || node.kind !== 'map') return undefined;
  const { needs, may } = takenBy(kind);
  for (const name of needs) {
    if (node.entries.has(name)) continue;
    reportAt(node.entries.get('kind')?.value ?? node, reading, {
      code: 'key/missing',
      message: `\`${path}\` is of kind ${kind} and has no \`${name}\``,
      help: `Add ${name}: ${providerKeys[name].guidance}`,
    });
  }
  reportTwoAuthorizations({ kind, headers, ...rest }, node, path, reading);
  for (const entry of node.entries.values()) {
    if (ANY_KIND.has(entry.key) || !Object.hasOwn(providerKeys, entry.key)) continue;
    if (may.includes(entry.key as ProviderKey)) continue;
    const kinds = PROVIDER_KINDS.filter((one) => takenBy(one).may.includes(entry.key as ProviderKey));
    reportAt(entry, reading, {
      code: 'key/misplaced',
      message: `a provider of kind ${kind} does not take "${entry.key}"`,
      help:
        kind === 'ai-sdk' && remote.includes(entry.key as ProviderKey)
          ? 'Put it under options, as the package calls it: options: {apiKey: "${NAME}"}.'
          : `It belongs to ${kinds.join(', ')}. Remove it, or change the kind.`,
    });
  }
  return {
    kind,
    headers,
    ...rest,
    ...(script === undefined ? {} : { script: resolve(reading.folder, script) }),
    ...(rest.package === undefined ? {} : { packageFrom: reading.folder }),
    ...(recording === undefined ? {} : { recording: resolve(reading.folder, recording) }),
  };
}

/** A user in an address is sent as Authorization. A request has one of these. */
function reportTwoAuthorizations(
  { kind, baseUrl, apiKey, headers }: Pick<ProviderSettings<TemplatedText>, 'kind' | 'baseUrl' | 'apiKey' | 'headers'>,
  node: MapNode,
  path: string,
  reading: ReadContext,
): void {
  if (baseUrl === undefined || !USER_IN_ADDRESS.test(baseUrl.template)) return;
  const isAlso = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const other = isAlso ? '`headers`' : apiKey !== undefined && BEARER_KINDS.has(kind) ? '`apiKey`' : undefined;
  if (other === undefined && kind !== 'bedrock') return;
  reportAt(node.entries.get('baseUrl')?.value ?? node, reading, {
    code: 'key/misplaced',
    message:
      other === undefined
        ? `\`${path}\` has a user in its \`baseUrl\`, and requests to Bedrock are signed instead`
        : `\`${path}\` has a user in its \`baseUrl\`, and ${other} that says Authorization too`,
    help: 'A request has one Authorization. Remove the user, or the other.',
  });
}

const USER_IN_ADDRESS = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i;
/** Their key is sent as Authorization. */
const BEARER_KINDS: ReadonlySet<ProviderKind> = new Set<ProviderKind>([
  'openai',
  'openai-compatible',
  ...PRESET_KINDS.filter((kind) => kind !== 'azure' && kind !== 'bedrock'),
]);

const price = number({ min: 0, max: 1_000_000 });

const priceShape = object({
  input: key(price, 'USD per million input tokens.', { required: true }),
  output: key(price, 'USD per million output tokens.', { required: true }),
  cacheRead: key(price, 'USD per million input tokens read from a cache.'),
  cacheWrite: key(price, 'USD per million input tokens written to a cache.'),
});

const aliasShape: Shape<ModelAlias> = refineShape(
  object({
    use: key(matchingText(/^[^/\s]+\/\S+$/, 'provider/model'), 'provider/model.', { required: true }),
    contextWindow: key(integer(256, 100_000_000), 'Tokens that fit in one request.'),
    maxOutputTokens: key(integer(1, 10_000_000), 'Tokens that one answer may have.'),
    price: key(priceShape, 'The price, where the price table does not know it or is wrong.'),
    sees: key(
      list(choice(FILE_KINDS)),
      'The files that it sees, image and pdf, where the table of models does not know or is wrong. [] for none.',
    ),
  }),
  ({ use, price: cost, ...rest }) => {
    if (use === undefined) return undefined;
    const { input, output, ...cache } = cost ?? {};
    return input === undefined || output === undefined
      ? { use, ...rest }
      : { use, ...rest, price: { input, output, ...cache } };
  },
);

const aliasesShape = record(
  aliasShape,
  /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/,
  'letters, digits, ".", ":", "_" and "-", without a slash',
);

export const modelsShape: typeof aliasesShape = {
  ...aliasesShape,
  read: (node, path, reading) =>
    node.kind === 'list'
      ? wrongValue(
          node,
          path,
          { says: aliasesShape.says, help: 'The models of all agents stand under defaults: {models: […]}.' },
          reading,
        )
      : aliasesShape.read(node, path, reading),
};
