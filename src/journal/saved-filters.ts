// Filters of the list of runs that people gave a name, as cells named by the SHA-256 of whose they are and of their name.

import { createHash } from 'node:crypto';
import { fail } from '../kernel/fault.ts';
import { type Cells, type Space, textValue } from './cells.ts';
import { MOST_FILTERS, type SavedFilter, type SavedFilters } from './store.ts';

const FILTERS: Space = { name: 'filters', holds: 'lines' };

export const savedFiltersIn = (cells: Cells): SavedFilters => {
  const list = async (owner: string): Promise<readonly SavedFilter[]> => {
    const found = await cells.list(FILTERS, `${digestOf(owner)}/`);
    const filters = found.map(({ head }) => JSON.parse(head) as SavedFilter);
    return filters.sort((one, other) => (one.name < other.name ? -1 : 1));
  };
  return {
    list,
    async put(owner, filter) {
      const others = (await list(owner)).filter(({ name }) => name !== filter.name);
      if (others.length >= MOST_FILTERS)
        fail('usage', `${MOST_FILTERS} filters are saved, which is the most. Remove one of them first.`);
      await cells.putIf(FILTERS, keyOf(owner, filter.name), textValue(JSON.stringify(filter)), 'any');
    },
    remove: (owner, name) => cells.delete(FILTERS, keyOf(owner, name)),
  };
};

const keyOf = (owner: string, name: string): string => `${digestOf(owner)}/${digestOf(name)}`;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
