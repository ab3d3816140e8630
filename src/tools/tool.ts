// The contract of a tool: a spec that models see, and an execution that the world performs.

import type { AskedTool, CallResult, Preview } from '../kernel/approval.ts';
import type { FileChange } from '../kernel/change.ts';
import type { FileRef } from '../kernel/file-ref.ts';
import type { ToolResult, ToolSpec } from '../kernel/message.ts';
import type { Redactor } from '../kernel/redacted.ts';
import type { ServerAnswer, ServerQuestion, UnfinishedCall } from '../kernel/server-question.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import type { ComparedCall } from '../rules/compared-call.ts';

export interface ToolContext {
  readonly signal: AbortSignal;
  /** Stable for this call across crashes: derived from run and op path. For servers that know idempotency keys. */
  readonly callKey: string;
  /** The time that the call may take. Absent: as long as it needs. */
  readonly timeoutMs?: number;
  /** A line of progress for those who watch the run; never stored. */
  progress(text: string): void;
  /** Takes secrets out of a text before it is cut. The result as a whole is redacted anyway. */
  readonly redactor: Redactor;
  /** `basis` of the preview that a person approved. Absent if nobody was asked, or the preview had none. */
  readonly basis?: string | undefined;
  /** The call judges an answer: it may take all of its time, and its result has a verdict. */
  readonly judges?: true | undefined;
  /** No rule of the agent has to see where else the call leads. */
  readonly isTrusted?: boolean;
  /**
   * Judges the call again by the paths that it really opened, which may be others than a moment ago. Throws if the rules of
   * the agent do not let it. Absent: no rule looks at what a call is about.
   */
  readonly admits?: ((paths: NonNullable<Extract<ComparedCall, { kind: 'arguments' }>['paths']>) => void) | undefined;
  /**
   * Asks a person what a server wants to know. The time of the call stands still meanwhile. `until` closes the question.
   * Absent where no person can be asked.
   */
  readonly ask?: ((question: ServerQuestion, until: AbortSignal) => Promise<ServerAnswer>) | undefined;
  /** The time of the call stands still while this goes on. */
  standStill?<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The call that waited for an answer when the process died goes on from this. */
  readonly unfinished?: UnfinishedCall | undefined;
  /** The recorder for tools that change files. Absent where no change can be recorded. */
  readonly changes?: ChangeRecorder | undefined;
}

export interface PreviewContext {
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
}

/** Records what a call is about to change. */
export interface ChangeRecorder {
  /** The change that this call had recorded when the process died, if it is made again. */
  readonly intended?: FileChange | undefined;
  /** Keeps bytes that hold no secret in the store of the run, and returns their digest. */
  keep(bytes: Uint8Array): Promise<string>;
  /** When it returns, the intent survives the death of this process. The change comes after it. */
  intend(change: FileChange): Promise<void>;
}

export interface Tool {
  readonly spec: ToolSpec;
  /** Its name at its source, where models cannot use that name. */
  readonly nativeName?: string;
  /**
   * The fate of a call in doubt after a crash. `safe`: it is made again. `never`: the model is told that its outcome is
   * unknown. `decided`: it is made again, and finds out by its intent (`changes`) if it took effect.
   */
  readonly repeat: AskedTool['repeat'];
  /** True if its source says that a call changes nothing. Absent if it does not say. */
  readonly readOnly?: boolean;
  /** Every call waits for a person's yes unless the agent's `trust` names it. Absent: only if `approve` names the tool. */
  readonly asks?: 'unless-trusted';
  /**
   * The preview that a person sees before they are asked. Changes nothing. The arguments have passed `spec.parameters`.
   * A throw says that the call cannot work: the model gets the message, and nobody is asked.
   */
  preview?(input: unknown, context: PreviewContext): Preview | Promise<Preview>;
  /**
   * The side of a call that brackets of `approve`, `trust` and `deny` are compared with, as in `shell(npm test)`. Absent: the
   * arguments by their names. The arguments have passed `spec.parameters`. Never rejects.
   */
  compared?(input: unknown): ComparedCall | Promise<ComparedCall>;
  /** The arguments have passed `spec.parameters`. May throw: a throw is an error result for the model. */
  execute(input: unknown, context: ToolContext): Promise<ToolOutput>;
}

/** A file that a tool shows: its bytes, or one that lies in the store. */
export type ToolFile = { readonly name: string; readonly data: Uint8Array } | FileRef;

/** Text, a result whose `status` says that the tool itself reports an error, or what a person has to see first. */
export type ToolOutput =
  | string
  | (Pick<ToolResult, 'status' | 'text'> &
      Pick<CallResult, 'judged'> & {
        /** Pictures and documents that it shows, in the order of its text. */
        readonly files?: readonly ToolFile[];
      })
  | {
      readonly asks: Preview;
      /** The arguments that the agent's rules have to be asked about instead. Absent: a person is asked whatever they say. */
      readonly judgedAs?: unknown;
    };

/** The end of a call, as `invoke` tells it. */
export interface InvokedResult extends CallResult {
  readonly judgedAs?: unknown;
  readonly files?: readonly ToolFile[];
}

/** Something that offers tools by name: `files`, an MCP server, a REST declaration, functions. */
export interface ToolSource {
  readonly name: string;
  /** Counts the changes of its list of tools that it has heard of. Absent where the list never changes. */
  readonly revision?: number;
  /**
   * Opens the source on first use. Throws a `tool/source` fault that says what to do, or the signal's reason as soon as
   * that is aborted. Opening is given up once no caller waits for it any more.
   */
  tools(signal?: StopSignal): Promise<readonly Tool[]>;
  close(): Promise<void>;
}
