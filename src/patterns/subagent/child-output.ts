// What another process handed back as a helper's output, judged before anything of it is used: its shape, the kinds of
// its artifacts, and that it does not contradict itself.

import type { JsonSchema, SchemaCheck, Violation } from '../../kernel/schema.ts';
import type { SubagentLimits } from '../../kernel/subagent.ts';
import { malformed } from './helper.ts';
import { brokenBy, type Ending, ERROR_CODES, type SubagentOutput } from './output.ts';
import { artifactsSchema, misfits } from './report.ts';

const bytes = { type: 'integer', minimum: 0 };

const outputSchema = (limits: SubagentLimits): JsonSchema => ({
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    summary: { type: 'string' },
    artifacts: artifactsSchema(limits.artifactKinds),
    error: {
      type: ['object', 'null'],
      properties: { code: { type: 'string', enum: [...ERROR_CODES] }, message: { type: 'string' } },
      required: ['code', 'message'],
      additionalProperties: false,
    },
    timed_out: { type: 'boolean' },
    duration_ms: { type: 'number', minimum: 0 },
    truncated: {
      type: 'array',
      maxItems: 128,
      items: {
        type: 'object',
        properties: { field: { type: 'string', maxLength: 64 }, original_bytes: bytes, kept_bytes: bytes },
        required: ['field', 'original_bytes', 'kept_bytes'],
        additionalProperties: false,
      },
    },
  },
  required: ['success', 'summary', 'artifacts', 'error', 'timed_out', 'duration_ms', 'truncated'],
  additionalProperties: false,
});

export function endingOfOutput(value: unknown, limits: SubagentLimits, check: SchemaCheck): Ending {
  const shape = check(outputSchema(limits), value);
  if (shape.length > 0) return brokenBy('validation', malformed(shape));
  const output = value as SubagentOutput;
  const violations = contradictions(output);
  if (violations.length > 0) return brokenBy('validation', malformed(violations));
  const { summary, artifacts, error, truncated } = output;
  if (error === null) return { kind: 'reported', report: { summary, artifacts }, truncated };
  return { kind: 'broken', error, ...(summary !== '' && { partial: summary }), truncated };
}

function contradictions({ success, summary, artifacts, error, timed_out }: SubagentOutput): readonly Violation[] {
  const found: Violation[] = [...misfits(artifacts)];
  if (success !== (error === null))
    found.push({ path: '$.error', message: 'must be null for a success, and only then' });
  if (success && summary === '') found.push({ path: '$.summary', message: 'must not be empty' });
  if (timed_out !== (error?.code === 'timeout')) {
    found.push({ path: '$.timed_out', message: 'must be true for the error "timeout", and only then' });
  }
  return found;
}
