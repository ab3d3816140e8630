// A delegation as the journal records it: its full input, the digest of its task, a preview, and the id that it has in
// other logs.

import type { OpDetail } from '../../journal/event.ts';
import { digest, fingerprint } from '../../journal/fingerprint.ts';
import type { Effect } from '../../kernel/effect.ts';

/** An op as it is recorded, and its fingerprint. */
export interface DescribedOp {
  readonly op: OpDetail;
  readonly fingerprint?: string;
}

const PREVIEW = 120;

export function describeSubagent(effect: Extract<Effect, { kind: 'subagent' }>, correlation: string): DescribedOp {
  const { kind, agent, depth, request, limits } = effect;
  const about = { kind, agent, depth, task_sha256: digest(request.task), preview: previewOf(request.task) };
  return {
    // The correlation id is left out, because a fork has the same op under another run's name.
    fingerprint: fingerprint(JSON.stringify({ ...about, request, limits })),
    op: { ...about, correlation_id: correlation, request, limits },
  };
}

function previewOf(task: string): string {
  const characters = Array.from(task.replace(/\s+/g, ' ').trim());
  return characters.length <= PREVIEW ? characters.join('') : `${characters.slice(0, PREVIEW).join('')}…`;
}
