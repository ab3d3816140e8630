// The output of a call of `subagent`: the same keys in the same order, whatever happened. The record of the helper's run
// holds all of them, so the same output can be made of it at any time.

import { byteLength } from '../../base/text/bytes.ts';
import { type BrokenOutcome, isBroken, type Outcome } from '../../kernel/outcome.ts';
import type { OpPath } from '../../kernel/path.ts';
import type { Artifact, Cut, SubagentErrorCode, SubagentLimits, SubagentRecord } from '../../kernel/subagent.ts';
import { jsonLine } from '../quote-text.ts';
import { capError, capReport, type Report } from './cap.ts';

export interface SubagentError {
  readonly code: SubagentErrorCode;
  readonly message: string;
}

export interface SubagentOutput {
  readonly success: boolean;
  readonly summary: string;
  readonly artifacts: readonly Artifact[];
  /** `<code>: <message>`. */
  readonly error: string | null;
  readonly error_code: SubagentErrorCode | null;
  readonly timed_out: boolean;
  readonly duration_ms: number;
  readonly truncated: readonly Cut[];
}

/** The end of a helper, before its output is made and capped. */
export type Ending =
  | { readonly kind: 'reported'; readonly report: Report }
  | {
      readonly kind: 'broken';
      readonly error: SubagentError;
      /** The text that it wrote until then. */
      readonly partial?: string;
    };

export const brokenBy = (code: SubagentErrorCode, message: string, partial?: string): Ending => ({
  kind: 'broken',
  error: { code, message },
  ...(partial !== undefined && partial !== '' && { partial }),
});

/** The one place where an output is made. */
export function outputOf(ending: Ending, limits: SubagentLimits, tookMs: number): SubagentOutput {
  const report = ending.kind === 'reported' ? ending.report : { summary: ending.partial ?? '', artifacts: [] };
  const capped = capReport(report, limits.maxOutputBytes);
  const error = ending.kind === 'reported' ? undefined : ending.error;
  const told = error && capError(prefixOf(error.code), error.message);
  return {
    success: ending.kind === 'reported',
    summary: capped.report.summary,
    artifacts: capped.report.artifacts.map(({ kind, value }) => ({ kind, value })),
    error: told?.text ?? null,
    error_code: error?.code ?? null,
    timed_out: error?.code === 'timeout',
    duration_ms: Math.max(0, Math.round(tookMs)),
    truncated: [...capped.truncated, ...(told?.cut ?? [])],
  };
}

const prefixOf = (code: SubagentErrorCode): string => `${code}: `;

export const outputText = (output: SubagentOutput): string => jsonLine(output);

/** The output that the record of a helper's run stands for. */
export function recordedOutput(outcome: Outcome, record: SubagentRecord): SubagentOutput {
  const { status, artifacts, error, error_code, duration_ms, truncated } = record;
  return {
    success: status === 'success',
    summary: ('text' in outcome ? outcome.text : (outcome as BrokenOutcome).partial) ?? '',
    artifacts,
    error,
    error_code,
    timed_out: status === 'timed_out',
    duration_ms,
    truncated,
  };
}

/** From this many bytes on, a result can be moved out of a full conversation and read back by its handle. */
const WORTH_A_HANDLE = 400;

/** The outcome of a helper's run: its summary stands in the outcome, and the rest of the output in the record. */
export function withRecord(outcome: Outcome, output: SubagentOutput, startedAt: number, self: OpPath): Outcome {
  const { success, summary, artifacts, error, error_code, timed_out, duration_ms, truncated } = output;
  const record: SubagentRecord = {
    status: success ? 'success' : timed_out ? 'timed_out' : 'error',
    started_at: startedAt,
    duration_ms,
    artifacts,
    error,
    error_code,
    truncated,
  };
  const rest = { ...(byteLength(outputText(output)) >= WORTH_A_HANDLE && { handle: self }), record };
  if (!isBroken(outcome))
    return { kind: 'answered', ...(outcome.agent !== undefined && { agent: outcome.agent }), text: summary, ...rest };
  const { partial: _, ...why } = outcome;
  return { ...why, ...(summary !== '' && { partial: summary }), ...rest };
}

export const lateMessage = (seconds: number): string =>
  `The sub-agent did not finish within ${seconds} s and was ended. Ask for less, or give it more time.`;
