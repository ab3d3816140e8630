// What a call of `subagent` gives back: the same keys in the same order, whatever happened.

import { byteLength } from '../../base/text/bytes.ts';
import type { SubagentLimits, SubagentResult } from '../../kernel/subagent.ts';
import { jsonLine } from '../quote-text.ts';
import { type Cut, capError, capReport, type Report } from './cap.ts';

export const ERROR_CODES = [
  'not_enabled',
  'invalid_input',
  'input_too_large',
  'depth_exceeded',
  'start_failed',
  'timeout',
  'validation',
  'output_too_large',
  'iterations_exhausted',
  'over_budget',
  'cancelled',
  'failed',
] as const;

export type SubagentErrorCode = (typeof ERROR_CODES)[number];

export interface SubagentError {
  readonly code: SubagentErrorCode;
  readonly message: string;
}

export interface SubagentOutput {
  readonly success: boolean;
  readonly summary: string;
  readonly artifacts: Report['artifacts'];
  /** `<code>: <message>`. */
  readonly error: string | null;
  readonly error_code: SubagentErrorCode | null;
  readonly timed_out: boolean;
  readonly duration_ms: number;
  readonly truncated: readonly Cut[];
}

/** How a helper ended, before its output is made and capped. */
export type Ending =
  | { readonly kind: 'reported'; readonly report: Report; readonly truncated?: readonly Cut[] }
  | {
      readonly kind: 'broken';
      readonly error: SubagentError;
      /** What it wrote until then. */
      readonly partial?: string;
      readonly truncated?: readonly Cut[];
    };

export const brokenBy = (code: SubagentErrorCode, message: string, partial?: string): Ending => ({
  kind: 'broken',
  error: { code, message },
  ...(partial !== undefined && partial !== '' && { partial }),
});

interface Timing {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The one place where an output is made. */
export function outputOf(ending: Ending, limits: SubagentLimits, { startedAt, endedAt }: Timing): SubagentOutput {
  const report = ending.kind === 'reported' ? ending.report : { summary: ending.partial ?? '', artifacts: [] };
  const capped = capReport(report, limits.maxOutputBytes, ending.truncated);
  const error = ending.kind === 'reported' ? undefined : ending.error;
  const told = error && capError(prefixOf(error.code), error.message, ending.truncated);
  return {
    success: ending.kind === 'reported',
    summary: capped.report.summary,
    artifacts: capped.report.artifacts.map(({ kind, value }) => ({ kind, value })),
    error: told?.text ?? null,
    error_code: error?.code ?? null,
    timed_out: error?.code === 'timeout',
    duration_ms: Math.max(0, Math.round(endedAt - startedAt)),
    truncated: [...capped.truncated, ...(told?.cut ?? [])],
  };
}

const prefixOf = (code: SubagentErrorCode): string => `${code}: `;

export const outputText = (output: SubagentOutput): string => jsonLine(output);

/** From this many bytes on, a result can be moved out of a full conversation and read back by its handle. */
const WORTH_A_HANDLE = 400;

export function resultOf(ending: Ending, limits: SubagentLimits, timing: Timing, handle: string): SubagentResult {
  const output = outputOf(ending, limits, timing);
  const text = outputText(output);
  return {
    status: output.success ? 'ok' : 'error',
    text,
    ...(byteLength(text) >= WORTH_A_HANDLE && { handle }),
    record: {
      status: output.success ? 'success' : output.timed_out ? 'timed_out' : 'error',
      started_at: timing.startedAt,
      duration_ms: output.duration_ms,
    },
  };
}

export const lateMessage = (seconds: number): string =>
  `The sub-agent did not finish within ${seconds} s and was ended. Ask for less, or give it more time.`;
