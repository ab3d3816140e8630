// A tool changes nothing if its source says so: a server says it itself, a REST tool by its method, and of Cadre's own
// those that need not ask.

import { isBuiltIn } from '../../definition/built-in-tools.ts';
import type { CadreConfig } from '../../definition/definition.ts';
import type { BoxedTool } from '../../tools/toolbox.ts';

/** Undefined where the source does not say. */
export function changesNothing(
  { tool, address }: BoxedTool,
  { restTools }: Pick<CadreConfig, 'restTools'>,
): boolean | undefined {
  if (address.startsWith('mcp:')) return tool.readOnly;
  if (address.startsWith('rest:')) return restTools[address.slice('rest:'.length)]?.method === 'GET';
  const [source = ''] = address.split('/', 1);
  return isBuiltIn(source) ? tool.asks === undefined : undefined;
}
