// The pages that hang in the page tree of a PDF. The root of a tree says how many there are, which may be wrong, and readers
// take it at its word. Objects are found by their words alone, plain or packed into streams, so a document that writes them
// in an unusual way may have more pages than are seen here.

import { inflateSync } from 'node:zlib';

/** A tree with more nodes is far beyond every limit. */
const MOST_NODES = 20_000;
const MOST_UNPACKED_BYTES = 64 * 1_048_576;

/** The text of each object before its stream, by its number. A later object takes the place of an earlier one. */
type PdfObjects = Map<string, string>;

/** 0 where no tree can be followed. */
export function pagesInTree(bytes: Uint8Array): number {
  const objects: PdfObjects = new Map();
  addObjects(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), objects);
  const catalogs = [...objects.values()].filter((one) => /\/Type\s*\/Catalog\b/.test(one));
  return Math.max(
    0,
    ...catalogs.map((one) => leavesBelow(/\/Pages\s+(\d{1,10})\s{1,8}\d{1,5}\s{1,8}R/.exec(one)?.[1], objects)),
  );
}

function leavesBelow(root: string | undefined, objects: PdfObjects): number {
  const open = root === undefined ? [] : [root];
  const known = new Set(open);
  let leaves = 0;
  for (let node = open.pop(); node !== undefined && known.size < MOST_NODES; node = open.pop()) {
    const kids = kidsOf(objects.get(node) ?? '', objects);
    if (kids === undefined) leaves++;
    for (const kid of kids ?? []) {
      if (known.has(kid)) continue;
      known.add(kid);
      open.push(kid);
    }
  }
  return leaves;
}

/** Undefined for a page, which has none. */
function kidsOf(object: string, objects: PdfObjects): readonly string[] | undefined {
  const [, list, elsewhere] = /\/Kids\s*(?:\[([^\]]*)|(\d{1,10})\s{1,8}\d{1,5}\s{1,8}R)/.exec(object) ?? [];
  const written = list ?? (elsewhere === undefined ? undefined : (objects.get(elsewhere) ?? ''));
  return written === undefined
    ? undefined
    : [...written.matchAll(/(\d{1,10})\s{1,8}\d{1,5}\s{1,8}R/g)].map(([, kid = '']) => kid);
}

function addObjects(bytes: Buffer, objects: PdfObjects): void {
  let left = MOST_UNPACKED_BYTES;
  for (let at = bytes.indexOf(' obj'), next = at; at >= 0; at = next) {
    next = bytes.indexOf(' obj', at + 4);
    const [, number] = /(\d{1,10})\s{1,8}\d{1,5}\s*$/.exec(bytes.toString('latin1', Math.max(0, at - 24), at)) ?? [];
    if (number === undefined) continue;
    const head = headIn(bytes.subarray(at + 4, next < 0 ? undefined : next));
    objects.set(number, head);
    if (!/\/Type\s*\/ObjStm\b/.test(head)) continue;
    const begin = at + 4 + head.length;
    const end = bytes.indexOf('endstream', begin);
    if (end < 0) return;
    const unpacked = unpackedOf(bytes.subarray(begin, end), left);
    left -= unpacked.length;
    addPacked(head, unpacked, objects);
    next = bytes.indexOf(' obj', end); // packed bytes hold no openings
  }
}

/** The part of an object before its end, or before its stream. */
function headIn(object: Buffer): string {
  const [end = object.length] = ['endobj', 'stream']
    .map((word) => object.indexOf(word))
    .filter((place) => place >= 0)
    .sort((one, other) => one - other);
  return object.toString('latin1', 0, end);
}

/** A stream from its first word on. Empty if it is packed in another way, or into too much. */
function unpackedOf(stream: Buffer, most: number): string {
  const [opening] = /^stream\r?\n?/.exec(stream.toString('latin1', 0, 8)) ?? [];
  if (opening === undefined || most < 1) return '';
  try {
    return inflateSync(stream.subarray(opening.length), { maxOutputLength: most }).toString('latin1');
  } catch {
    return ''; // the reader of the document says what is wrong with it
  }
}

/** A stream of objects begins with their numbers and places. */
function addPacked(head: string, unpacked: string, objects: PdfObjects): void {
  const first = Number(/\/First\s+(\d{1,10})/.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(first)) return;
  const places = [...unpacked.slice(0, first).matchAll(/(\d{1,10})\s+(\d{1,10})/g)];
  for (const [index, [, number = '', at = '']] of places.entries()) {
    const next = places[index + 1]?.[2];
    objects.set(number, unpacked.slice(first + Number(at), next === undefined ? undefined : first + Number(next)));
  }
}
