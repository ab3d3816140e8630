// The cadre that is served, its agents, and who asks. Agents of several cadres have the cadre's prefix before their name:
// `help-desk/front-desk`. Files have it too.

import { z } from 'zod';
import type { Permission } from '../../definition/definition.ts';
import type { Diagnostic } from '../../definition/diagnostic.ts';
import type { Graph } from '../../definition/show/graph.ts';
import type { AgentSetting } from '../../definition/show/setting.ts';
import { FILE_KINDS } from '../../kernel/file-ref.ts';
import type { InputContract, OutputContract, Violation } from '../../kernel/schema.ts';
import { CALLS } from './fields.ts';
import type { ValueOf } from './message.ts';
import { arrayOf, declaredAs, declaredKeys, exactObject, mapOf, message, openObject, part } from './schema.ts';

export const ShownDiagnostic = message(
  'Diagnostic',
  declaredKeys<Diagnostic & { readonly excerpt?: string }>()({
    code: z.string(),
    severity: z.enum(['error', 'warning']),
    file: z.string(),
    line: z.int(),
    column: z.int(),
    message: z.string(),
    help: z.string().describe('The way out.'),
    excerpt: z.string().describe('The line that it is about, carets below it.').exactOptional(),
    compared: declaredAs<NonNullable<Diagnostic['compared']>>({
      type: 'object',
      description:
        'For a hand-over that does not fit: the schemas of what one agent gives and of what the next one takes.',
    }).exactOptional(),
  }),
);
export type ShownDiagnostic = ValueOf<typeof ShownDiagnostic>;

export const ShownSetting = message(
  'Setting',
  declaredKeys<Omit<AgentSetting, 'value'> & { readonly value?: string }>()({
    key: z.string(),
    value: z
      .string()
      .describe('The value as a file would write it, on one line. Absent: it is not set.')
      .exactOptional(),
    from: z.enum(['file', 'defaults', 'limits', 'built-in']),
    place: openObject({ file: z.string(), line: z.int() }).exactOptional(),
  }),
);
export type ShownSetting = ValueOf<typeof ShownSetting>;

export const BoundInfo = message(
  'Bound',
  z
    .union([
      openObject({
        kind: z.literal('bounded'),
        calls: CALLS,
        attempts: CALLS,
        usd: z.number().nullable().describe('Null where a price or a window is unknown; then `why` says which.'),
        why: z.string().exactOptional(),
      }),
      openObject({
        kind: z.literal('unbounded'),
        reason: z.string(),
        usd: z.literal(null),
        why: z.string().exactOptional(),
      }),
    ])
    .describe('The most model calls of a run, and what they can cost at most.'),
);
export type BoundInfo = ValueOf<typeof BoundInfo>;

const PLACE = openObject({
  prefix: z.string().describe('Empty where there is only one cadre.'),
  folder: z.string().describe('Absolute: what `folder` of a run names.'),
  state: z
    .enum(['ready', 'outdated', 'invalid'])
    .describe(
      '`ready`: as the files are. `outdated`: the files have errors, and new runs use the last version without.',
    ),
  readAt: z.number().describe('The time at which its files were last read.'),
});
export const CadrePlace = message('CadrePlace', PLACE);
export type CadrePlace = ValueOf<typeof CadrePlace>;

const AGENT = {
  name: z.string().describe('The name in requests, with the prefix of its cadre.'),
  prefix: z.string(),
  file: z.string(),
  description: z.string().exactOptional(),
  usage: z.string().exactOptional(),
  examples: arrayOf(z.unknown())
    .describe('Inputs of the first two cases that its `*.test.yaml` files have.')
    .exactOptional(),
  models: arrayOf(z.string()),
  patterns: arrayOf(z.string()),
  tools: arrayOf(z.string()),
  approve: arrayOf(z.string()),
  input: declaredAs<InputContract>(),
  accepts: arrayOf(z.enum(FILE_KINDS))
    .describe('The pictures and documents that it takes, as its models are now.')
    .exactOptional(),
  output: declaredAs<OutputContract>(),
  chat: z.boolean(),
  maxTurns: z.int(),
  answerers: arrayOf(z.string())
    .describe('The agents that may give the answer when it is run, if that is not the agent itself.')
    .exactOptional(),
  team: openObject({ memberMaxTurns: z.int().exactOptional(), supervisorMaxTurns: z.int().exactOptional() })
    .describe('The limits that its team gives to its members, if they are not their own.')
    .exactOptional(),
  state: z
    .enum(['ready', 'outdated'])
    .describe('`outdated`: its files have errors, and it runs as it was before.')
    .exactOptional(),
  budget: openObject({
    usd: z.number().exactOptional(),
    tokens: z.number().exactOptional(),
    timeMs: z.number().exactOptional(),
  }).exactOptional(),
};

export const AgentInfo = message('Agent', openObject(AGENT));
export type AgentInfo = ValueOf<typeof AgentInfo>;

export const PinnedAgent = message(
  'PinnedAgent',
  openObject({ ...AGENT, system: z.string().describe('Its system prompt.') }),
);

export const AgentDetail = message(
  'AgentDetail',
  openObject({
    ...AGENT,
    system: z.string().describe('Its system prompt.'),
    text: z.string().describe('Its whole file.'),
    template: z
      .string()
      .describe('Every key with the value that holds, and where it comes from, as `cadre help <agent>` prints it.'),
    settings: arrayOf(part(ShownSetting)).describe('The same as a list.'),
    diagnostics: arrayOf(part(ShownDiagnostic)),
    bound: part(BoundInfo),
    reaches: arrayOf(z.string()).describe('The agents that it can lead to, itself included.'),
  }),
);
export type AgentDetail = ValueOf<typeof AgentDetail>;

export const ModelInfo = message(
  'ModelState',
  openObject({
    agent: z.string(),
    model: z.string(),
    standsFor: z.string().describe('`provider/model`'),
    ready: z.boolean(),
    state: z.string(),
    free: z.enum(['scripted', 'recorded', 'local']).describe('Its calls cost nothing, and why.').exactOptional(),
  }),
);
export type ModelInfo = ValueOf<typeof ModelInfo>;

export const CallerInfo = message(
  'Caller',
  openObject({
    name: z.string().describe("The name of the token; `owner` for the server's own, `anyone` without tokens."),
    may: arrayOf(z.enum(['see', 'run', 'approve', 'manage'] satisfies readonly Permission[])),
    agents: arrayOf(z.string()).describe('Absent: all agents.').exactOptional(),
  }),
);
export type CallerInfo = ValueOf<typeof CallerInfo>;

export const CadreInfo = message(
  'Cadre',
  openObject({
    version: z.string().describe('The release of the server.'),
    name: z.string().describe('Its folder, by its last name.'),
    cadres: arrayOf(PLACE).describe('One, or all that lie below the folder.'),
    agents: arrayOf(part(AgentInfo)),
    graph: declaredAs<Graph>(),
    diagnostics: arrayOf(part(ShownDiagnostic)).describe('Findings about the files as they are now.'),
    bounds: mapOf(part(BoundInfo)).describe('The bounds by agent.'),
    models: arrayOf(part(ModelInfo)).describe('The models that each agent would use, and their readiness.'),
    starter: openObject({
      model: z.string().describe('`provider/model`'),
      why: z.string().describe('The key that is set, or the model server that answers.'),
    })
      .describe('The model that `cadre init` would choose on this machine. Only where there are no agents.')
      .exactOptional(),
    you: part(CallerInfo).describe('The caller, and their rights.'),
    now: z.number().describe('Milliseconds since 1970, by the clock of the server.'),
  }),
);
export type CadreInfo = ValueOf<typeof CadreInfo>;

export const InputToCheck = message('InputToCheck', exactObject({ input: z.unknown() }));

export const ViolationShown = message(
  'Violation',
  declaredKeys<Violation>()({ path: z.string(), message: z.string() }),
);

export const InputCheck = message(
  'InputCheck',
  openObject({
    ok: z.boolean(),
    message: z
      .string()
      .describe('The mistake in the words of the command line. Absent if it is right.')
      .exactOptional(),
    violations: arrayOf(part(ViolationShown)),
  }),
);
export type InputCheck = ValueOf<typeof InputCheck>;
