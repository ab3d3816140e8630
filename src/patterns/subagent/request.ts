// The request of a model to a helper, checked and held to the limits. Bad input is an error of the tool's own output.

import { byteLength } from '../../base/text/bytes.ts';
import type { RunInput } from '../../kernel/effect.ts';
import type { ToolCall, ToolSpec } from '../../kernel/message.ts';
import { type JsonSchema, listViolations, type SchemaCheck, type Violation } from '../../kernel/schema.ts';
import { malformedArguments } from '../../kernel/session/notices.ts';
import { SUBAGENT, type SubagentLimits, type SubagentRequest } from '../../kernel/subagent.ts';
import type { SubagentError } from './output.ts';

const MAX_FILES = 32;

const parametersOf = (limits: SubagentLimits): JsonSchema => ({
  type: 'object',
  properties: {
    task: { type: 'string', minLength: 1, description: 'The objective, complete in itself.' },
    context: { type: 'string', description: 'What the sub-agent must know beside the task. It knows nothing else.' },
    files: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 4096 },
      maxItems: MAX_FILES,
      description: 'Files of the workspace that it is given to read, as relative paths.',
    },
    max_iterations: {
      type: 'integer',
      minimum: 1,
      description: `Model turns at most. Default and limit: ${limits.maxIterations}.`,
    },
    timeout_seconds: {
      type: 'integer',
      minimum: 1,
      description: `Seconds at most. Default and limit: ${limits.timeoutSeconds}.`,
    },
  },
  required: ['task'],
  additionalProperties: false,
});

export const subagentSpec = (limits: SubagentLimits): ToolSpec => ({
  name: SUBAGENT,
  description:
    'Delegates one bounded task to a fresh sub-agent that knows only what you give it here, and that can list, read ' +
    'and search files but change nothing. Answers with JSON: success, summary, artifacts, error, ' +
    'error_code, timed_out, duration_ms, truncated.',
  parameters: parametersOf(limits),
});

type Reading = { readonly request: SubagentRequest } | { readonly refused: SubagentError };

export function readRequest(call: ToolCall, spec: ToolSpec, limits: SubagentLimits, check: SchemaCheck): Reading {
  if (call.malformed !== undefined) return refused('invalid_input', malformedArguments(SUBAGENT, call.malformed));
  const violations = check(spec.parameters, call.arguments);
  if (violations.length > 0) return wrong(violations);
  const { task, context, files = [], max_iterations, timeout_seconds } = call.arguments as Given;
  if (task.trim() === '') return wrong([{ path: '$.task', message: 'must not be blank' }]);
  const bytes = [task, context ?? '', ...files].reduce((sum, text) => sum + byteLength(text), 0);
  if (bytes > limits.maxInputBytes) {
    return refused(
      'input_too_large',
      `Task, context and files take ${bytes} bytes, and subagent.maxInputBytes is ${limits.maxInputBytes}. ` +
        'Name files instead of pasting them, or split the task.',
    );
  }
  return {
    request: {
      task,
      ...(context !== undefined && { context }),
      files: [...new Set(files)],
      maxIterations: Math.min(max_iterations ?? limits.maxIterations, limits.maxIterations),
      timeoutSeconds: Math.min(timeout_seconds ?? limits.timeoutSeconds, limits.timeoutSeconds),
    },
  };
}

/** The request, as the input of the helper's run. */
export const runInputOf = ({ task, ...data }: SubagentRequest): RunInput => ({ text: task, data });

export const requestIn = ({ text, data }: RunInput): SubagentRequest => ({
  ...(data as Omit<SubagentRequest, 'task'>),
  task: text,
});

interface Given {
  readonly task: string;
  readonly context?: string;
  readonly files?: readonly string[];
  readonly max_iterations?: number;
  readonly timeout_seconds?: number;
}

const refused = (code: SubagentError['code'], message: string): Reading => ({ refused: { code, message } });

const wrong = (violations: readonly Violation[]): Reading =>
  refused('invalid_input', `The arguments of ${SUBAGENT} do not satisfy its schema:\n${listViolations(violations)}`);
