// Checks what another process handed back as a helper's output before any of it is used: its shape, the kinds of
// its artifacts, and that it does not contradict itself.

import type { JsonSchema, SchemaCheck, Violation } from '../../kernel/schema.ts';
import type { SubagentLimits } from '../../kernel/subagent.ts';
import { malformed } from './helper.ts';
import { brokenBy, type Ending, ERROR_CODES, prefixOf, type SubagentOutput } from './output.ts';
import { artifactsSchema, misfits } from './report.ts';

const bytes = { type: 'integer', minimum: 0 };

const outputSchema = (limits: SubagentLimits): JsonSchema => ({
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    summary: { type: 'string' },
    artifacts: artifactsSchema(limits.artifactKinds),
    error: { type: ['string', 'null'] },
    error_code: { enum: [...ERROR_CODES, null] },
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
  required: ['success', 'summary', 'artifacts', 'error', 'error_code', 'timed_out', 'duration_ms', 'truncated'],
  additionalProperties: false,
});

export function endingOfOutput(value: unknown, limits: SubagentLimits, check: SchemaCheck): Ending {
  const shape = check(outputSchema(limits), value);
  if (shape.length > 0) return brokenBy('validation', malformed(shape));
  const output = value as SubagentOutput;
  const violations = contradictions(output);
  if (violations.length > 0) return brokenBy('validation', malformed(violations));
  const { summary, artifacts, error, error_code: code, truncated } = output;
  if (error === null || code === null) return { kind: 'reported', report: { summary, artifacts }, truncated };
  const message = error.slice(prefixOf(code).length);
  return { kind: 'broken', error: { code, message }, ...(summary !== '' && { partial: summary }), truncated };
}

function contradictions(output: SubagentOutput): readonly Violation[] {
  const { success, summary, artifacts, error, error_code: code, timed_out } = output;
  const found: Violation[] = [...misfits(artifacts)];
  if (success !== (error === null))
    found.push({ path: '$.error', message: 'must be null for a success, and only then' });
  if ((error === null) !== (code === null))
    found.push({ path: '$.error_code', message: 'must be null where the error is, and only then' });
  else if (error !== null && code !== null && !error.startsWith(prefixOf(code)))
    found.push({ path: '$.error', message: `must begin with "${prefixOf(code)}"` });
  if (success && summary === '') found.push({ path: '$.summary', message: 'must not be empty' });
  if (timed_out !== (code === 'timeout')) {
    found.push({ path: '$.timed_out', message: 'must be true for the error code "timeout", and only then' });
  }
  return found;
}
