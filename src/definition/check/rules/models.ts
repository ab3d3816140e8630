// Rules about models: every agent has one, and every name leads to a provider.

import { meantOr, nearest } from '../../../base/text/nearest.ts';
import { BUILT_IN_KINDS } from '../../../kernel/provider-settings.ts';
import type { CadreConfig } from '../../definition.ts';
import type { FindingText } from '../../diagnostic.ts';
import { type Checkup, forConfig, forEachAgent, forEachEntry } from './checkup.ts';

export const everyAgentHasAModel = forEachAgent((agent, checkup) => {
  const wrong = agent.file.tree?.entries.has('models') === true;
  if (agent.definition.models.length > 0 || wrong) return;
  checkup.report({
    code: 'model/missing',
    source: agent.file.source,
    at: agent.file.nameAt,
    message: `"${agent.file.name}" has no model`,
    help:
      'Add models: [provider/model], or write a cadre.yaml beside it with defaults: {models: [provider/model]} for all ' +
      'agents. "cadre models" lists the model servers that answer on this machine.',
  });
});

export const modelNamesResolve = forEachEntry('models', (model, _agent, checkup) => unknownModel(model, checkup));

export function unknownModel(model: string, { config: { config }, anyProvider }: Checkup) {
  const problem = modelProblem(model, config);
  return problem === undefined || (anyProvider && model.includes('/'))
    ? undefined
    : { code: 'model/unknown', ...problem };
}

export const aliasesAndWrapsResolve = forConfig((config, placeAt, { anyProvider, report }) => {
  if (anyProvider) return;
  for (const [alias, { use }] of Object.entries(config.models)) {
    const problem = providerProblem(use, config);
    if (problem !== undefined) report({ code: 'model/unknown', ...placeAt(['models', alias, 'use']), ...problem });
  }
  for (const [name, { wraps }] of Object.entries(config.providers)) {
    const known = providersOf(config).filter((one) => config.providers[one]?.kind !== 'recorded');
    if (wraps === undefined || known.includes(wraps)) continue;
    report({
      code: 'provider/unknown',
      ...placeAt(['providers', name, 'wraps']),
      message: `\`providers.${name}\` records "${wraps}", which is not a provider that can be recorded`,
      help: meantOr(wraps, known, `Name one of: ${known.join(', ')}.`),
    });
  }
});

/** Packages are looked up and not loaded: a check runs no code of a package. */
export const packagesAreInstalled = forConfig(({ providers }, placeAt, { isInstalled, report }) => {
  for (const [name, { package: wanted, packageFrom: from }] of Object.entries(providers)) {
    if (wanted === undefined || from === undefined || isInstalled(wanted, from)) continue;
    report({
      code: 'provider/not-installed',
      severity: 'warning',
      ...placeAt(['providers', name, 'package']),
      message: `\`providers.${name}\` needs the package ${wanted}, which is not installed`,
      help: `Install it beside cadre.yaml: npm install ${wanted}`,
    });
  }
});

const providersOf = (config: CadreConfig): readonly string[] => [
  ...new Set([...Object.keys(config.providers), ...BUILT_IN_KINDS]),
];

/** The mistake in the name of a model, if there is one. */
export function modelProblem(model: string, config: CadreConfig): FindingText | undefined {
  const aliases = Object.keys(config.models);
  if (aliases.includes(model)) return undefined;
  if (model.includes('/')) return providerProblem(model, config);
  const known = aliases.length === 0 ? 'cadre.yaml declares none' : `there are ${aliases.slice(0, 10).join(', ')}`;
  return {
    message: `"${model}" is neither an alias of a model nor of the form provider/model`,
    help: meantOr(model, aliases, `Write provider/model, or declare it under models in cadre.yaml (${known}).`),
  };
}

function providerProblem(model: string, config: CadreConfig): FindingText | undefined {
  const provider = model.slice(0, model.indexOf('/'));
  const known = providersOf(config);
  if (known.includes(provider)) {
    if (model.length > provider.length + 1) return undefined;
    return { message: `"${model}" names a provider but no model`, help: 'Write provider/model.' };
  }
  const near = nearest(provider, known);
  const message = `"${model}" needs a provider "${provider}", which does not exist`;
  const declare =
    `Declare it under providers in cadre.yaml, hand it to loadCadre in \`providers\`, or use one of: ` +
    `${known.slice(0, 10).join(', ')}.`;
  return { message, help: near === undefined ? declare : `Did you mean "${near}"? Otherwise: ${declare}` };
}
