// The key `subagent`.

import type { SubagentLimits } from '../../kernel/subagent.ts';
import { fallbacksOf, type KeySpec, type KeysForm } from '../key-form.ts';
import type { PatternToolContext } from '../pattern.ts';

export interface SubagentConfig extends SubagentLimits {
  readonly enabled: boolean;
}

const ARTIFACTS = ['note', 'path', 'diff', 'json'] as const satisfies SubagentLimits['artifactKinds'];

const subagentKeys: KeysForm = {
  kind: 'keys',
  keys: {
    enabled: {
      form: { kind: 'flag' },
      guidance: 'false keeps the tool, and answers every call that it is not enabled.',
      fallback: true,
    },
    maxDepth: {
      form: { kind: 'integer', min: 1, max: 8, cap: 'maxDepth' },
      guidance: 'The number of levels in which such helpers may nest.',
      fallback: 1,
    },
    maxIterations: {
      form: { kind: 'integer', min: 1, max: 100, cap: 'maxTurns' },
      guidance: 'Model turns of one helper.',
      fallback: 8,
    },
    timeoutSeconds: {
      form: { kind: 'number', min: 0, max: 3600, above: true },
      guidance: 'Deadline of one helper, in seconds.',
      fallback: 120,
    },
    maxOutputBytes: {
      form: { kind: 'integer', min: 256, max: 16_777_216 },
      guidance: 'A longer result is cut, and says so.',
      fallback: 65_536,
    },
    maxInputBytes: {
      form: { kind: 'integer', min: 256, max: 16_777_216 },
      guidance: 'A longer task, context and files together are refused.',
      fallback: 262_144,
    },
    artifactKinds: {
      form: { kind: 'list', of: { kind: 'choice', of: ARTIFACTS }, min: 1 },
      guidance: 'The kinds of artifacts that a helper may hand back.',
      fallback: ARTIFACTS,
    },
    runner: {
      form: { kind: 'choice', of: ['in-process', 'subprocess'] },
      guidance: 'Where a helper runs.',
      fallback: 'in-process',
    },
  },
};

export const subagentKey: KeySpec<SubagentConfig> = {
  form: { kind: 'by-value', scalar: { kind: 'flag' }, map: subagentKeys },
  guidance: 'Offers the bounded subagent tool. Also an object of its guardrails.',
  fallback: false,
  mayBeDefault: true,
  configOf: (value) =>
    value === false
      ? undefined
      : { ...(fallbacksOf(subagentKeys) as unknown as SubagentConfig), ...(value === true ? {} : (value as object)) },
};

/** The limits of the file, capped by those of the cadre. */
export const limitsOf = (
  limits: SubagentLimits,
  { maxTurns, maxDepth }: PatternToolContext['limits'],
): SubagentLimits => ({
  maxDepth: Math.min(limits.maxDepth, maxDepth),
  maxIterations: Math.min(limits.maxIterations, maxTurns),
  timeoutSeconds: Math.min(limits.timeoutSeconds, HARD_TIMEOUT_SECONDS),
  maxInputBytes: limits.maxInputBytes,
  maxOutputBytes: limits.maxOutputBytes,
  artifactKinds: limits.artifactKinds,
  runner: limits.runner,
});

/** No file can give a helper more than this. */
const HARD_TIMEOUT_SECONDS = 3600;
