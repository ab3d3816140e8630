// The forms of `router`, `advisors` and `team`.

import type { AdvisorsPolicy } from '../../patterns/config.ts';
import { byForm, choice, duration, integer, list, type Ref, ref, type Shape } from './shape.ts';
import { key, object, refined } from './shape-object.ts';

export const routerShape = object({
  destinations: key(list(ref, { min: 1 }), 'Whom it may hand the request to.', { required: true }),
});

export interface AdvisorsRefs {
  readonly agents: readonly Ref[];
  readonly timeoutMs?: number;
  readonly policy: AdvisorsPolicy;
}

const policyShape: Shape<AdvisorsPolicy> = byForm({
  scalar: refined(choice(['isolate', 'all']), (kind): AdvisorsPolicy => ({ kind })),
  map: refined(
    object({ quorum: key(integer(1, 1000), 'Start when so many answered.', { required: true }) }),
    ({ quorum }): AdvisorsPolicy | undefined => (quorum === undefined ? undefined : { kind: 'quorum', count: quorum }),
  ),
});

export const advisorsShape: Shape<AdvisorsRefs> = byForm({
  list: refined(list(ref), (agents): AdvisorsRefs => ({ agents, policy: { kind: 'isolate' } })),
  map: refined(
    object({
      agents: key(list(ref, { min: 1 }), 'Who is asked.', { required: true }),
      timeout: key(duration, 'For each of them.'),
      policy: key(
        policyShape,
        'isolate (a failure is told, the rest goes on), all (any failure fails the run), or {quorum: n}.',
      ),
    }),
    ({ agents = [], timeout, policy }): AdvisorsRefs => {
      const asked: AdvisorsRefs = { agents, policy: policy ?? { kind: 'isolate' } };
      return timeout === undefined ? asked : { ...asked, timeoutMs: timeout };
    },
  ),
});

export const teamShape = object({
  members: key(list(ref, { min: 1 }), 'Who works in the team.', { required: true }),
  supervisor: key(ref, 'Who alone answers; self is the agent of this file.', { required: true }),
  memberMaxTurns: key(integer(1, 10_000), 'Model turns of each member. Without it each member’s own maxTurns.'),
  supervisorMaxTurns: key(integer(1, 10_000), 'Model turns of the supervisor. Without it its own maxTurns.'),
});
