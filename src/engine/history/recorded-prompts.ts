// The prompts of a run as they were, by a replay with the texts that it pinned.

import type { RunEvent } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { services } from '../../run/services.ts';
import { secretsOf } from '../../secrets/configured.ts';
import { redactedCadre } from '../../secrets/redacted-cadre.ts';
import { type PromptView, promptView } from '../../views/talk/prompt-parts.ts';
import { pinnedCadre, startOf } from '../pinned.ts';
import { replay } from './replay.ts';
import { recordedTools } from './replay-run.ts';

export interface RecordedPrompt extends PromptView {
  /** The session, and the op of its request. */
  readonly session: string;
  readonly op: string;
}

/** The prompts that the sessions of an agent began with, or that of one op. */
export async function recordedPrompts(
  events: readonly RunEvent[],
  store: RunStore,
  about: { readonly agent: string } | { readonly op: string },
): Promise<readonly RecordedPrompt[]> {
  const start = startOf(events);
  const known = { knownTools: recordedTools(events), knownProviders: 'any', workspace: 'unread' } as const;
  const pinned = await pinnedCadre(start, store, known);
  const cadre = redactedCadre(pinned, secretsOf(pinned));
  const prompts = new Map<string, RecordedPrompt>();
  await replay(events, cadre, services, {
    store,
    asked(request, op) {
      const isMeant = 'op' in about ? op === about.op : request.agent === about.agent && !prompts.has(request.session);
      if (!isMeant) return;
      const own = cadre.agents.get(request.agent)?.system ?? '';
      prompts.set(request.session, { session: request.session, op, ...promptView(request, own, services.estimate) });
    },
  });
  return [...prompts.values()];
}
