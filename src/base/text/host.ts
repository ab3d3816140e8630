// A host as a person writes it: a name or an address, and a port if only that one is meant.

/** The mistake in a host as it is written. */
export function hostProblem(written: string): string | undefined {
  if (written.includes('*')) return 'a host is written out, without *';
  return parsed(written) === undefined ? `"${written}" is not the name of a host` : undefined;
}

/** True if an address is of a host. Without a port it is, whatever its port. */
export function isOfHost(url: URL, written: string): boolean {
  const host = parsed(written);
  if (host === undefined || host.hostname !== url.hostname) return false;
  return !hasPort(written) || portOf(host) === portOf(url);
}

/**
 * The same, of an address that may be spelled otherwise: a dot at the end of a name leads to the same place, and so
 * does the IPv6 form of an IPv4 address.
 */
export function mayBeOfHost(url: URL, written: string): boolean {
  const meant = parsed(written);
  if (meant === undefined || plainName(meant.hostname) !== plainName(url.hostname)) return false;
  return !hasPort(written) || portOf(meant) === portOf(url);
}

function plainName(hostname: string): string {
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return hostname.replace(/\.+$/, '');
  return [high, low].flatMap((half) => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255]).join('.');
}

function parsed(written: string): URL | undefined {
  const whole = `http://${written}/`;
  if (/[\s/\\?#@]/.test(written) || !URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  return url.pathname === '/' ? url : undefined;
}

const hasPort = (written: string): boolean => /:\d+$/.test(written.replace(/^\[[^\]]*\]/, ''));

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');
