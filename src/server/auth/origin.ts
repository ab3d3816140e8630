// Keeps web pages away from the server: a page of another site must neither reach it under a name of its own (DNS
// rebinding), nor send requests with a visitor's cookie, nor read what it answers.
// ORIGIN-1. A name in `Host` is one that the server knows. An address of numbers cannot be rebound.
// ORIGIN-2. What a browser sends for another site is refused, whatever the method, except opening the page itself.
// ORIGIN-3. A page whose origin stands under `server.cors` may use the API and the heads, with a token and never with the
// log-in of our own page.

import { isIP } from 'node:net';
import { fail } from '../../kernel/fault.ts';

interface AskedFrom {
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly fetchMode: string | undefined;
}

interface KnownNames {
  /** The address that it listens on. */
  readonly host: string;
  /** `server.hosts`, with or without a port. */
  readonly hosts: readonly string[];
  /** `server.cors` */
  readonly cors: readonly string[];
}

/** Returns the origin of the page that asks, if it is another one that is let in. Throws `request/forbidden`. */
export function refuseForeign(asked: AskedFrom, known: KnownNames): string | undefined {
  const { host, origin, fetchSite } = asked;
  if (host === undefined || !isKnown(host, known)) {
    fail(
      'request/forbidden',
      `The server is not known as ${JSON.stringify((host ?? '').slice(0, 100))}. A name that it is reached by stands under server.hosts in cadre.yaml.`,
    );
  }
  if (origin !== undefined && !isOwn(origin, host)) {
    if (known.cors.includes(origin) && isInterface(asked.path)) return origin; // ORIGIN-3
    fail(
      'request/forbidden',
      `The request came from a web page of another origin, ${JSON.stringify(origin.slice(0, 200))}. Origins that may use the API stand under server.cors in cadre.yaml.`,
    );
  }
  const isForeign = fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none';
  if (isForeign && !opensPage(asked)) {
    fail('request/forbidden', 'The request came from a web page of another site.');
  }
  return undefined;
}

/** ORIGIN-1 */
function isKnown(host: string, { host: own, hosts }: KnownNames): boolean {
  const name = withoutPort(host);
  if (hosts.includes(host) || hosts.includes(name)) return true;
  if (name === own || name === 'localhost') return true;
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

const withoutPort = (host: string): string => host.replace(/:\d{1,5}$/, '').toLowerCase();

/** Behind a proxy the scheme may differ, and the host is the same. */
function isOwn(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false; // `null`, as of a sandboxed page
  const { protocol, host: from } = new URL(origin);
  return (protocol === 'http:' || protocol === 'https:') && from === host.toLowerCase().replace(/:(80|443)$/, '');
}

/** ORIGIN-2. A link on another site may lead to the page; the page itself holds no data. */
const opensPage = ({ method, path, fetchMode }: AskedFrom): boolean =>
  method === 'GET' && fetchMode === 'navigate' && !/^\/(api|v1|mcp|a2a)(\/|$)/.test(path);

/** ORIGIN-3 */
const isInterface = (path: string): boolean =>
  /^\/(?:(?:api|v1|mcp|a2a|\.well-known)(?:\/|$)|openapi\.json$)/.test(path);
