// The answer of a helper: final_report({summary, artifacts?}), or plain text, which counts as the summary. It is judged
// here, also when it comes from another process.

import { jsonValue } from '../../base/text/json.ts';
import type { Routine } from '../../kernel/effect.ts';
import { errorResult, type ToolCall } from '../../kernel/message.ts';
import { type JsonSchema, listViolations, type SchemaCheck, type Violation } from '../../kernel/schema.ts';
import { FINAL_REPORT } from '../../kernel/session/final-report.ts';
import type { SessionTool, ToolAnswer } from '../../kernel/session/session-tool.ts';
import type { Artifact, ArtifactKind } from '../../kernel/subagent.ts';
import type { Report } from './cap.ts';

const MAX_ARTIFACTS = 64;

const artifactsSchema = (kinds: readonly ArtifactKind[]): JsonSchema => ({
  type: 'array',
  maxItems: MAX_ARTIFACTS,
  description: 'What you hand back beside the summary.',
  items: {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: [...kinds] },
      value: {
        type: 'string',
        description: 'Text for a note or a diff, a path relative to the workspace, or JSON written out as text.',
      },
    },
    required: ['kind', 'value'],
    additionalProperties: false,
  },
});

export function reportExit(agent: string, kinds: readonly ArtifactKind[], check: SchemaCheck): SessionTool {
  const parameters: JsonSchema = {
    type: 'object',
    properties: {
      summary: { type: 'string', minLength: 1, description: 'What you found or made, in few words.' },
      artifacts: artifactsSchema(kinds),
    },
    required: ['summary'],
    additionalProperties: false,
  };
  return {
    spec: { name: FINAL_REPORT, description: 'Give your report. This ends your work.', parameters },
    validatesItself: true,
    exits: () => true,
    fromText: (text) => ({ summary: text }),
    *run(call: ToolCall): Routine<ToolAnswer> {
      const malformed = check(parameters, call.arguments);
      const violations = malformed.length > 0 ? malformed : misfits((call.arguments as Partial<Report>).artifacts);
      if (violations.length > 0) return { refused: errorResult(repair(violations)), violations };
      const { summary, artifacts = [] } = call.arguments as Pick<Report, 'summary'> & Partial<Report>;
      const report: Report = { summary, artifacts: artifacts.map(({ kind, value }) => ({ kind, value })) };
      return { outcome: { kind: 'answered', agent, text: summary, data: report } };
    },
  };
}

const repair = (violations: readonly Violation[]): string =>
  `This report does not satisfy the contract. Fix each of these and call ${FINAL_REPORT} again:\n${listViolations(violations)}`;

/** Checks what a schema cannot say of an artifact. An empty value was cut on its way, and `truncated` lists it. */
function misfits(artifacts: readonly Artifact[] = []): readonly Violation[] {
  return artifacts.flatMap(({ kind, value }, index) => {
    const message = value === '' ? undefined : misfit(kind, value);
    return message === undefined ? [] : [{ path: `$.artifacts[${index}].value`, message }];
  });
}

function misfit(kind: ArtifactKind, value: string): string | undefined {
  if (kind === 'json') return jsonValue(value) === undefined ? 'is not JSON' : undefined;
  if (kind === 'path' && !staysInside(value)) return 'must be a path relative to the workspace that stays inside it';
  return undefined;
}

/** Looks at the path only. A pure function cannot find out whether the file exists. */
function staysInside(path: string): boolean {
  if (/^([\\/~]|[A-Za-z]:)/.test(path) || /[\0\r\n]/.test(path)) return false;
  let depth = 0;
  for (const step of path.split(/[\\/]/)) {
    if (step === '..') depth -= 1;
    else if (step !== '' && step !== '.') depth += 1;
    if (depth < 0) return false;
  }
  return true;
}
