// Gives a session its shared context: it stands in the system prompt, and a tool reads it by key. The tool also reads
// what earlier runs of its family were given, which the prompt does not show.

import type { SessionTool } from '../../kernel/session/session-tool.ts';
import type { Wrap } from '../pattern.ts';
import { sharedContextText, sharedContextTool } from './shared-context.ts';

/** `reader` is read_result, with which a session reads results that it got only in part. */
export const withSharedContext =
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
    const preamble = [input.preamble, sharedContextText(shared)].filter((part) => part !== undefined).join('\n\n');
    return inner({ ...input, preamble, tools });
  };
