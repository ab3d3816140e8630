// The network addresses that a tool without permission for private ones may reach: those of the public internet.
// Everything else is refused, and in IPv6 everything outside the range that is allocated to the public.

import type { BlockList, LookupFunction } from 'node:net';
import { FaultError, fault } from '../../kernel/fault.ts';

const privateIpv4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/**
 * These lie within the public range: protocol assignments and tunnels (which hide an IPv4 address), and documentation.
 */
const privateIpv6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

let lists: { readonly refused: BlockList; readonly open: BlockList } | undefined;

function openLists() {
  const { BlockList } = process.getBuiltinModule('node:net');
  const refused = new BlockList();
  for (const [net, prefix] of privateIpv4) refused.addSubnet(net, prefix, 'ipv4');
  for (const [net, prefix] of privateIpv6) refused.addSubnet(net, prefix, 'ipv6');
  const open = new BlockList();
  open.addSubnet('2000::', 3, 'ipv6');
  return { refused, open };
}

export function isPublic(address: string): boolean {
  lists ??= openLists();
  switch (process.getBuiltinModule('node:net').isIP(address)) {
    case 4:
      return !lists.refused.check(address, 'ipv4');
    case 6: {
      if (address.includes('%')) return false;
      return lists.open.check(address, 'ipv6') && !lists.refused.check(address, 'ipv6');
    }
    default:
      return false;
  }
}

/** Addresses in a URL are never looked up. `URL` has already normalised decimal, octal and hexadecimal forms. */
export function judgeHost(url: URL, wayOut?: string): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (process.getBuiltinModule('node:net').isIP(host) !== 0 && !isPublic(host)) throw refusal(host, host, wayOut);
}

/** Resolves as Node does, and fails if any of the addresses is not public. */
export const judgedLookup =
  (wayOut?: string): LookupFunction =>
  (hostname, options, callback) => {
    process.getBuiltinModule('node:dns').lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const closed = addresses.find(({ address }) => !isPublic(address));
      const first = addresses[0];
      if (closed !== undefined) callback(refusal(hostname, closed.address, wayOut), []);
      else if (options.all === true || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

const USUAL_WAY_OUT = 'To allow it, set "allowPrivate: true" in its declaration.';

const refusal = (host: string, address: string, wayOut = USUAL_WAY_OUT): FaultError =>
  new FaultError(
    fault(
      'tool/failed',
      `${host}${host === address ? '' : ` (${address})`} is not an address of the public internet, and this tool may ` +
        `not reach others. ${wayOut}`,
    ),
  );
