// The sign-ins of the store of a cadre, for commands that look at its MCP servers and run nothing.

import type { CadreDefinition } from '../../definition/definition.ts';
import { serversWithAuth } from '../../engine/sign-in/sign-in.ts';
import type { SignIns } from '../../journal/store.ts';
import { notify } from '../screen/output.ts';
import { openStore, storeOfCadre } from './store-place.ts';

/** Opens the store only where a server has `auth`. */
export async function withSignIns<Value>(
  cadre: CadreDefinition,
  look: (signIns: SignIns | undefined) => Promise<Value>,
): Promise<Value> {
  if (serversWithAuth(cadre).length === 0) return look(undefined);
  const store = await openStore(storeOfCadre({}, cadre), notify);
  try {
    return await look(store.signIns);
  } finally {
    await store.close?.();
  }
}
