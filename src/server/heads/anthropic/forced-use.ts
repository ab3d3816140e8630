// The tool that a message must use, if the client offers it alone and forces it.

import type { JsonObject } from '../../../base/text/json.ts';
import { invalid, isFields, shortValue } from '../fields.ts';
import { type ForcedTool, forcedTool, toolList } from '../forced-tool.ts';

export function forcedUse(body: JsonObject): ForcedTool | undefined {
  const tools = toolList(body);
  const [first, ...others] = tools;
  const isOwn = first?.['input_schema'] !== undefined;
  const only =
    first && isOwn && others.length === 0 ? { name: first['name'], schema: first['input_schema'] } : undefined;
  return forcedTool({ only, count: tools.length, forced: forcedIn(body['tool_choice']) });
}

function forcedIn(choice: unknown): string | undefined {
  if (choice === undefined || choice === null) return undefined;
  const { type, name } = isFields(choice) ? choice : ({} as JsonObject);
  if (type === 'auto' || type === 'none') return undefined;
  if (type === 'any') return 'any';
  return type === 'tool' && typeof name === 'string'
    ? name
    : invalid('tool_choice', `is ${shortValue(choice)}, which is not known.`);
}
