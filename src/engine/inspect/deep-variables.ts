// The variables of cadre.yaml that are not set. In a part that some agent uses that is an error, elsewhere a warning.

import type { CadreDefinition } from '../../definition/definition.ts';
import type { Diagnostic } from '../../definition/diagnostic.ts';
import { readEnvironment, templatesIn, variablesIn } from '../../definition/read/variables.ts';
import { findingAt } from './deep-findings.ts';
import { sourceOf } from './sources.ts';

export function variableFindings(cadre: CadreDefinition): readonly Diagnostic[] {
  const environment = readEnvironment(cadre.folder);
  const { providers, mcpServers, restTools, ...rest } = cadre.config;
  const used = usedParts(cadre);
  const parts: readonly (readonly [string, unknown])[] = [
    ...Object.entries(providers).map(([id, part]) => [`providers.${id}`, part] as const),
    ...Object.entries(mcpServers).map(([id, part]) => [`mcpServers.${id}`, part] as const),
    ...Object.entries(restTools).map(([id, part]) => [`restTools.${id}`, part] as const),
    ...Object.entries(rest).map(([key, part]) => [key, part] as const),
  ];
  return parts.flatMap(([name, part]) =>
    templatesIn(part).flatMap((template) =>
      variablesIn(template)
        .filter((variable) => !Object.hasOwn(environment, variable))
        .map((variable) =>
          findingAt(template.file, template.line, {
            code: 'variable/unset',
            severity: used.has(name) ? 'error' : 'warning',
            message: `\`${name}\` uses \${${variable}}, which is not set`,
            help: `Set ${variable} in the environment, or in a .env file beside ${template.file}.`,
          }),
        ),
    ),
  );
}

/** The providers, servers and REST tools that agents name. */
function usedParts({ agents, config }: CadreDefinition): ReadonlySet<string> {
  const used = new Set<string>();
  const useProvider = (id: string): void => {
    if (used.has(`providers.${id}`)) return;
    used.add(`providers.${id}`);
    const { wraps } = (Object.hasOwn(config.providers, id) && config.providers[id]) || {};
    if (wraps !== undefined) useProvider(wraps);
  };
  for (const { models, tools, compact } of agents.values()) {
    for (const model of compact?.model === undefined ? models : [...models, compact.model])
      useProvider((config.models[model]?.use ?? model).split('/', 1)[0] ?? '');
    for (const entry of tools.map(sourceOf)) {
      if (entry.startsWith('mcp:')) used.add(`mcpServers.${entry.slice('mcp:'.length)}`);
      if (entry.startsWith('rest:')) used.add(`restTools.${entry.slice('rest:'.length)}`);
    }
  }
  return used;
}
