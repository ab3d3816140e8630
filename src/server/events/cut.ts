// Journal events as the stream carries them: long texts are cut, and a list says which and how long they were. The
// whole event can be asked for.

import type { RunEvent } from '../../journal/event.ts';
import { approvalDigest } from '../../journal/fingerprint.ts';
import type { JournalLine } from '../protocol.ts';

/** Characters of a text that stay. */
const CUT_AT = 4000;

/** The same event where nothing was cut. */
export function cutEvent(event: RunEvent): JournalLine {
  const cut: (readonly [string, number])[] = [];
  const short = shortened(event, '', cut) as RunEvent;
  const asked = event.type === 'op-start' && event.op.kind === 'approval' ? event.op : undefined;
  return {
    event: cut.length === 0 ? event : short,
    ...(cut.length > 0 && { cut }),
    ...(asked && { digest: approvalDigest(asked.prompt, asked.about) }),
  };
}

/** Copies only what holds a cut text. Events are nested no deeper than `MAX_CARRIER_DEPTH`. */
function shortened(value: unknown, pointer: string, cut: (readonly [string, number])[]): unknown {
  if (typeof value === 'string') {
    if (value.length <= CUT_AT) return value;
    cut.push([pointer, Buffer.byteLength(value)]);
    return value.slice(0, CUT_AT).replace(/[\ud800-\udbff]$/, ''); // never half a character
  }
  if (typeof value !== 'object' || value === null) return value;
  const before = cut.length;
  if (Array.isArray(value)) {
    const items = value.map((one, index) => shortened(one, `${pointer}/${index}`, cut));
    return cut.length === before ? value : items;
  }
  const entries = Object.entries(value).map(
    ([key, one]) => [key, shortened(one, `${pointer}/${escaped(key)}`, cut)] as const,
  );
  return cut.length === before ? value : Object.fromEntries(entries);
}

/** RFC 6901 */
const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
