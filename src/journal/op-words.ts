// Describes an op in a few words, for lists of ops and messages about one.

import type { InstantOp, OpStart } from './event.ts';

export function opWords(event: OpStart | InstantOp): string {
  if (event.type === 'op') return INSTANT[event.kind] ?? event.kind;
  const { op } = event;
  switch (op.kind) {
    case 'model':
      return op.compact === undefined
        ? `model call of ${op.agent}, turn ${op.turn}`
        : `compaction of ${op.agent}, after turn ${op.turn}`;
    case 'tool':
      return `tool call ${op.call.name} of ${op.agent}`;
    case 'run':
      return `run of ${op.agent} (${op.trigger.kind})`;
    case 'say':
      return `further message to session ${op.session}`;
    case 'approval':
      return `question to a person: ${op.prompt}`;
    default:
      return (op as { readonly kind: string }).kind;
  }
}

const INSTANT: Readonly<Partial<Record<string, string>>> = {
  take: 'mail taken in',
  post: 'broadcast',
  clock: 'look at the clock',
  close: 'end of an open session',
  fork: 'end of a wait for enough branches',
};
