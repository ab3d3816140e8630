// The question that a person gets before a call is made: the call, its effect, and the reach of a yes. The terminal,
// the command line and every other surface show the question from this data alone.

import type { ToolCall, ToolResult } from './message.ts';

/** The effect of a call, as its tool describes it. Secrets have been removed from it. */
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
      /** The wall between it and the rest of the machine, in words. */
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
  /** The calls that a yes covers, in words: `with exactly this command`. */
  readonly words: string;
  /** Any yes is for the rest of the run, and for all of its agents: it is about what is reached, and not about the call. */
  readonly once?: true;
}

/** `basis` of a call that a person approved, where the tool itself gives none. Tools do not see it. */
export const ASKED_FIRST = 'asked';

/** The tool says if a person has to be asked about a call, and gives the text that they see. */
export type PreviewAnswer =
  | { readonly kind: 'shown'; readonly preview: Preview }
  /** They see the arguments alone. `by`: the entry of `approve` that names the call. */
  | { readonly kind: 'asks'; readonly by: string }
  /** `by`: the entry of `trust` that names the call. */
  | { readonly kind: 'trusted'; readonly by: string }
  /** The call itself ends with what denies it. `by`: the entry of `deny` that names it. */
  | { readonly kind: 'denied'; readonly by: string }
  /** No rule names the call, and its tool asks nobody by default. */
  | { readonly kind: 'free' }
  /** The call cannot work, so nobody is asked. The model gets the text. */
  | { readonly kind: 'refused'; readonly text: string };

/**
 * The result of a call, or the preview that a person has to see before it goes on: it found out by itself that it needs
 * a yes.
 */
export interface CallResult extends ToolResult {
  readonly asks?: Preview;
  /** The source of the tool, with `asks`: the session of a trusted tool does not know it. */
  readonly source?: string;
  /** The entry of the agent's rules that decided whether a person is asked. Absent: the tool's default did. */
  readonly rule?: { readonly verdict: 'asks' | 'trusted'; readonly entry: string };
  /** The verdict of a command that judges an answer, and how it ended. The text is the end of its output. */
  readonly judged?: { readonly good: boolean; readonly end: string };
}

/** A call that a person is asked to approve: the tool that it goes to, and its effect. */
export interface AskedCall extends ToolCall {
  readonly source?: string;
  readonly preview?: Preview;
}

/** Facts of the tool itself. They are not recorded: they come from the definitions that the run was built from. */
export interface AskedTool {
  /** The fate of a call that breaks off: it is made again, it is not, or the tool finds out what it did. */
  readonly repeat: 'safe' | 'never' | 'decided';
  /** The request that a REST call would send, without its headers. Secrets have been removed from it. */
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

/** Words for a yes for the rest of the run, to the person who may give it: the calls that it covers. */
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
