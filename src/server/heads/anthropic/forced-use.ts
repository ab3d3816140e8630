// The tool that a message must use, if the client offers it alone and forces it.

import { invalid, isFields, shortValue } from '../fields.ts';
import { type ForcedTool, forcedTool } from '../forced-tool.ts';
import type { MessagesRequest } from './parameters.ts';

export function forcedUse({ tools, tool_choice: choice }: MessagesRequest): ForcedTool | undefined {
  const [first, ...others] = tools ?? [];
  const isOwn = first?.input_schema !== undefined && others.length === 0;
  const only = first && isOwn ? { name: first.name, schema: first.input_schema } : undefined;
  return forcedTool({ only, count: tools?.length ?? 0, forced: forcedIn(choice) });
}

function forcedIn(choice: unknown): string | undefined {
  if (choice === undefined || choice === null) return undefined;
  const { type, name } = isFields(choice) ? choice : {};
  if (type === 'auto' || type === 'none') return undefined;
  if (type === 'any') return 'any';
  return type === 'tool' && typeof name === 'string'
    ? name
    : invalid('tool_choice', `is ${shortValue(choice)}, which is not known.`);
}
