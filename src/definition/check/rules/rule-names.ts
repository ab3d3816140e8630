// The names that entries of `approve`, `trust` and `deny` may have, as the check knows them before anything is opened.

import { BUILT_IN_SOURCES, builtInTools, isBuiltIn } from '../../built-in-tools.ts';
import type { CadreConfig } from '../../definition.ts';

/** A name with its source: `files/read_file` for `read_file`, `rest:weather` for `weather`. A source of one tool is that tool. */
export function fullName(name: string, { restTools }: CadreConfig): string {
  const source = Object.keys(BUILT_IN_SOURCES).find((one) =>
    builtInTools(one).some((tool) => name === tool || name === `${one}/${tool}`),
  );
  if (source !== undefined)
    return builtInTools(source).length === 1 ? source : `${source}/${name.replace(/^.*\//, '')}`;
  return Object.hasOwn(restTools, name) ? `rest:${name}` : name;
}

/** True if all tools that the second name means are meant by the first one. Both are full names. */
export const meansAllOf = (wider: string, name: string): boolean => wider === name || name.startsWith(`${wider}/`);

/** The source of Cadre's own that a full name is of, or is. */
export const builtInSourceOf = (full: string): (typeof BUILT_IN_SOURCES)[string] | undefined => {
  const source = full.split('/', 1)[0] ?? full;
  return isBuiltIn(source) ? BUILT_IN_SOURCES[source] : undefined;
};

/**
 * The arguments of the tools that a full name means, where they are known without opening anything: those of Cadre's own
 * tools and of REST declarations.
 */
export function knownArguments(full: string, { restTools }: CadreConfig): readonly string[] | undefined {
  const own = builtInSourceOf(full);
  if (own !== undefined) {
    const [, single] = full.split('/', 2);
    return single === undefined ? [...new Set(Object.values(own.tools).flat())] : own.tools[single];
  }
  const [, rest = ''] = /^rest:(.+)$/.exec(full) ?? [];
  if (!Object.hasOwn(restTools, rest)) return undefined;
  const { schema } = restTools[rest]!.input;
  const properties = typeof schema === 'object' ? schema['properties'] : undefined;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}
