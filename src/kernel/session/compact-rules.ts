// The key `compact` of an agent, as its sessions get it, and the most compactions that it can lead to.

import type { SessionTool } from './session-tool.ts';

/** The key `compact` of an agent, with the parts that the session needs for it. */
export interface CompactRules {
  /** The turns that stay word for word. */
  readonly keep: number;
  /** The models that write the summary, if they are not the session's own. */
  readonly models?: readonly string[];
  /** Quotes the words of a summary, so that no line of them looks like a heading of the runtime. */
  quote(text: string): string;
  /** Opens the handle to what was replaced, for a session that has no such tool. */
  readonly reader: SessionTool;
}

/** The turns that stay where a file does not say how many. */
export const USUAL_KEEP = 4;

/** The calls by which a compaction may add to the turns of a session. */
export const mostCompactions = (maxTurns: number, keep: number): number =>
  Math.max(0, Math.floor((maxTurns - 1) / keep));
