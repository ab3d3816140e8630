// Redaction as a decorator: what comes from outside is redacted before anyone records it, so that the kernel sees the
// redacted text too, and a replay is exact. All that enters a run passes here: results of leaves, mail, facts, input
// and the agents' own texts.

import type { SettledResult } from '../../kernel/effect.ts';
import { redactedFault, redactedValue } from '../../secrets/redacted-value.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { World } from '../world.ts';

/** Redacts a world of leaves: everything that it answers comes from outside. */
export function redactedWorld(world: World, secrets: Secrets): World {
  return {
    perform(effect, op) {
      const answer = world.perform(effect, op);
      return answer instanceof Promise
        ? answer.then((settled) => redactedSettled(settled, secrets))
        : redactedSettled(answer, secrets);
    },
  };
}

function redactedSettled(settled: SettledResult, secrets: Secrets): SettledResult {
  if (settled.ok) {
    const value = redactedValue(settled.value, secrets);
    return value === settled.value ? settled : { ok: true, value };
  }
  const fault = redactedFault(settled.fault, secrets);
  return fault === settled.fault ? settled : { ok: false, fault };
}
