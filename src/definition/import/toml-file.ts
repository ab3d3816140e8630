// TOML as a tree of ours.

import { parse } from 'smol-toml';
import type { Source } from '../source.ts';
import type { ForeignFile } from './dialect.ts';
import { nodeOf } from './nodes.ts';

/** A text can be far longer than an agent needs, and takes long to parse. */
const MAX_TOML = 262_144;
const MAX_DEPTH = 64;

/** Throws an error that says what is wrong. */
export function readToml({ text }: Source): ForeignFile {
  if (text.length > MAX_TOML) throw new Error(`it has ${text.length} characters, and the limit is ${MAX_TOML}`);
  const tree = nodeOf(parse(text.replace(/^\uFEFF/, ''), { maxDepth: MAX_DEPTH }), { start: 0, end: 0 });
  return {
    tree: tree.kind === 'map' ? tree : { kind: 'map', entries: new Map(), start: 0, end: 0 },
    body: '',
    isYaml: true,
  };
}
