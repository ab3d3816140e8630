// The following of a live run. It stands in the address. If the address does not say, a live run is followed unless the
// address asks for something that following would scroll or zoom away from.

import type { Address } from '../../../app/addresses.ts';
import { address, setQuery } from '../../../app/router.ts';

type Looked = Pick<Address, 'query' | 'selected'>;

export const isFollowed = (looked: Looked): boolean =>
  looked.query['follow'] === undefined ? isUsual(looked) : looked.query['follow'] === 'on';

const isUsual = ({ query, selected }: Looked): boolean => selected === undefined && query['zoom'] === undefined;

export function follow(on: boolean): void {
  const now = address.peek();
  if (isFollowed(now) === on) return;
  // A followed run is shown from its beginning to now.
  const zoom = on ? undefined : now.query['zoom'];
  const isSaid = isUsual({ ...now, query: { ...(zoom !== undefined && { zoom }) } }) !== on;
  setQuery({ zoom, follow: isSaid ? (on ? 'on' : 'off') : undefined });
}

export const toggleFollow = (): void => follow(!isFollowed(address.peek()));
