// What proxies, service managers and client generators ask for.

import { json, type Route } from './route.ts';
import { having, TEXT } from './schemas.ts';

export const serviceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/healthz',
    name: 'isAlive',
    tag: 'service',
    summary: 'Whether the process is alive.',
    permission: 'open',
    answers: {
      200: {
        description: 'It is. `lostLogLines`: how many lines of its log could not be written, if any.',
        schema: having({ ok: { const: true }, lostLogLines: { type: 'integer' } }, ['ok']),
      },
    },
    answer: async (_request, { lostLines }) => {
      const lostLogLines = lostLines();
      return json({ ok: true, ...(lostLogLines > 0 && { lostLogLines }) });
    },
  },
  {
    method: 'GET',
    path: '/readyz',
    name: 'isReady',
    tag: 'service',
    summary: 'Whether it takes runs: it has read its agents, and is not about to end.',
    permission: 'open',
    answers: {
      200: { description: 'It does.', schema: having({ ok: { const: true } }, ['ok']) },
      503: { description: 'It does not.', schema: having({ ok: { const: false }, why: TEXT }, ['ok', 'why']) },
    },
    answer: async (_request, { runs, cadres }) => {
      const why = runs.isDraining
        ? 'it is about to end'
        : cadres.all().every(({ host }) => host === undefined)
          ? 'its agents have errors'
          : undefined;
      return why === undefined ? json({ ok: true }) : json({ ok: false, why }, 503);
    },
  },
];
