// The agents that a caller may ask, as models. Anthropic's clients ask at the same address, and say so in a header.

import { mayUse } from '../../caller.ts';
import type { ServerCall, ServerContext } from '../../context.ts';
import type { ServedAgent } from '../../served-cadres.ts';

export function modelsFor(call: ServerCall, { cadres }: ServerContext): object {
  const caller = call.get('caller');
  const mine = cadres.agents().filter(({ name }) => mayUse(caller, name));
  const data = mine.map((one) => modelOf(one, call));
  if (!isAnthropic(call)) return { object: 'list', data };
  return { data, has_more: false, first_id: mine[0]?.name ?? null, last_id: mine.at(-1)?.name ?? null };
}

export function modelNamed(call: ServerCall, { cadres }: ServerContext): object {
  return modelOf(cadres.agentFor(call.req.param('model') ?? '', call.get('caller')), call);
}

const isAnthropic = (call: ServerCall): boolean => call.req.header('anthropic-version') !== undefined;

function modelOf({ name, agent, served }: ServedAgent, call: ServerCall): object {
  if (isAnthropic(call)) {
    const created = new Date(served.readAt).toISOString();
    return { type: 'model', id: name, display_name: agent.description ?? name, created_at: created };
  }
  return { id: name, object: 'model', created: Math.floor(served.readAt / 1000), owned_by: 'cadre' };
}
