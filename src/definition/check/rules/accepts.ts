// A rule about `input.accepts`: a model of the agent sees what the agent takes. The line of a file is all that is left else.

import { type FileKind } from '../../../kernel/file-ref.ts';
import { sightOf } from '../../../kernel/model-sight.ts';
import { BUILT_IN_KINDS, type ProviderKind } from '../../../kernel/provider-settings.ts';
import type { CadreConfig } from '../../definition.ts';
import { forEachAgent, placeIn } from './checkup.ts';

export const acceptedFilesAreSeen = forEachAgent((agent, checkup) => {
  const { accepts = [], models } = agent.definition;
  const { config } = checkup.config;
  if (accepts.length === 0 || models.length === 0 || checkup.anyProvider) return;
  const seen = new Set(models.flatMap((model) => seenBy(model, config)));
  for (const kind of accepts) {
    if (seen.has(kind)) continue;
    const what = kind === 'pdf' ? 'PDF files' : 'pictures';
    checkup.report({
      code: 'accepts/unseen',
      severity: 'warning',
      ...placeIn(agent, checkup, ['input', 'accepts']),
      message: `\`input.accepts\` names ${kind}, and none of its models (${models.join(', ')}) is known to see ${what}`,
      help: `If one does, say so in cadre.yaml: models: {<name>: {use: ${models[0] ?? 'provider/model'}, sees: [${kind}]}}.`,
    });
  }
});

function seenBy(asked: string, { models, providers }: CadreConfig): readonly FileKind[] {
  const alias = models[asked] ?? Object.values(models).find(({ use }) => use === asked);
  const use = alias?.use ?? asked;
  const [provider = ''] = use.split('/', 1);
  return sightOf(kindOf(provider, providers), use.slice(provider.length + 1), alias?.sees)?.sees ?? [];
}

function kindOf(provider: string, providers: CadreConfig['providers']): ProviderKind | undefined {
  const settings = providers[provider];
  if (settings?.kind === 'recorded') return kindOf(settings.wraps ?? '', providers);
  return settings?.kind ?? BUILT_IN_KINDS.find((kind) => kind === provider);
}
