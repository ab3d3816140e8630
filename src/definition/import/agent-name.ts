// The name of an agent of another tool, in the letters that a name may have here.

import { basename } from 'node:path/posix';
import { RESERVED_NAMES } from '../read/keys.ts';

/** `Review 2.0` is `review-2-0`. */
export function agentNameOf(written: string): string {
  const plain = written
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|[-_]+$/g, '')
    .replace(/^agent__+/, '');
  const named = /^[a-z]/.test(plain) ? plain : `agent-${plain || 'unnamed'}`;
  return RESERVED_NAMES.has(named) ? `${named}-agent` : named.slice(0, 64).replace(/[-_]+$/, '');
}

/** `reviewer.agent.md` is called reviewer. */
export const fileNameOf = (path: string): string =>
  basename(path).replace(/(?:\.agent|\.chatmode|\.recipe)?\.(?:md|ai|toml|ya?ml|json)$/i, '');
