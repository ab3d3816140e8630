// The routes for proxies, service managers and client generators.

import { Alive, NotReady, Ready } from '../messages/service.ts';
import { json, type Route, route } from './route.ts';

export const serviceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/healthz',
    name: 'isAlive',
    tag: 'service',
    summary: 'Says that the process is alive.',
    permission: 'open',
    answers: {
      200: {
        description: 'It is. `lostLogLines`: how many lines of its log could not be written, if any.',
        body: Alive,
      },
    },
    answer: async (_request, { lostLines }) => {
      const lostLogLines = lostLines();
      return json({ ok: true, ...(lostLogLines > 0 && { lostLogLines }) });
    },
  }),
  route({
    method: 'GET',
    path: '/readyz',
    name: 'isReady',
    tag: 'service',
    summary: 'Says if it takes runs: it has read its agents, and is not about to end.',
    permission: 'open',
    answers: {
      200: { description: 'It does.', body: Ready },
      503: { description: 'It does not.', body: NotReady },
    },
    answer: async (_request, { runs, cadres }) => {
      const why = runs.isDraining
        ? 'it is about to end'
        : cadres.all().every(({ host }) => host === undefined)
          ? 'its agents have errors'
          : undefined;
      return why === undefined ? json({ ok: true }) : json({ ok: false, why }, 503);
    },
  }),
];
