// A session that was given a shared context: it stands in its system prompt, and can be read by key.

import type { SessionTool } from '../../kernel/session-tool.ts';
import type { Wrap } from '../pattern.ts';
import { injected, sharedContextTool } from './shared-context.ts';

/** `reader` reads back what was cut out of a result that a spawned run got. */
export const sharing =
  (reader: SessionTool | undefined): Wrap =>
  (inner) =>
    function* (input) {
      const { shared } = input.request;
      const tools: SessionTool[] = [];
      if (reader !== undefined && input.trigger.kind === 'spawn') tools.push(reader);
      if (shared === undefined) {
        return yield* inner(tools.length === 0 ? input : { ...input, tools: [...(input.tools ?? []), ...tools] });
      }
      const preamble = [input.preamble, injected(shared)].filter((part) => part !== undefined).join('\n\n');
      return yield* inner({ ...input, preamble, tools: [...(input.tools ?? []), ...tools, sharedContextTool(shared)] });
    };
