// Filters of the list of runs under a name. They are those of everybody who may use all agents; a caller that may use only
// some has its own, because the words of a filter tell of runs.

import { z } from 'zod';
import type { Caller } from '../caller.ts';
import { FilterList, SaveFilter } from '../messages/runs.ts';
import { json, type Route, route } from './route.ts';

const NAME = z.string().min(1).max(60).describe('Its name.');

export const filterRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/filters',
    name: 'listFilters',
    tag: 'runs',
    summary: 'The filters of the list of runs that were saved, by their names.',
    permission: 'see',
    answers: { 200: { description: 'The filters.', body: FilterList } },
    answer: async ({ caller }, { store }) => json({ items: await store.filters.list(ownerOf(caller)) }),
  }),
  route({
    method: 'PUT',
    path: '/api/filters/:name{.+}',
    name: 'saveFilter',
    tag: 'runs',
    summary: 'Saves a filter, or replaces that of the same name.',
    permission: 'run',
    params: { name: NAME },
    body: SaveFilter,
    answers: { 204: { description: 'It is saved.' } },
    faults: ['usage'],
    async answer({ params: { name }, body: { query }, caller }, { store }) {
      await store.filters.put(ownerOf(caller), { name, query });
      return { kind: 'empty', status: 204 };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/filters/:name{.+}',
    name: 'removeFilter',
    tag: 'runs',
    summary: 'Removes a filter. One that is not there counts as removed.',
    permission: 'run',
    params: { name: NAME },
    answers: { 204: { description: 'It is not there any more.' } },
    async answer({ params: { name }, caller }, { store }) {
      await store.filters.remove(ownerOf(caller), name);
      return { kind: 'empty', status: 204 };
    },
  }),
];

const ownerOf = ({ name, agents }: Caller): string => (agents === undefined ? '' : name);
