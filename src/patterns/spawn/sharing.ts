// A session that was given a shared context: it stands in its system prompt, and can be read by key. So can what
// earlier runs of its family were given, which does not stand in its prompt.

import type { SessionTool } from '../../kernel/session-tool.ts';
import type { Wrap } from '../pattern.ts';
import { injected, sharedContextTool } from './shared-context.ts';

/** `reader` reads back what was cut out of a result that a spawned run got, and whoever works on it with that run. */
export const sharing =
  (reader: SessionTool | undefined): Wrap =>
  (inner) =>
  (input) => {
    const { shared, family, handles, sharedHandles } = input.request;
    const isGiven = handles !== undefined || sharedHandles !== undefined;
    const isReader = reader !== undefined && (input.trigger.kind === 'spawn' || isGiven);
    const isSharing = shared !== undefined || family !== undefined;
    if (!isSharing && !isReader) return inner(input);
    const tools = [
      ...(input.tools ?? []),
      ...(isReader ? [reader] : []),
      ...(isSharing ? [sharedContextTool(shared, family)] : []),
    ];
    if (shared === undefined) return inner({ ...input, tools });
    const preamble = [input.preamble, injected(shared)].filter((part) => part !== undefined).join('\n\n');
    return inner({ ...input, preamble, tools });
  };
