// Rules about branches: the property is closed by a schema, every value leads somewhere, and each agent can take what is
// answered for its values.

import { nearest } from '../../base/text/nearest.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import type { StepReview, StepUpstream } from '../chain-step.ts';
import { answersOf, checkReason, compareGiven, refuseRequestBeside } from '../hop-check.ts';
import { propertySchema, requiredProperties, requiresProperty, schemaLookedAt } from '../looked-at.ts';
import type { ReviewedEdge } from '../review.ts';
import { type ClosedValue, closedValues, narrowedTo } from './closed-values.ts';
import { endsOf } from './contract.ts';
import type { BranchStep, CaseEnd } from './step.ts';

/** An upstream whose answers can be told apart. */
interface ClosedUpstream {
  readonly upstream: StepUpstream;
  readonly schema: JsonSchema;
  readonly values: readonly ClosedValue[];
}

export function checkBranch(step: BranchStep, at: StepReview): void {
  const closed = closedUpstreams(step, at);
  checkCoverage(step, closed, at);
  checkField(step, closed, at);
  checkFit(step, closed, at);
  for (const edge of at.edges) for (const { agent } of at.upstreams) checkReason(agent, edge, at.review);
  if (step.pass === 'request+answer') refuseRequestBeside(at.edges, at.review);
}

/** The answers of the agents of its cases, and those that stand. */
export function resultsOfBranch(step: BranchStep, at: StepReview): readonly StepUpstream[] {
  const names = [...new Set(at.edges.map(({ to }) => to))];
  const standing = at.upstreams.flatMap((upstream) => {
    const schema = upstream.schema ?? at.review.agents.get(upstream.agent)?.output.schema;
    const left = schema === undefined ? undefined : standingAfter(step, schema);
    return left === undefined ? [] : [{ ...upstream, schema: left }];
  });
  return [...answersOf(names, at.review), ...standing];
}

/** The schema of the answers that stand. */
export function standingAfter(step: BranchStep, schema: JsonSchema): JsonSchema | undefined {
  const closed = closedValues(schema, step.by);
  if (closed.kind === 'open') return undefined;
  const values = endsOf(step, closed.values).flatMap(({ end, values: some }) => (end === null ? some : []));
  return values.length === 0 ? undefined : narrowedTo(schema, step.by, values);
}

function closedUpstreams(step: BranchStep, at: StepReview): readonly ClosedUpstream[] {
  const { review, path } = at;
  return at.upstreams.flatMap((upstream) => {
    const schema = schemaLookedAt(upstream, 'by', at);
    if (schema === undefined) return [];
    const found = closedValues(schema, step.by);
    if (found.kind === 'closed') return [{ upstream, schema, values: found.values }];
    const near = nearest(step.by, requiredProperties(schema));
    const meant = near === undefined || near === step.by ? '' : ` Did you mean "${near}"?`;
    review.report({
      code: 'next/by-open',
      at: { agent: review.agent.name, path: [...path, 'by'] },
      message: `\`${step.by}\` of what "${upstream.agent}" answers ${found.why}`,
      help: `Give it an enum of texts, whole numbers or flags, a const, or type: boolean in output.schema of "${upstream.agent}", and name it under required.${meant}`,
    });
    return [];
  });
}

function checkCoverage(
  step: BranchStep,
  closed: readonly ClosedUpstream[],
  { review, path, upstreams }: StepReview,
): void {
  const { name } = review.agent;
  const known = [...new Set(closed.flatMap(({ values }) => values.map(String)))];
  const left = known.filter((value) => !step.cases.some((one) => one.value === value));
  if (left.length > 0 && step.otherwise === undefined) {
    const [first = ''] = left;
    const listed = left.slice(0, 8).map((value) => JSON.stringify(value));
    const more = left.length > 8 ? ` and ${left.length - 8} more` : '';
    review.report({
      code: 'next/not-covered',
      at: { agent: name, path: [...path, 'to'] },
      message: `no case covers ${listed.join(', ')}${more} of \`${step.by}\``,
      help: `Add ${JSON.stringify(first)} to \`to\`, with an agent or ~, or add otherwise.`,
    });
  }
  // An upstream whose values are not known may have others.
  if (closed.length < upstreams.length) return;
  if (left.length === 0 && step.otherwise !== undefined) {
    review.report({
      code: 'next/unreachable',
      severity: 'warning',
      at: { agent: name, path: [...path, 'otherwise'] },
      message: `\`otherwise\` is never reached: every value of \`${step.by}\` has a case`,
      help: 'Remove it, or the cases that it should take.',
    });
  }
  for (const { value } of step.cases) {
    if (known.includes(value)) continue;
    const near = nearest(value, known);
    const meant = near === undefined ? `Its values: ${known.join(', ')}.` : `Did you mean "${near}"?`;
    review.report({
      code: 'next/unknown-case',
      at: { agent: name, path: [...path, 'to', value], isName: true },
      message: `${JSON.stringify(value)} is no value of \`${step.by}\``,
      help: meant,
    });
  }
}

function checkField({ pass }: BranchStep, closed: readonly ClosedUpstream[], { review, path }: StepReview): void {
  if (typeof pass === 'string') return;
  for (const { upstream, schema } of closed) {
    if (propertySchema(schema, pass.field) !== undefined && requiresProperty(schema, pass.field)) continue;
    const near = nearest(pass.field, requiredProperties(schema));
    review.report({
      code: 'next/by-open',
      at: { agent: review.agent.name, path: [...path, 'pass', 'field'] },
      message: `\`${pass.field}\` is no required property of what "${upstream.agent}" answers, so there may be nothing to hand on`,
      help:
        near === undefined
          ? `Describe it under properties and name it under required in output.schema of "${upstream.agent}".`
          : `Did you mean "${near}"?`,
    });
  }
}

/** The schema of what is handed on, narrowed to the values of a case, against what each agent of the case takes. */
function checkFit(step: BranchStep, closed: readonly ClosedUpstream[], { review, edges }: StepReview): void {
  const left = [...edges];
  const taken = new Map<CaseEnd, readonly ReviewedEdge[]>();
  for (const end of [...step.cases.map((one) => one.end), step.otherwise]) {
    if (end !== null && end !== undefined) taken.set(end, left.splice(0, end.else === undefined ? 1 : 2));
  }
  for (const { upstream, schema, values } of closed) {
    for (const { end, values: some } of endsOf(step, values)) {
      const given = givenFor(step, narrowedTo(schema, step.by, some));
      if (given === undefined) continue;
      const shown = some.map((value) => JSON.stringify(value)).join(', ');
      const what = `what "${upstream.agent}" answers for \`${step.by}\` ${shown}`;
      for (const edge of taken.get(end) ?? [])
        compareGiven({ agent: upstream.agent, schema: given }, edge, what, review);
    }
  }
}

const givenFor = ({ pass }: BranchStep, schema: JsonSchema): JsonSchema | undefined =>
  typeof pass === 'string' ? schema : propertySchema(schema, pass.field);
