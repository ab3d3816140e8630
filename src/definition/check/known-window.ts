// The bound of a cadre: sessions are compacted where the window of their models may be known. That of a script is known
// only where cadre.yaml says it.

import type { AgentDefinition, CadreConfig, CadreDefinition } from '../definition.ts';
import { boundsOf } from './bound.ts';

export const cadreBounds = ({ agents, config }: CadreDefinition): ReturnType<typeof boundsOf> =>
  boundsOf(agents, ({ models }: AgentDefinition) => models.some((model) => mayBeKnown(model, config)));

const aliasOf = (model: string, { models }: CadreConfig) =>
  models[model] ?? Object.values(models).find(({ use }) => use === model);

/** The window that cadre.yaml says. */
export const windowIn = (model: string, config: CadreConfig): number | undefined =>
  aliasOf(model, config)?.contextWindow;

function mayBeKnown(model: string, config: CadreConfig): boolean {
  const { providers } = config;
  const alias = aliasOf(model, config);
  if (alias?.contextWindow !== undefined) return true;
  const [provider = ''] = (alias?.use ?? model).split('/', 1);
  const settings = providers[provider];
  const called = settings?.wraps === undefined ? settings : providers[settings.wraps];
  return called?.kind !== 'scripted';
}
