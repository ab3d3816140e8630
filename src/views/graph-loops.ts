// The loops of a run as its graph shows them after any of its events: which round, and what the judge said of each answer.

import type { OpEnd, OpStart, RunEvent } from '../journal/event.ts';
import type { AgentName } from '../kernel/effect.ts';
import { type OpPath, ROOT } from '../kernel/path.ts';
import { commandWords } from '../patterns/repeat/command-words.ts';
import { judgeVerdict } from '../patterns/repeat/verdict.ts';
import type { Lineage } from './lineage.ts';

/** An answer that was given to the judge. */
interface LoopRound {
  /** The op of the judge. */
  readonly op: OpPath;
  /** Absent while the judge works, and if it did not say. */
  readonly good?: boolean;
  readonly why?: string;
}

/** The latest loop of an agent. */
export interface GraphLoop {
  readonly agent: AgentName;
  /** The agent that judges, or the command as the graph of the definitions names it. */
  readonly judge: string;
  readonly of: number;
  readonly rounds: readonly LoopRound[];
}

interface Judging extends LoopRound {
  readonly begun: number;
  readonly ended?: number;
}

interface KnownLoop extends Omit<GraphLoop, 'rounds'> {
  readonly rounds: Map<OpPath, Judging>;
}

/** `runs` has been given the event already. */
export class GraphLoops {
  readonly #runs: Lineage;
  /** By the run that repeats, in the order in which their first answers were judged. */
  readonly #loops = new Map<OpPath, KnownLoop>();
  readonly #judging = new Map<OpPath, KnownLoop>();

  constructor(runs: Lineage) {
    this.#runs = runs;
  }

  add(event: RunEvent, seq: number): void {
    if (event.type === 'op-start') this.#begin(event, seq);
    else if (event.type === 'op-end') this.#end(event, seq);
  }

  #begin({ path, op }: OpStart, seq: number): void {
    if ((op.kind !== 'run' && op.kind !== 'tool') || op.trigger?.kind !== 'judge' || this.#judging.has(path)) return;
    const place = this.#runs.above(path);
    const { path: at = ROOT, agent = '' } = place ?? {};
    const judge = judgeName(op);
    const loop = this.#loops.get(at) ?? { agent, judge, of: op.trigger.of ?? 0, rounds: new Map() };
    this.#loops.set(at, loop);
    this.#judging.set(path, loop);
    loop.rounds.set(path, { op: path, begun: seq });
  }

  #end({ path, result }: OpEnd, seq: number): void {
    const loop = this.#judging.get(path);
    const round = loop?.rounds.get(path);
    if (loop === undefined || round === undefined) return;
    const verdict = result.ok ? judgeVerdict(result.value) : undefined;
    loop.rounds.set(path, { ...round, ended: seq, ...verdict });
  }

  /** The latest loop of each agent after so many events. */
  at(count: number): ReadonlyMap<AgentName, GraphLoop> {
    const loops = new Map<AgentName, GraphLoop>();
    for (const { rounds, ...loop } of this.#loops.values()) {
      const begun = [...rounds.values()].filter((round) => round.begun < count);
      if (begun.length > 0) loops.set(loop.agent, { ...loop, rounds: begun.map((round) => roundAt(round, count)) });
    }
    return loops;
  }
}

const roundAt = ({ op, ended = Infinity, good, why }: Judging, count: number): LoopRound =>
  ended < count && good !== undefined ? { op, good, ...(why !== undefined && { why }) } : { op };

/** The name of a judge in the graph of the definitions. */
export function judgeName(op: Extract<OpStart['op'], { kind: 'run' | 'tool' }>): string {
  if (op.kind === 'run') return op.agent;
  const { command = '' } = (op.call.arguments ?? {}) as { readonly command?: unknown };
  return commandWords(String(command));
}

/** `round 2 of 4`: the one that is judged, or the next one while the agent answers again. */
export function roundWords({ rounds, of }: GraphLoop, isOpen: boolean): string {
  const last = rounds.at(-1);
  const goesOn = isOpen && last?.good === false && rounds.length < of;
  return `round ${rounds.length + (goesOn ? 1 : 0)} of ${of}`;
}
