// The models of a cadre for those who look at it: with its environment and its scripts, and without a run.

import { readScript } from '../../base/disk/regular.ts';
import type { CadreDefinition } from '../../definition/definition.ts';
import { readEnvironment, resolveTemplate } from '../../definition/read/variables.ts';
import { type ModelRegistry, openModelRegistry } from '../../models/registry/model-registry.ts';

/** The caller closes it. */
export function openInspectedModels({ config, folder }: Pick<CadreDefinition, 'config' | 'folder'>): ModelRegistry {
  const environment = readEnvironment(folder);
  return openModelRegistry(config, {
    env: (name) => environment[name],
    fill: (value) => resolveTemplate(value, environment),
    read: readScript,
  });
}
