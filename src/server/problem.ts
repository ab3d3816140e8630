// Errors as problem documents (RFC 9457). They tell what happened and the way out, and nothing about the machine:
// paths and secrets are taken out, and a defect is told only in the log.

import { homedir } from 'node:os';
import { present } from '../base/text/present.ts';
import { FAULTS, type Fault } from '../kernel/fault.ts';
import type { ProblemDocument } from './protocol.ts';

export const statusOf = ({ code }: Fault): number => FAULTS[code].http;

export function problemOf(
  fault: Fault,
  place: {
    readonly requestId: string;
    /** Folders whose names are taken out of texts. */
    readonly folders: readonly string[];
    redact(text: string): string;
    /** The address that the client asked for, which is no secret to it. */
    readonly address: string;
  },
): ProblemDocument {
  const { code, details = {} } = fault;
  const { violations, approved, by } = details as Pick<ProblemDocument, 'violations' | 'approved' | 'by'>;
  const detail =
    code === 'internal'
      ? `The server has a defect. Its log has more under ${place.requestId}.`
      : withoutPaths(place.redact(fault.message), place.folders, place.address);
  return {
    type: 'about:blank',
    title: FAULTS[code].means,
    status: statusOf(fault),
    detail,
    code,
    instance: place.requestId,
    ...present({ violations, approved, by }),
  };
}

/**
 * The headers that tell a client its way out: to say who it is, the methods that there are, or the time to wait, if
 * that is known.
 */
export function problemHeaders({ code, details }: Fault): Readonly<Record<string, string>> {
  const { allow, retryAfter: given } = details ?? {};
  if (code === 'request/unauthorized') return { 'www-authenticate': 'Bearer' };
  if (typeof allow === 'string') return { allow };
  if (typeof given === 'number') return { 'retry-after': String(Math.ceil(given)) };
  return statusOf({ code, message: '' }) === 429 || code === 'server/draining' ? { 'retry-after': '1' } : {};
}

/** An absolute path, of any system. An address of the web is not one. */
const ABSOLUTE = /(?<![\w:/.~-])(?:\/(?:[\w@+.,-]|%[0-9a-f]{2})+){2,}\/?|\b[A-Za-z]:\\[^\s"']+/gi;

/** A served folder is `.`; of any other path only the last name is left. */
export function withoutPaths(text: string, folders: readonly string[], address?: string): string {
  let short = text;
  for (const folder of [...folders].sort((one, other) => other.length - one.length)) {
    if (folder.length > 1) short = short.replaceAll(`${folder}/`, './').replaceAll(folder, '.');
  }
  const home = homedir();
  if (home.length > 1) short = short.replaceAll(home, '~');
  return short.replaceAll(ABSOLUTE, (path) =>
    path.replace(/[.,]+$/, '') === address ? path : `…/${path.split(/[/\\]/).findLast((part) => part !== '') ?? ''}`,
  );
}
