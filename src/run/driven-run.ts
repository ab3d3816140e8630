// A run as the worlds and the leaves see it.

import type { AgentDefinition, CadreDefinition } from '../definition/definition.ts';
import type { Digest, ModelsInPlace, RunStart } from '../journal/event.ts';
import type { ProjectFileFact, SkillsFact } from '../journal/given.ts';
import type { Journal } from '../journal/journal.ts';
import type { ModelRequest } from '../kernel/effect.ts';
import type { OpPath } from '../kernel/path.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import type { Suspension } from '../world/stack/suspension.ts';
import type { Show } from '../world/world.ts';
import type { AgentFacts } from './agent-facts.ts';
import type { Bus } from './bus.ts';
import type { RunEnvironment } from './environment.ts';
import type { LoadedCadre } from './loaded-cadre.ts';
import type { RunState } from './run-state.ts';

/** The first event of a run, before it is written. */
export type NewRunStart = Omit<RunStart, 'seq' | 'at'>;

/** Reads texts of the workspace. Never rejects for what lies there. */
interface GivenReader {
  /** Reads a text and keeps it. `what` names it in a warning. */
  text(path: string, what: string): Promise<ProjectFileFact>;
  /** The skills that an entry of an agent's file brings. */
  skills(entry: string): Promise<SkillsFact>;
}

/** A run that is driven: live, or in a replay, where every answer is recorded already. */
export interface DrivenRun {
  readonly start: NewRunStart;
  /** The definition as it may be recorded, with the models that the run names in place of the agents' own. */
  readonly definition: CadreDefinition;
  readonly environment: Pick<RunEnvironment, 'services' | 'host' | 'now'>;
  readonly journal: Journal;
  readonly signal: StopSignal;
  /** Aborted when a final answer is asked for: nothing more is opened then. */
  readonly graceful?: StopSignal;
  /** Gets each event of an op that is recorded. Absent in a replay. */
  readonly state?: RunState;
  /** Holds back what is asked for, once another process is to go on with the run. */
  readonly suspension?: Suspension | undefined;
  /** Shows what happens to those who watch the run. */
  readonly show?: Show;
  /** Finds out what a run must know of an agent before it can run it. Opens the agent's tools. */
  facts(agent: AgentDefinition, signal: StopSignal): AgentFacts | Promise<AgentFacts>;
  /** The text of a digest that the run recorded. Undefined if the store does not have it any more. */
  textOf(digest: Digest): Promise<string | undefined>;
  /** Reads what agents are given. Absent in a replay. */
  readonly given?: GivenReader;
  /** Called when the run's end is decided, before that is recorded. */
  ending?(): void;
  /** Gets every request to a model as it is asked, whether it is answered from the record or not. */
  asked?(request: ModelRequest, path: OpPath): void;
}

/** A run whose leaves are performed in this process. */
export interface LiveRun extends DrivenRun {
  readonly environment: RunEnvironment;
  readonly cadre: LoadedCadre;
  readonly bus: Bus;
  readonly state: RunState;
  readonly graceful: StopSignal;
}

/** Stands for every agent that is not named. */
export const ALL_OTHERS = '*';

/** The cadre with other models for its agents, if the run says so. */
export function onModels(cadre: CadreDefinition, models: ModelsInPlace | undefined): CadreDefinition {
  if (models === undefined) return cadre;
  const byAgent = new Map(Object.entries(Array.isArray(models) ? { [ALL_OTHERS]: models } : models));
  const agents = [...cadre.agents].map(([name, agent]) => {
    const others = byAgent.get(name) ?? byAgent.get(ALL_OTHERS);
    return [name, others === undefined ? agent : onOthers(agent, others)] as const;
  });
  return { ...cadre, agents: new Map(agents) };
}

/** A model that only sums up is replaced too. */
function onOthers(agent: AgentDefinition, models: readonly string[]): AgentDefinition {
  const { compact } = agent;
  return { ...agent, models, ...(compact?.model !== undefined && { compact: { keep: compact.keep } }) };
}
