// The function that a chat completion must call, if the client offers it alone and forces it.

import { invalid, isFields, shortValue } from '../fields.ts';
import { type ForcedTool, forcedTool } from '../forced-tool.ts';
import type { ChatRequest } from './parameters.ts';

export function forcedFunction({ tools, tool_choice: choice }: ChatRequest): ForcedTool | undefined {
  const [first, ...others] = tools ?? [];
  const given = first?.type === 'function' ? first.function : undefined;
  const only = given && others.length === 0 ? { name: given.name, schema: given.parameters } : undefined;
  return forcedTool({ only, count: tools?.length ?? 0, forced: forcedIn(choice) });
}

function forcedIn(choice: unknown): string | undefined {
  if (choice === undefined || choice === null || choice === 'auto' || choice === 'none') return undefined;
  if (choice === 'required') return 'any';
  const named = isFields(choice) && isFields(choice['function']) ? choice['function']['name'] : undefined;
  return typeof named === 'string' ? named : invalid('tool_choice', `is ${shortValue(choice)}, which is not known.`);
}
