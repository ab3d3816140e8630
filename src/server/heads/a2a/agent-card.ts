// The card of an agent for an A2A client, in the words of revision 1.0 and of 0.3.

import type { AgentCard } from '@a2a-js/sdk';
import { FILE_TYPES, kindOfFile } from '../../../kernel/file-ref.ts';
import { answerers } from '../../../patterns/final-answerers.ts';
import { acceptedFiles } from '../../../run/accepted-files.ts';
import type { ServedAgent } from '../../served-cadres.ts';

const A2A_VERSIONS = ['1.0', '0.3'] as const;

const TEXT = ['text/markdown', 'text/plain'];
const JSON_TYPE = 'application/json';

function inputModes({ agent, host }: ServedAgent): string[] {
  const accepted = acceptedFiles(agent, host.resources);
  const files = FILE_TYPES.filter((type) => accepted.includes(kindOfFile({ type })));
  return [...(agent.input.format === 'json' ? [JSON_TYPE] : TEXT), ...files];
}

function outputModes({ agent, host }: ServedAgent): string[] {
  const { agents } = host.definition;
  const formats = answerers(agent.name, agents).map((name) => agents.get(name)?.output.format);
  if (formats.length === 0) return [JSON_TYPE]; // what a map made
  return [...(formats.some((one) => one !== 'json') ? TEXT : []), ...(formats.includes('json') ? [JSON_TYPE] : [])];
}

/** The card of one agent. `url` is where its messages go. */
export function agentCard(served: ServedAgent, url: string, version: string): AgentCard {
  const { name, agent } = served;
  const description = agent.description ?? `The agent ${name}.`;
  return {
    name,
    description,
    version,
    supportedInterfaces: A2A_VERSIONS.map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      tenant: '',
      protocolVersion,
    })),
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: false, extensions: [] },
    securitySchemes: {
      token: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: {
            description: 'The token that cadre serve printed, or one of server.tokens',
            scheme: 'bearer',
            bearerFormat: '',
          },
        },
      },
    },
    securityRequirements: [{ schemes: { token: { list: [] } } }],
    defaultInputModes: inputModes(served),
    defaultOutputModes: outputModes(served),
    skills: [
      {
        id: name,
        name,
        description,
        tags: [],
        examples: agent.usage === undefined ? [] : [agent.usage],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    signatures: [],
  };
}

/** The fields that clients of revision 0.3 look for in a card, beside those that both have. */
export const earlierFields = (url: string): object => ({
  url,
  preferredTransport: 'JSONRPC',
  protocolVersion: '0.3.0',
  additionalInterfaces: [{ url, transport: 'JSONRPC' }],
  securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
  security: [{ token: [] }],
});
