// What a person is asked before a call is made: the call, what it would do, and how far a yes reaches. The terminal,
// the command line and every other surface show the question from this data alone.

import type { ToolCall, ToolResult } from './message.ts';

/** What a call would do, as its tool describes it. Secrets have been removed from it. */
export type Preview = (
  | {
      readonly kind: 'diff';
      /** The files that would change, relative to the workspace. */
      readonly paths: readonly string[];
      /** A unified diff. */
      readonly text: string;
    }
  | {
      readonly kind: 'command';
      readonly command: string;
      /** The folder it would run in. */
      readonly cwd: string;
      /** What keeps it from the rest of the machine, in words. */
      readonly sandbox: string;
    }
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly url: string;
      /** The address that redirected there. Absent: the call names it itself. */
      readonly from?: string;
    }
) & {
  /** No entry of `trust` covers the call. */
  readonly always?: true;
  /** Absent: a yes for the rest of the run covers every call of the tool by the agent. */
  readonly rest?: RestOfRun;
  /**
   * The state that the preview was made from, such as a digest of the file. The tool gets it back with the call, and
   * refuses a call whose state is no longer what the person saw.
   */
  readonly basis?: string;
};

/** The calls that a yes for the rest of the run covers, if those are not all calls of the tool. */
export interface RestOfRun {
  /** Calls with the same key are covered. */
  readonly key: string;
  /** Which calls these are: `with exactly this command`. */
  readonly words: string;
  /** Any yes is for the rest of the run, and for all of its agents: it is about what is reached, and not about the call. */
  readonly once?: true;
}

/** Whether a person has to be asked about a call, and what they are shown. */
export type PreviewAnswer =
  | { readonly kind: 'shown'; readonly preview: Preview }
  /** `by`: the entry of `trust` that names the call. */
  | { readonly kind: 'trusted'; readonly by: string }
  /** The call cannot work, so nobody is asked. The model gets the text. */
  | { readonly kind: 'refused'; readonly text: string };

/** What came of a call, or what a person has to see before it goes on: it found out by itself that it needs a yes. */
export interface CallResult extends ToolResult {
  readonly asks?: Preview;
  /** Where the tool comes from, with `asks`: the session of a trusted tool does not know. */
  readonly source?: string;
}

/** What a person is asked to approve: the call, which tool it goes to, and what it would do. */
export interface AskedCall extends ToolCall {
  readonly source?: string;
  readonly preview?: Preview;
}

/** What is known of the tool itself. It is not recorded: it comes from the definitions that the run was built from. */
export interface AskedTool {
  /** What happens to a call that breaks off: it is made again, it is not, or the tool finds out what it did. */
  readonly repeat: 'safe' | 'never' | 'decided';
  /** What a REST call would send, without its headers. Secrets have been removed from it. */
  readonly request?: { readonly method: string; readonly url: string };
}

export const approvalPrompt = (agent: string, { name, source }: AskedCall): string =>
  `${agent} wants to call ${name}${source === undefined ? '' : ` (${source})`}`;

/**
 * Identifies the question. A yes for the rest of the run answers this question again: the prompt names agent, tool and
 * source, and the tool may narrow it to the same action.
 */
export function questionKey(prompt: string, about: unknown): string {
  const { key = null, once = false } = previewOf(about)?.rest ?? {};
  return JSON.stringify([once ? null : prompt, key]);
}

/** What a yes for the rest of the run covers, for the person who may give it. */
export function restWords(about: unknown): string {
  const { name = 'the tool' } = (about ?? {}) as Partial<AskedCall>;
  const { words: narrower, once } = previewOf(about)?.rest ?? {};
  if (once === true && narrower !== undefined) return `further calls by any agent of this run ${narrower}`;
  return `further calls of ${name} by this agent${narrower === undefined ? '' : ` ${narrower}`}`;
}

/** `about` comes from a record, so it may be anything. */
export function previewOf(about: unknown): Preview | undefined {
  const { preview } = (about ?? {}) as { readonly preview?: Preview };
  return ['diff', 'command', 'request'].includes(String(preview?.kind)) ? preview : undefined;
}
