// The branch of a node of the op tree: an op in the turn that asked for it, a turn in its session, a session in its
// run.
// BRANCH-1. Children stand in the order in which they began. A session that goes on after others were heard, as a
//     supervisor's does in each cycle of its team, stands once for each part of it.

import type { InstantOp, OpDetail, OpStart } from '../../journal/event.ts';
import type { Broadcast } from '../../kernel/effect.ts';
import { type OpPath, parentPath, ROOT } from '../../kernel/path.ts';
import { triggerTraits } from '../../patterns/trigger-traits.ts';
import type { Lineage } from '../lineage.ts';
import { type GrowingNode, grow } from './op-node.ts';

export class OpBranches {
  readonly root = grow({ path: ROOT, kind: 'run', startedAt: 0 });
  readonly #runs: Lineage;
  readonly #nodes = new Map<OpPath, GrowingNode>([[ROOT, this.root]]);
  /** The latest session and turn of each run, by the path of the run. */
  readonly #sessions = new Map<OpPath, GrowingNode>();
  readonly #turns = new Map<OpPath, GrowingNode>();
  /** Sessions after whose last turn something else of their run began (BRANCH-1). */
  readonly #interrupted = new Set<GrowingNode>();

  constructor(runs: Lineage) {
    this.#runs = runs;
  }

  at(path: OpPath): GrowingNode | undefined {
    return this.#nodes.get(path);
  }

  /** The op at the path, or the nearest above: calls that were made in another process have no node of their own. */
  nearest(path: OpPath): GrowingNode | undefined {
    for (let at: OpPath | undefined = path; at !== undefined; at = parentPath(at)) {
      const node = this.#nodes.get(at);
      if (node !== undefined) return node;
    }
    return undefined;
  }

  /** The latest turn of a run. */
  turnOf(run: OpPath): GrowingNode | undefined {
    return this.#turns.get(run);
  }

  grow(event: OpStart | InstantOp, op: OpDetail | Pick<InstantOp, 'kind'>, about: GrowingNode['about']): GrowingNode {
    const node = grow(about, this.#parentOf(event, op));
    this.#nodes.set(event.path, node);
    return node;
  }

  /** A row without an op. */
  growIn(parent: GrowingNode, about: GrowingNode['about']): GrowingNode {
    const node = grow(about, parent);
    this.#nodes.set(about.path, node);
    return node;
  }

  /** A hop of a pattern hangs below the run, mail in the session, the rest in the turn that asked for it. */
  #parentOf(event: OpStart | InstantOp, op: OpDetail | Pick<InstantOp, 'kind'>): GrowingNode {
    const { path, at } = event;
    const spawn = this.#nodes.get(parentPath(parentPath(path) ?? '') ?? '');
    if (spawn?.about.kind === 'spawn') return spawn; // a task that was launched there
    const run = this.#runOf(path);
    if (op.kind === 'run' && triggerTraits(op.trigger).isHop) return this.#besideSession(run);
    if (op.kind === 'tool' && op.trigger !== undefined) return this.#besideSession(run);
    if (op.kind === 'say' && op.seat !== undefined) return this.#besideSession(run);
    if (event.type === 'op' && op.kind === 'post' && isAboutAnother(event, run)) return this.#besideSession(run);
    if (op.kind === 'take') return this.#sessions.get(run.path) ?? run;
    if (op.kind !== 'model') return this.#turns.get(run.path) ?? run;
    const { turn, agent, compact } = op;
    if (compact !== undefined) return this.#sessionIn(run, at);
    const made = grow({ path, kind: 'turn', startedAt: at, turn, agent }, this.#sessionIn(run, at));
    this.#turns.set(run.path, made);
    return made;
  }

  #runOf(path: OpPath): GrowingNode {
    return this.#nodes.get(this.#runs.above(path)?.path ?? ROOT) ?? this.root;
  }

  #sessionIn(run: GrowingNode, at: number): GrowingNode {
    const known = this.#sessions.get(run.path);
    if (known !== undefined && !this.#interrupted.has(known)) return known;
    const { session = run.path, agent } = this.#runs.at(run.path) ?? {};
    const made = grow({ path: session, kind: 'session', startedAt: at, ...(agent !== undefined && { agent }) }, run);
    this.#sessions.set(run.path, made);
    return made;
  }

  #besideSession(run: GrowingNode): GrowingNode {
    const session = this.#sessions.get(run.path);
    if (session !== undefined) this.#interrupted.add(session);
    return run;
  }
}

/** The run of a team says this about a member, which does not say it itself: that it has left, or failed. */
const isAboutAnother = ({ detail, value }: InstantOp, { path, about }: GrowingNode): boolean =>
  (detail as { readonly channel?: OpPath } | undefined)?.channel === path &&
  (value as Broadcast).memberId !== about.agent;
