// The agent that a request names, for a caller that may use some agents only: it is not told which others there are.

import { FaultError } from '../../kernel/fault.ts';
import { type Caller, requireAgent } from '../caller.ts';
import type { ServedAgent, ServedCadres } from '../context.ts';

/** Throws `agent/unknown` and `request/forbidden`. */
export function agentFor(asked: string, caller: Caller, cadres: Pick<ServedCadres, 'agent'>): ServedAgent {
  try {
    const found = cadres.agent(asked);
    requireAgent(caller, found.name);
    return found;
  } catch (thrown) {
    if (thrown instanceof FaultError && thrown.fault.code === 'agent/unknown') requireAgent(caller, asked);
    throw thrown;
  }
}
