// The name under which whoever looks at the page stands in journals.

import { cadre } from './cadre.ts';

export function yourNames(): readonly string[] {
  const name = cadre()?.you.name;
  return name === undefined ? [] : [name];
}
