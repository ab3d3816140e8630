// The name under which whoever looks at the page stands in journals.

import type { Permission } from '../../../src/server/protocol.ts';
import { cadre } from './cadre.ts';

export function yourNames(): readonly string[] {
  const name = cadre()?.you.name;
  return name === undefined ? [] : [name];
}

/** The name on your marks: without tokens, you are the owner. */
export function yourMarkName(): string {
  const name = cadre()?.you.name ?? 'owner';
  return name === 'anyone' ? 'owner' : name;
}

/** The reason why you cannot do what needs a permission. */
export function lacks(permission: Permission): string | undefined {
  const you = cadre()?.you;
  return you === undefined || you.may.includes(permission)
    ? undefined
    : `The token ${you.name} has no permission "${permission}".`;
}
