// The name of the one agent that `cadre test --alone` puts in the place of a team. A script answers it under this name.

import type { AgentName } from '../kernel/effect.ts';

const SUFFIX = '-alone';

export const aloneName = (agent: AgentName): AgentName => `${agent}${SUFFIX}`;

/** The agent that it stands in for. The name itself if it is no such name. */
export const teamOfAlone = (name: AgentName): AgentName =>
  name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name;
