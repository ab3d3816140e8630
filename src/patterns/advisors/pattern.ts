// The catalog record of `advisors`.

import type { AgentName } from '../../kernel/effect.ts';
import { clarificationTools } from '../chat/clarification.ts';
import type { AgentsForm, KeySpec, PatternForm } from '../key-form.ts';
import type { Pattern, Review } from '../record.ts';
import { triggersOf } from '../trigger-traits.ts';
import { type AdvisorsConfig, advisors } from './advisors.ts';

const asked: AgentsForm = { kind: 'agents', role: 'advisor', gets: 'request', shownAs: '' };

const policy: PatternForm = {
  kind: 'by-value',
  scalar: { kind: 'choice', of: ['isolate', 'all'] },
  map: {
    kind: 'keys',
    keys: {
      quorum: {
        form: { kind: 'integer', min: 1, max: 1000 },
        guidance: 'Start when so many answered.',
        required: true,
      },
    },
  },
};

/** The value of the key, with agents as names. */
interface WrittenAdvisors {
  readonly agents?: readonly AgentName[];
  readonly timeout?: number;
  readonly policy?: 'isolate' | 'all' | { readonly quorum?: number };
}

const advisorsKey: KeySpec<AdvisorsConfig> = {
  form: {
    kind: 'by-value',
    list: asked,
    map: {
      kind: 'keys',
      keys: {
        agents: { form: { ...asked, min: 1 }, guidance: 'Who is asked.', required: true },
        timeout: { form: { kind: 'duration' }, guidance: 'For each of them.' },
        policy: {
          form: policy,
          guidance: 'isolate (a failure is told, the rest goes on), all (any failure fails the run), or {quorum: n}.',
        },
      },
    },
  },
  guidance:
    'Asked first, all at the same time; what they answer goes into the request. Also {agents, timeout, policy}.',
  example: 'advisors: {agents: [legal, risk], timeout: 2m, policy: isolate}',
  configOf(value) {
    const written = Array.isArray(value) ? { agents: value as readonly AgentName[] } : (value as WrittenAdvisors);
    const { agents = [], timeout, policy: how } = written as WrittenAdvisors;
    if (agents.length === 0) return undefined;
    return { agents, ...(timeout !== undefined && { timeoutMs: timeout }), policy: policyOf(how) };
  },
};

function policyOf(written: WrittenAdvisors['policy']): AdvisorsConfig['policy'] {
  if (typeof written !== 'object') return { kind: written ?? 'isolate' };
  return written.quorum === undefined ? { kind: 'isolate' } : { kind: 'quorum', count: written.quorum };
}

function checkQuorum(config: AdvisorsConfig | undefined, { agent, report }: Review): void {
  const { agents = [], policy } = config ?? {};
  if (policy?.kind !== 'quorum' || policy.count <= agents.length) return;
  report({
    code: 'advisors/quorum',
    at: { agent: agent.name, path: ['advisors', 'policy', 'quorum'] },
    message: `a quorum of ${policy.count} can never be reached by ${agents.length} advisors`,
    help: `Write a number up to ${agents.length}, or name more advisors.`,
  });
}

export const advisorsPattern: Pattern<AdvisorsConfig> = {
  key: 'advisors',
  keySpec: advisorsKey,
  layer: 'before',
  triggers: triggersOf('advisor'),
  edges: ({ agents }) =>
    agents.map((to) => ({ to, role: 'advisor', trigger: 'advisor', isDashed: true, isAskedAgain: true })),
  tools: (_, { children, rules }) => clarificationTools(children, rules),
  check: checkQuorum,
  wrap: advisors,
};
