// A run of another agent as the journal records it. The run of a helper also has the digest of its task, a preview, and the
// id that it has in other logs.

import type { ChildInput, OpDetail } from '../../journal/event.ts';
import { digest, fingerprint } from '../../journal/fingerprint.ts';
import type { EffectOf, RunInput } from '../../kernel/effect.ts';
import { isHelper } from '../../kernel/subagent.ts';

/** An op as it is recorded, and its fingerprint. */
export interface DescribedOp {
  readonly op: OpDetail;
  readonly fingerprint?: string;
}

const PREVIEW = 120;

/** `correlation` names the op in other logs. */
export function describeRun(effect: EffectOf<'run'>, correlation: () => string): DescribedOp {
  const { agent, trigger } = effect;
  const input = childInput(effect.input);
  if (isHelper(agent)) {
    const about = { ...trigger, task_sha256: digest(input.text), preview: previewOf(input.text) };
    return {
      // The correlation id is left out, because a fork has the same op under another run's name.
      fingerprint: fingerprint(JSON.stringify({ agent, input, trigger: about })),
      op: { kind: 'run', agent, input, trigger: { ...about, correlation_id: correlation() } },
    };
  }
  const { contract, seat, keep } = effect;
  if (contract === undefined && seat === undefined && keep === undefined)
    return { op: { kind: 'run', agent, input, trigger } };
  return {
    op: {
      kind: 'run',
      agent,
      input,
      trigger,
      ...(contract && { contract }),
      ...(seat && { seat }),
      ...(keep && { keep: true }),
    },
  };
}

/** The run's one history is named, not repeated. */
function childInput(given: RunInput): ChildInput {
  const input: Omit<RunInput, 'history'> = given;
  return given.history === undefined ? input : { ...input, history: 'run' };
}

function previewOf(task: string): string {
  const characters = Array.from(task.replace(/\s+/g, ' ').trim());
  return characters.length <= PREVIEW ? characters.join('') : `${characters.slice(0, PREVIEW).join('')}…`;
}
