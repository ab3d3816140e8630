// The data of a bounded delegation: what a helper is asked, within which limits, and what comes back. Only shapes; the
// tool and its rules are a pattern, and the world decides where a helper runs.

import type { FaultCode } from './fault.ts';
import type { OpPath } from './path.ts';
import type { Count, Usage } from './usage.ts';

/** The name of the tool. */
export const SUBAGENT = 'subagent';

export const ARTIFACT_KINDS = ['note', 'path', 'diff', 'json'] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

/** The limits of an agent's file, capped by the cadre's own limits. */
export interface SubagentLimits {
  readonly maxDepth: number;
  readonly maxIterations: number;
  readonly timeoutSeconds: number;
  readonly maxInputBytes: number;
  readonly maxOutputBytes: number;
  readonly artifactKinds: readonly ArtifactKind[];
  readonly runner: 'in-process' | 'subprocess';
}

/** The request of a call, checked and held to the limits. */
export interface SubagentRequest {
  readonly task: string;
  readonly context?: string;
  readonly files: readonly string[];
  readonly maxIterations: number;
  readonly timeoutSeconds: number;
}

/** One thing that a helper hands back beside its summary. */
export interface Artifact {
  readonly kind: ArtifactKind;
  readonly value: string;
}

/** A part of an output that was cut. */
export interface Cut {
  /** `summary`, `artifacts[2].value` or `error`. */
  readonly field: string;
  readonly original_bytes: number;
  readonly kept_bytes: number;
}

export const SUBAGENT_ERRORS = [
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

export type SubagentErrorCode = (typeof SUBAGENT_ERRORS)[number];

/** The result of a helper's call, without its summary. It stands in the end of the helper's run, beside the outcome. */
export interface SubagentRecord {
  readonly status: 'success' | 'timed_out' | 'error';
  readonly started_at: number;
  readonly duration_ms: number;
  readonly artifacts: readonly Artifact[];
  /** `<code>: <message>`. */
  readonly error: string | null;
  readonly error_code: SubagentErrorCode | null;
  readonly truncated: readonly Cut[];
  /** The calls of a helper in its own process, in journals of 0.2.0. Since then they are ops. */
  readonly calls?: readonly SubagentCall[];
}

/** A model call of a helper in its own process, in journals of 0.2.0. */
export interface SubagentCall {
  /** The session that made it, as its process calls it: `0` is the helper's own, `0.5` that of a helper of it. */
  readonly session?: OpPath;
  readonly turn: number;
  readonly model: string;
  readonly status: 'ok' | 'failed' | 'in-doubt';
  readonly usage?: Usage;
  readonly usd?: number;
  /** The budget's count, if it is not the reported one. */
  readonly counted?: Count;
  readonly fault?: FaultCode;
  readonly started_at: number;
  /** Unknown for a call in doubt. */
  readonly ms?: number;
}

const SUFFIX = '/subagent';

/** The name under which a helper's calls are counted. No agent file's name has a slash, so the names cannot clash. */
export const helperName = (agent: string): string => (isHelper(agent) ? agent : `${agent}${SUFFIX}`);

export const isHelper = (name: string): boolean => name.endsWith(SUFFIX);

/** The agent in whose file the helper's limits stand. */
export const ownerOf = (helper: string): string => (isHelper(helper) ? helper.slice(0, -SUFFIX.length) : helper);
