// A cadre whose models are replaced for a test: by a script, by a recording, or by one model for all agents. The agents
// themselves, their tools, limits and patterns stay as they are.

import type { AgentDefinition, CadreDefinition, TemplatedText } from '../definition/definition.ts';
import type { ProviderKind, ProviderSettings } from '../kernel/provider-settings.ts';
import type { CaseModel } from './test-case.ts';

/** Providers whose answers come from a file. */
const OFFLINE: ReadonlySet<ProviderKind> = new Set(['scripted', 'recorded']);

/** Recorded providers keep the one whose answers they record under this suffix. */
const WRAPPED = '-asked';

/**
 * Puts the model of a case in place. With `add`, answers that a recording lacks are asked for and added. Scripts play
 * without their pace.
 */
function withCaseModel(cadre: CadreDefinition, model: CaseModel, { add }: { readonly add: boolean }): CadreDefinition {
  const { config } = cadre;
  const providers = Object.fromEntries(
    Object.entries(config.providers).map(([id, one]) => [
      id,
      one.kind === 'scripted' ? { ...one, unpaced: true } : one,
    ]),
  );
  if (model.kind === 'own') return { ...cadre, config: { ...config, providers } };
  for (const id of providersIn(cadre)) {
    if (model.kind === 'script') {
      providers[id] = { kind: 'scripted', script: model.file, unpaced: true, headers: {} };
    } else {
      providers[id + WRAPPED] = providers[id] ?? ({ kind: id, headers: {} } as ProviderSettings<TemplatedText>);
      providers[id] = {
        kind: 'recorded',
        recording: model.file,
        wraps: id + WRAPPED,
        match: model.match,
        add,
        headers: {},
      };
    }
  }
  return { ...cadre, config: { ...config, providers } };
}

/** The cadre as a case is run on it: with its own stand-in, or with one model for all agents. */
export function cadreOfCase(
  cadre: CadreDefinition,
  own: CaseModel,
  model: string | undefined,
  { add }: { readonly add: boolean },
): CadreDefinition {
  if (model === undefined) return withCaseModel(cadre, own, { add });
  return withModel(withCaseModel(cadre, { kind: 'own' }, { add }), model);
}

/** All agents use this model. */
function withModel(cadre: CadreDefinition, model: string): CadreDefinition {
  const agents = new Map<string, AgentDefinition>();
  for (const [name, agent] of cadre.agents) agents.set(name, { ...agent, models: [model] });
  return { ...cadre, agents };
}

/** The models of agents whose answers would come over a network. */
export function remoteModels({ agents, config }: CadreDefinition): readonly string[] {
  const used = new Set([...agents.values()].flatMap(({ models }) => models));
  return [...used].filter((name) => {
    const kind = config.providers[providerOf(name, config.models)]?.kind;
    return kind === undefined || !OFFLINE.has(kind);
  });
}

/** The scripts that answer in a case what an agent asks: that of the case, else those of the agent's own models. */
export function answeringScripts(
  { config }: CadreDefinition,
  model: CaseModel,
  { models }: Pick<AgentDefinition, 'models'>,
): readonly string[] {
  if (model.kind === 'script') return [model.file];
  if (model.kind === 'recording') return [];
  return models.flatMap((name) => config.providers[providerOf(name, config.models)]?.script ?? []);
}

const providersIn = ({ agents, config }: CadreDefinition): ReadonlySet<string> =>
  new Set([...agents.values()].flatMap(({ models }) => models.map((name) => providerOf(name, config.models))));

function providerOf(name: string, aliases: CadreDefinition['config']['models']): string {
  const use = Object.hasOwn(aliases, name) ? (aliases[name]?.use ?? name) : name;
  return use.slice(0, Math.max(0, use.indexOf('/')));
}
