// Rules about agents that get a request as it is. Advisors, members and supervisors get the text of whatever their
// agent was asked; nothing turns it into JSON for them. A chain, a router and a caller do, and check the schema.

import type { Edge } from '../../link/link.ts';
import { type Checkup, forEachAgent, placeIn, placeText } from './checkup.ts';

/** Only the first stage of a chain gets the request, so a later one may take JSON. */
export const whoGetsTheRequestTakesText = forEachAgent(({ links }, checkup) => {
  for (const edge of links.edges) {
    if (edge.getsRequest) refuseJson(edge, checkup);
  }
});

/** Reported at both places, because either may be the mistake. */
function refuseJson({ kind, ref, to, from, role }: Edge, checkup: Checkup): void {
  const agent = checkup.agents.get(to.name);
  if (agent?.definition.input.format !== 'json') return;
  const input = placeIn(agent, checkup, ['input']);
  const code = `${kind}/json-input`;
  const part = `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`;
  const help = `Remove input of "${to.name}"; or name an agent here that takes text and has next: ${to.name}, so that it turns the request into that JSON.`;
  checkup.report({
    code,
    source: ref.source,
    at: ref,
    message: `"${to.name}" takes json (${placeText(input)}), but as ${part} of "${from.name}" it would get the request as text`,
    help,
  });
  checkup.report({
    code,
    ...input,
    message: `"${to.name}" takes json, and is ${part} of "${from.name}" (${placeText({ source: ref.source, at: ref })}), where it would get the request as text`,
    help,
  });
}
