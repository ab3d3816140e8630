// Amazon Bedrock, through its own protocol (Converse), which serves the models of every vendor there.

import { fail } from '../../kernel/fault.ts';
import type { ModelProvider } from '../provider.ts';
import { anyAiSdk } from './ai-sdk.ts';
import { guardedFetch } from './guarded-fetch.ts';

export interface BedrockAccess {
  readonly region?: string | undefined;
  /** A Bedrock API key. If absent, requests are signed with the variables of AWS. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  variable(name: string): string | undefined;
}

/** Profiles in ~/.aws are not read: everything comes from cadre.yaml and the variables. */
export async function bedrock(id: string, access: BedrockAccess): Promise<ModelProvider> {
  const { variable, baseUrl, headers } = access;
  const region = access.region ?? variable('AWS_REGION') ?? variable('AWS_DEFAULT_REGION');
  if (region === undefined)
    fail('config/invalid', `provider "${id}" has no region: set AWS_REGION, or region in cadre.yaml.`);
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
  const provider = createAmazonBedrock({
    region,
    headers: { ...headers },
    fetch: guardedFetch(id, 'ai-sdk'),
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    ...credentials(id, access),
  });
  return anyAiSdk(id, provider);
}

function credentials(id: string, { apiKey, variable }: BedrockAccess) {
  const key = apiKey ?? variable('AWS_BEARER_TOKEN_BEDROCK');
  if (key !== undefined && key !== '') return { apiKey: key };
  const [accessKeyId, secretAccessKey] = [variable('AWS_ACCESS_KEY_ID'), variable('AWS_SECRET_ACCESS_KEY')];
  if (!accessKeyId || !secretAccessKey) {
    return fail(
      'model/missing-key',
      `provider "${id}" has no key: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. ` +
        'Profiles of the AWS command line are not read; `aws configure export-credentials --format env` prints them.',
      { provider: id },
    );
  }
  const sessionToken = variable('AWS_SESSION_TOKEN');
  return { apiKey: '', accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}
