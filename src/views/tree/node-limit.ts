// The limit that ended an op of the tree, at the agent whose limit it was.

import { type LimitReached, limitReached } from '../../kernel/limit-reached.ts';
import type { OpNode } from './op-node.ts';

/** The limit that kept the model of a turn from being asked. */
export function nodeLimit(node: OpNode): LimitReached | undefined {
  const fault =
    node.fault ?? (node.kind === 'turn' ? node.children.find(({ kind }) => kind === 'model')?.fault : undefined);
  if (fault === undefined || (fault.stage !== undefined && fault.stage !== node.agent)) return undefined;
  return limitReached(fault, lastTurn(node));
}

/** The last turn of the sessions of a run. */
const lastTurn = (node: OpNode): number | undefined =>
  node.children
    .flatMap((child) => (child.kind === 'session' ? child.children : [child]))
    .findLast(({ kind }) => kind === 'turn')?.turn;
