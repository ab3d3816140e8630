// The exit that every session has: its final answer, held to the output contract.

import { parseJson } from '../../base/text/json.ts';
import type { Routine } from '../effect.ts';
import { errorResult, type ToolSpec } from '../message.ts';
import type { Outcome } from '../outcome.ts';
import {
  contractViolations,
  isObjectSchema,
  listViolations,
  type OutputContract,
  type SchemaCheck,
  type Violation,
} from '../schema.ts';
import { schemaWithin } from '../schema-parts.ts';
import type { SessionTool, ToolAnswer } from './session-tool.ts';

export const FINAL_REPORT = 'final_report';

export function finalReport(agent: string, contract: OutputContract, check: SchemaCheck): SessionTool {
  const whole = contract.format === 'json' && isObjectSchema(contract.schema);
  const spec = finalReportSpec(contract, whole);
  return {
    spec,
    validatesItself: true,
    exits: () => true,
    fromText: (text) => fromText(text, contract, whole),
    run: (call) => report(agent, whole ? call.arguments : contentOf(call.arguments), contract, check),
  };
}

// This yields no effect. It is a routine because every tool of a session is one.
function* report(agent: string, value: unknown, contract: OutputContract, check: SchemaCheck): Routine<ToolAnswer> {
  const violations = judge(value, contract, check);
  if (violations.length > 0) return { refused: errorResult(repairText(violations)), violations };
  return { outcome: answer(agent, value, contract) };
}

function finalReportSpec(contract: OutputContract, whole: boolean): ToolSpec {
  const description =
    contract.format === 'json'
      ? 'Give your final answer. The arguments are the answer itself and are checked against this schema.'
      : `Give your final answer as ${contract.format === 'text' ? 'plain text' : 'Markdown'}. This ends your work.`;
  if (whole) return { name: FINAL_REPORT, description, parameters: contract.schema ?? true };
  const content =
    contract.format === 'json'
      ? schemaWithin('#/properties/content', contract.schema ?? {})
      : { type: 'string', minLength: 1 };
  return {
    name: FINAL_REPORT,
    description,
    parameters: { type: 'object', properties: { content }, required: ['content'], additionalProperties: false },
  };
}

function fromText(text: string, contract: OutputContract, whole: boolean): unknown {
  if (contract.format !== 'json') return { content: text };
  try {
    const value = parseJson(text);
    return whole ? value : { content: value };
  } catch {
    return undefined; // not JSON: the session asks for a call of final_report instead
  }
}

const contentOf = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && 'content' in given ? given.content : undefined;

function judge(value: unknown, contract: OutputContract, check: SchemaCheck): readonly Violation[] {
  if (contract.format === 'json') return contractViolations(contract, value, check);
  if (typeof value !== 'string') return [{ path: '$.content', message: 'must be a string' }];
  return value.trim() === '' ? [{ path: '$.content', message: 'must not be empty' }] : [];
}

const repairText = (violations: readonly Violation[]): string =>
  `This answer does not satisfy the contract. Fix each of these and call ${FINAL_REPORT} again:\n${listViolations(violations)}`;

function answer(agent: string, value: unknown, contract: OutputContract): Outcome {
  if (contract.format !== 'json') return { kind: 'answered', agent, text: String(value) };
  return { kind: 'answered', agent, text: JSON.stringify(value), data: value };
}
