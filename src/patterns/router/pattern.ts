// The catalog record of `router`.

import type { AgentName } from '../../kernel/effect.ts';
import { largestOf, sumOf } from '../bounds.ts';
import type { Pattern } from '../record.ts';
import { triggersOf } from '../trigger-traits.ts';
import { HANDOFF_TO, type RouterConfig } from './handoff-to.ts';
import { router } from './router.ts';

export const routerPattern: Pattern<RouterConfig> = {
  key: 'router',
  keySpec: {
    form: {
      kind: 'keys',
      keys: {
        destinations: {
          form: { kind: 'agents', role: 'destination', min: 1 },
          guidance: 'Whom it may hand the request to.',
          required: true,
        },
      },
    },
    guidance:
      'Offers handoff-to with these destinations: {destinations: [a, b]}. Each needs a description. Not together with team.',
    example: 'router: {destinations: [billing, support]}',
    hints: { destinations: 'It belongs to router: router: {destinations: […]}.' },
    configOf(value) {
      const { destinations = [] } = value as { readonly destinations?: readonly AgentName[] };
      return destinations.length === 0 ? undefined : { destinations };
    },
  },
  layer: 'after',
  triggers: triggersOf('router'),
  reserves: [HANDOFF_TO],
  excludes: { team: 'Keep one of them: put the router in front of the team, as an agent of its own.' },
  edges: ({ destinations }) => destinations.map((to) => ({ to, role: 'destination', trigger: 'router' })),
  seat: () => ({
    kind: 'undefined',
    why: 'is a router: it would route the request away instead of taking part',
    help: 'Name one of its destinations, or put the router in front of the team.',
  }),
  bound: ({ destinations }, inner, { run }) => sumOf([inner, largestOf(destinations.map((name) => run(name)))]),
  wrap: router,
};
