// The side of a run, as the address says: beside a wide run it is there unless it was closed, and over a live run below
// 1200 pixels only if it was opened.

import { address, setQuery } from '../../../app/router.ts';

/** `message`: with the line to write to the run in the focus. */
export type SideName = 'now' | 'message';

/** Undefined: closed. */
export function sideShown(query: Readonly<Record<string, string>>, isDrawer: boolean): SideName | undefined {
  const { side } = query;
  if (!isDrawer) return side === 'off' ? undefined : 'now';
  return side === 'now' || side === 'message' ? side : undefined;
}

export const showSide = (side: SideName | undefined): void => setQuery({ side });

/** `isDrawer`: a live run below 1200 pixels. */
export function toggleSide(isDrawer: boolean): void {
  const isShown = sideShown(address.peek().query, isDrawer) !== undefined;
  if (isDrawer) setQuery({ side: isShown ? undefined : 'now' });
  else setQuery({ side: isShown ? 'off' : undefined });
}
