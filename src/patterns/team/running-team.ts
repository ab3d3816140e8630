// A team at work, as its participants find it.

import type { TeamConfig } from '../config.ts';
import type { TeamOrchestrator } from './orchestrator.ts';

export interface RunningTeam {
  readonly orchestrator: TeamOrchestrator;
  readonly config: TeamConfig;
}
