// Sign-ins to MCP servers, as cells that lie apart from everything else of a store. A store does not look into them: the tool
// source that made one reads it. Beside each lies the lease under which one process at a time renews it.
// SIGN-IN-1. A sign-in is replaced only by who names the version that they read, so of two that renew it one is told.
// SIGN-IN-2. A lease runs out by itself: its holder may be gone, and its process id says nothing in another container. A
//            holder has to be done before that.

import { type Cells, type Space, textIn, textValue } from './cells.ts';
import type { KeptSignIn, SignIns } from './store.ts';

const SIGN_INS: Space = { name: 'sign-ins', holds: 'lines', maxBytes: 1_048_576, tells: true, isSecret: true };
const LEASES: Space = { name: 'sign-in-leases', holds: 'lines' };

/** All have the same first part, so that one watch tells of all. */
const FIRST = 'all';
const NOTHING = textValue('');
const keyOf = (id: string): string => `${FIRST}/${id}`;
const idOf = (key: string): string => key.slice(FIRST.length + 1);

export function signInsIn(cells: Cells, now: () => number): SignIns {
  const kept = (cell: Awaited<ReturnType<Cells['get']>>): KeptSignIn | undefined =>
    cell && { id: idOf(cell.key), head: cell.head, body: textIn(cell), version: cell.version };
  return {
    async list() {
      const all = await cells.list(SIGN_INS, `${FIRST}/`, { with: 'bodies' });
      return all.flatMap((cell) => kept(cell) ?? []);
    },
    get: async (id) => kept(await cells.get(SIGN_INS, keyOf(id))),
    async put(id, { head, body }, expected) {
      const condition = expected === 'absent' || expected === 'any' ? expected : { version: expected };
      return (await cells.putIf(SIGN_INS, keyOf(id), textValue(head, body), condition)).isPut; // SIGN-IN-1
    },
    remove: (id) => cells.delete(SIGN_INS, keyOf(id)),
    async lease(id, forMs) {
      const first = await cells.putIf(LEASES, keyOf(id), NOTHING, 'absent');
      if (first.isPut) return leaseOf(cells, id, first.version);
      const { standing } = first;
      if (standing === undefined || standing.putAt + forMs > now()) return undefined; // SIGN-IN-2
      const taken = await cells.putIf(LEASES, keyOf(id), NOTHING, { version: standing.version });
      return taken.isPut ? leaseOf(cells, id, taken.version) : undefined;
    },
    watch: (told) => cells.watch(SIGN_INS, FIRST, told),
  };
}

const leaseOf = (cells: Cells, id: string, version: string): { release(): Promise<void> } => ({
  async release() {
    await cells.delete(LEASES, keyOf(id), version);
  },
});
