// The program around an engine brings these. They exist in this process only: no journal holds them, and another
// process that resumes a run has to bring them too.

import type { CadreDefinition } from '../definition/definition.ts';
import { CONFIG_NAME, CONFIG_NAME_SAYS } from '../definition/read/config/config-providers.ts';
import { fail } from '../kernel/fault.ts';
import { type GivenProviders, isAiSdkProvider } from '../models/provider-instance.ts';
import { CATALOG } from '../patterns/catalog.ts';
import { configOf, type Pattern } from '../patterns/record.ts';
import { teamPattern } from '../patterns/team/pattern.ts';
import type { TeamStrategy } from '../patterns/team-strategy.ts';
import type { Tool } from '../tools/tool.ts';
import type { BroadcastHook } from './broadcast-hook.ts';

export interface HostProgram {
  /** Functions of the program, as tools. */
  readonly tools: readonly Tool[];
  /** Providers of the program, by name: any provider of the AI SDK. */
  readonly providers: GivenProviders;
  /** Patterns of the program, whose keys agents may use. */
  readonly patterns: readonly Pattern[];
  /** The way in which teams work together. Default: in cycles. */
  readonly strategy?: TeamStrategy | undefined;
  /** Sees what is said to a team before the team does. */
  readonly onBroadcast?: BroadcastHook | undefined;
}

export const NO_HOST: HostProgram = { tools: [], providers: {}, patterns: [] };

/** The names that agents may refer to beside the built-in ones. Throws `config/invalid` for a provider that is none. */
export const namesOfHost = ({ tools, providers, patterns }: HostProgram) => ({
  knownTools: tools.map(({ spec }) => spec.name),
  knownProviders: namesOfGiven(providers),
  patterns,
});

/** Their names. Throws `config/invalid` for a value that is not a provider, or a name that no model could use. */
function namesOfGiven(providers: GivenProviders): readonly string[] {
  for (const [name, given] of Object.entries(providers)) {
    if (!CONFIG_NAME.test(name))
      fail('config/invalid', `"${name}" cannot be the name of a provider: a name is ${CONFIG_NAME_SAYS}.`);
    if (!isAiSdkProvider(given)) {
      fail(
        'config/invalid',
        `providers.${name} is not a provider of the AI SDK: it has no languageModel(). Hand in what a function such as ` +
          'createOpenAI() returns; agents then name a model as ' +
          `${name}/<model>.`,
      );
    }
  }
  return Object.keys(providers);
}

/**
 * Parts that a program hands in cannot reach another process, which reads and checks the whole cadre again. Throws
 * `usage` if any agent needs some of them.
 */
export function refuseElsewhere(cadre: CadreDefinition, host: HostProgram): void {
  const tools = new Set(host.tools.map(({ spec }) => spec.name));
  const needed: string[] = [];
  for (const agent of cadre.agents.values()) {
    for (const { pattern } of agent.patterns) {
      if (!CATALOG.includes(pattern)) needed.push(`the pattern "${pattern.key}" of ${agent.name}`);
    }
    const hasTeam = configOf(agent, teamPattern) !== undefined;
    if (hasTeam && host.strategy !== undefined) needed.push(`the strategy of the team ${agent.name}`);
    if (hasTeam && host.onBroadcast !== undefined) {
      needed.push(`the option \`onBroadcast\`, which the team ${agent.name} speaks through`);
    }
    for (const one of agent.tools) if (tools.has(one)) needed.push(`the function "${one}" of ${agent.name}`);
    for (const model of agent.models) {
      const provider = (cadre.config.models[model]?.use ?? model).split('/')[0] ?? '';
      if (Object.hasOwn(host.providers, provider)) needed.push(`the provider "${provider}" of ${agent.name}`);
    }
  }
  if (needed.length === 0) return;
  fail(
    'usage',
    `A spawned run works in a process of its own, which does not have what this program handed in: ` +
      `${[...new Set(needed)].join(', ')}. Declare it in cadre.yaml (functions: ./tools.mjs, providers: {kind: ai-sdk, ` +
      'package}), or use run().',
  );
}
