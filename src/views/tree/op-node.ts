// A node of the op tree, as it grows and as it is given out.

import { present } from '../../base/text/present.ts';
import type { RestingWork } from '../../base/text/steps.ts';
import type { CompactedTurns, EffectKind, Trigger } from '../../kernel/effect.ts';
import type { Fault, OutcomeKind } from '../../kernel/fault.ts';
import type { OpPath } from '../../kernel/path.ts';
import { type Counter, counter, type Totals, totalsOf } from '../costs/totals.ts';
import type { ItemCounts } from '../step-words.ts';

/**
 * `done` is the state of ops that have no outcome of their own: a turn, a model or tool call that went well. `refused`
 * is a turn whose answer was not taken, `sent-back` one whose answer a judge did not find good, `denied` a person's no,
 * `asks` a call that found out that it needs a yes, and did nothing.
 */
export type OpState = 'running' | 'in-doubt' | 'done' | 'refused' | 'sent-back' | 'denied' | 'asks' | OutcomeKind;

interface NodeFacts {
  /** A session has the path of the run that opened it, a turn that of its model call. */
  readonly path: OpPath;
  readonly kind: 'session' | 'turn' | 'compact' | 'parallel' | EffectKind;
  readonly startedAt: number;
  readonly agent?: string;
  readonly session?: OpPath;
  readonly turn?: number;
  readonly model?: string;
  /** Models of its list that were not asked, because they see less of the files. */
  readonly passedOver?: readonly string[];
  /** The part of its session that a compaction sums up. */
  readonly replaces?: CompactedTurns;
  /** The name of a tool, or the labels of runs that were spawned, waited for, cancelled or sent a message. */
  readonly name?: string;
  /** The label that the session that spawned this run gave it. */
  readonly label?: string;
  /**
   * The times of a spawned run: when it was spawned, when those that it waited for were over, and when it got its turn.
   */
  readonly spawnedAt?: number;
  readonly waitedUntil?: number;
  readonly beganAt?: number;
  /** The runs that a spawned run waited for, by the paths of their ops. */
  readonly after?: readonly OpPath[];
  /** The id of a tool's call in the reply that made it. */
  readonly call?: string;
  /** The frontmatter key whose pattern made this run happen. */
  readonly pattern?: string;
  readonly trigger?: Trigger['kind'];
  readonly chainTrigger?: 'next' | 'handoff';
  readonly chainParent?: string;
  readonly chainStageIndex?: number;
  readonly insteadOf?: string;
  /** The case of a branch that it runs for. */
  readonly case?: string;
  /** The cases that the branches of this agent’s chain took. */
  readonly cases?: readonly string[];
  /** The round of a loop that it belongs to, from 0, and how many there may be. */
  readonly round?: number;
  readonly of?: number;
  /** The answers that a loop of this agent had judged, and that it ended with one that was not good. */
  readonly rounds?: number;
  readonly unmet?: true;
  /** The finding of a judge. */
  readonly good?: boolean;
  /** The place of this item in the list of a map, from 0, and the length of the list. */
  readonly index?: number;
  readonly count?: number;
  /** The items of the map of this agent, or of its last one. */
  readonly items?: ItemCounts;
  /** The person who decided an approval. */
  readonly by?: string;
  /** The yes of an approval holds for the rest of the run, or it is the yes that was given at this op. */
  readonly scope?: 'run';
  readonly under?: OpPath;
}

export interface OpNode extends NodeFacts {
  readonly state: OpState;
  readonly endedAt?: number;
  readonly ms?: number;
  readonly fault?: Fault;
  /** The reason why it was refused or denied, or what a failed call of a tool said. */
  readonly why?: string;
  /** The times that a model was asked or an op began. */
  readonly attempts: number;
  /** The calls of the sessions of this run, or of this op itself. */
  readonly own: Totals;
  /** The same with everything below. */
  readonly inclusive: Totals;
  readonly children: readonly OpNode[];
}

export interface GrowingNode {
  about: NodeFacts;
  readonly path: OpPath;
  readonly parent: GrowingNode | undefined;
  readonly children: GrowingNode[];
  readonly own: Counter;
  readonly inclusive: Counter;
  state: OpState;
  attempts: number;
  endedAt?: number;
  fault?: Fault;
  why?: string;
  isSentBack?: true;
  /** The node as last given out. While a node has none, no node above it has one. */
  built?: OpNode | undefined;
}

export function grow(about: NodeFacts, parent?: GrowingNode): GrowingNode {
  const node: GrowingNode = {
    about,
    path: about.path,
    parent,
    children: [],
    own: counter(),
    inclusive: counter(),
    state: 'running',
    attempts: 1,
  };
  parent?.children.push(node);
  if (parent !== undefined) touch(parent);
  return node;
}

export function touch(changed: GrowingNode): void {
  for (let node: GrowingNode | undefined = changed; node?.built !== undefined; node = node.parent)
    node.built = undefined;
}

export function buildNode(node: GrowingNode): OpNode {
  if (node.built !== undefined) return node.built;
  const children = node.children.map(buildNode);
  const { state, endedAt } = isGroup(node) ? grouped(children, refusedAs(node)) : node;
  node.built = {
    ...node.about,
    state,
    ...(endedAt !== undefined && { endedAt, ms: Math.max(0, endedAt - node.about.startedAt) }),
    ...present({ fault: node.fault, why: node.why }),
    attempts: node.attempts,
    own: totalsOf(node.own),
    inclusive: totalsOf(node.inclusive),
    children,
  };
  return node.built;
}

/** Builds each node after those below it. */
export function* buildSteps(root: GrowingNode): RestingWork<OpNode> {
  const nodes: GrowingNode[] = [root];
  for (let next = 0; next < nodes.length; next++) {
    for (const child of (nodes[next] as GrowingNode).children) if (child.built === undefined) nodes.push(child);
    yield;
  }
  for (const node of nodes.toReversed()) {
    buildNode(node);
    yield;
  }
  return buildNode(root);
}

/** Sessions and turns are not ops: their state follows from what is in them. */
const isGroup = ({ about }: GrowingNode): boolean => about.kind === 'session' || about.kind === 'turn';

function refusedAs({ why, isSentBack }: GrowingNode): 'refused' | 'sent-back' | undefined {
  if (why === undefined) return undefined;
  return isSentBack ? 'sent-back' : 'refused';
}

function grouped(
  children: readonly OpNode[],
  refused: 'refused' | 'sent-back' | undefined,
): { readonly state: OpState; readonly endedAt?: number } {
  for (const state of ['running', 'in-doubt'] as const) {
    if (children.some((child) => child.state === state)) return { state };
  }
  const last = children.findLast(({ kind }) => kind === 'model' || kind === 'turn');
  const endedAt = children.reduce((latest, child) => Math.max(latest, child.endedAt ?? 0), 0);
  return { state: refused ?? last?.state ?? 'done', endedAt };
}
