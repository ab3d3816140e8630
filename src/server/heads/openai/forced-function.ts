// The function that a chat completion must call, if the client offers it alone and forces it.

import type { JsonObject } from '../../../base/text/json.ts';
import { invalid, isFields, shortValue } from '../fields.ts';
import { type ForcedTool, forcedTool, toolList } from '../forced-tool.ts';

export function forcedFunction(body: JsonObject): ForcedTool | undefined {
  const tools = toolList(body);
  const [first, ...others] = tools;
  const given = first?.['type'] === 'function' && isFields(first['function']) ? first['function'] : undefined;
  const only = given && others.length === 0 ? { name: given['name'], schema: given['parameters'] } : undefined;
  return forcedTool({ only, count: tools.length, forced: forcedIn(body['tool_choice']) });
}

function forcedIn(choice: unknown): string | undefined {
  if (choice === undefined || choice === null || choice === 'auto' || choice === 'none') return undefined;
  if (choice === 'required') return 'any';
  const named = isFields(choice) && isFields(choice['function']) ? choice['function']['name'] : undefined;
  return typeof named === 'string' ? named : invalid('tool_choice', `is ${shortValue(choice)}, which is not known.`);
}
