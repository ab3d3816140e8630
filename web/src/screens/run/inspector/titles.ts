// The title of an op at the head of the inspector, and the agents above it. Pure.

import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';

export interface Crumb {
  readonly path: string;
  readonly name: string;
}

export function crumbsOf(way: readonly OpNode[]): readonly Crumb[] {
  return way.flatMap((node, index): readonly Crumb[] => {
    const last = index === way.length - 1;
    if (node.kind === 'run' || node.kind === 'say')
      return [{ path: node.path, name: node.label === undefined ? (node.agent ?? '') : `${node.label} ${node.agent}` }];
    if (!last) return [];
    return node.kind === 'turn'
      ? [{ path: node.path, name: `turn ${node.turn}` }]
      : [{ path: node.path, name: node.name ?? node.kind }];
  });
}

export function titleOf(node: OpNode, facts: OpFacts | undefined): string {
  switch (node.kind) {
    case 'turn':
      return `Model call of ${node.agent}, turn ${node.turn}`;
    case 'tool':
      return `Tool call ${node.name}`;
    case 'run':
      return `Run of ${node.agent}`;
    case 'say':
      return `Further message to ${node.agent}`;
    case 'approval':
      return 'A question to you';
    case 'await-runs':
      return `Waits for ${node.name}`;
    case 'cancel-runs':
      return `Cancels ${node.name}`;
    case 'post':
      return 'Broadcast';
    case 'take':
      return 'Mail taken in';
    case 'spawn':
      return 'Runs spawned';
    default:
      return facts?.instant?.kind ?? node.kind;
  }
}
