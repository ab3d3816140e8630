// The filters of the list of runs that were saved under a name, as the store keeps them.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { FilterList, SaveFilter } from '../../../src/server/protocol.ts';
import { getJson, reached } from './api.ts';
import { rereading } from './reread.ts';
import { listen } from './server-stream.ts';

export const savedFilters = signal<FilterList['items']>([]);

const again = rereading(async () => {
  try {
    savedFilters.value = (await getJson<FilterList>('/api/filters')).items;
  } catch {
    // The connection says that it is lost: what is known stays.
  }
});

export function useSavedFilters(): FilterList['items'] {
  useEffect(() => listen({ refresh: again, on: {} }), []);
  return savedFilters.value;
}

const placeOf = (name: string): string => `/api/filters/${encodeURIComponent(name)}`;

export async function saveFilter(name: string, query: string): Promise<void> {
  const body: SaveFilter = { query };
  const headers = { 'content-type': 'application/json' };
  await reached(placeOf(name), { method: 'PUT', headers, body: JSON.stringify(body) });
  again();
}

export async function forgetFilter(name: string): Promise<void> {
  await reached(placeOf(name), { method: 'DELETE' });
  again();
}
