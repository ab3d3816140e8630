// Rules about who is given a request as it stands. Advisors, members and supervisors get the text of whatever their
// agent was asked, and nobody makes JSON of it for them. A chain, a router and a caller do: they hold it to the schema.

import type { Edge } from '../../link/link.ts';
import { type Checkup, forEachAgent, placeIn, placeText } from './checkup.ts';

/** The first stage of a chain is who gets the request, so a later one may take JSON. */
export const whoGetsTheRequestTakesText = forEachAgent(({ links }, checkup) => {
  for (const edge of links.edges) {
    if (edge.getsRequest) refuseJson(edge, checkup);
  }
});

/** Told at both places: either of them may be what is wrong. */
function refuseJson({ kind, ref, to, from, role }: Edge, checkup: Checkup): void {
  const agent = checkup.agents.get(to.name);
  if (agent?.definition.input.format !== 'json') return;
  const input = placeIn(agent, checkup, ['input']);
  const code = `${kind}/json-input`;
  const part = `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`;
  const help = `Remove input of "${to.name}"; or name an agent here that takes text and has next: ${to.name}, so that it makes that JSON of the request.`;
  checkup.report({
    code,
    source: ref.source,
    at: ref,
    message: `"${to.name}" takes json (${placeText(input)}), and as ${part} of "${from.name}" it would get the request as text`,
    help,
  });
  checkup.report({
    code,
    ...input,
    message: `"${to.name}" takes json, and is ${part} of "${from.name}" (${placeText({ source: ref.source, at: ref })}), where it would get the request as text`,
    help,
  });
}
