// The tools that sessions were offered, as a fold of the events of a run.
// CHANGE-1. What a session is offered follows from the record: the facts of its agent, then each take that brought
//           other tools.

import type { CadreDefinition } from '../definition/definition.ts';
import type { InboxRef, Mail, OfferedTools, SessionRef } from '../kernel/effect.ts';
import type { Fold } from '../world/state/projection.ts';
import { usesServers } from './uses-servers.ts';

/** The last offer to each session, if it is not the one that its agent began with (CHANGE-1). */
export interface Offers extends Fold {
  latest(session: SessionRef): OfferedTools | undefined;
}

function openOffers(): Offers {
  const offers = new Map<SessionRef, OfferedTools>();
  return {
    latest: (session) => offers.get(session),
    add(event) {
      if (event.type !== 'op' || event.kind !== 'take') return;
      const { tools } = event.value as Mail;
      if (tools !== undefined) offers.set((event.detail as { readonly inbox: InboxRef }).inbox.session, tools);
    },
  };
}

const withServers = new WeakMap<CadreDefinition, boolean>();

/** Only tools of servers change. The answer is found once for a cadre: every run asks. */
function hasServers(cadre: CadreDefinition): boolean {
  const known = withServers.get(cadre);
  if (known !== undefined) return known;
  const found = [...cadre.agents.values()].some(usesServers);
  withServers.set(cadre, found);
  return found;
}

export const offersOf = (cadre: CadreDefinition): Offers | undefined => (hasServers(cadre) ? openOffers() : undefined);
