// Rules about maps: the list is described by a schema and has a largest length, and the worker and the join can take what
// they get.

import type { JsonSchema } from '../../kernel/schema.ts';
import type { StepReview, StepUpstream } from '../chain-step.ts';
import { answerers } from '../final-answerers.ts';
import { checkReason, compareGiven, outputSchema } from '../hop-check.ts';
import type { Review } from '../record.ts';
import type { ComparedSchemas, ReviewedEdge } from '../review.ts';
import { type DescribedList, describedList, MOST_ITEMS } from './list.ts';
import type { MapStep } from './map.ts';
import { resultSchema } from './result.ts';

export function checkMap(step: MapStep, at: StepReview): void {
  const { review, edges } = at;
  const [worker, join] = edges;
  if (worker === undefined) return;
  for (const upstream of at.upstreams) {
    const list = listOf(step, upstream, at);
    if (list === undefined) continue;
    checkLength(step, list, upstream, at);
    const given = { agent: upstream.agent, schema: list.item };
    compareGiven(given, worker, `an item of ${listName(step)} that "${upstream.agent}" answers`, review);
    for (const edge of edges) checkReason(upstream.agent, edge, review);
  }
  if (at.isLast && join === undefined) warnOfChat(review);
  if (step.pass === 'request+item') refuseJson(worker, review);
  if (join !== undefined)
    for (const given of made(step, at)) compareGiven(given, join, 'the result of the map', review);
}

const listName = ({ each }: MapStep): string => `\`${each}\``;

/** The list by the schema of the upstream. What is missing has been reported. */
function listOf(step: MapStep, upstream: StepUpstream, { review, path }: StepReview): DescribedList | undefined {
  const { agent } = upstream;
  const at = { agent: review.agent.name, path: [...path, 'each'] };
  const report = (message: string, help: string) => review.report({ code: 'next/by-open', at, message, help });
  const schema = schemaOf(upstream, review);
  const file = review.agents.get(agent)?.file ?? agent;
  if (upstream.isMade) {
    report(
      `the step before is a map without \`join\`, so no agent answers with ${listName(step)}`,
      'Give that map a join whose output.schema has the list, or put an agent between them.',
    );
    return undefined;
  }
  if (schema === undefined) {
    report(
      `nothing describes ${listName(step)}: "${agent}" has no output.schema`,
      `Give ${file} an output.schema in which ${listName(step)} is a required list.`,
    );
    return undefined;
  }
  const list = describedList(schema, step.each);
  if (list.kind === 'list') return list;
  report(
    `${listName(step)} ${list.why} of "${agent}"`,
    `Let output.schema of ${file} have it as a required property of type array${step.each === '$' ? '' : ', or name another one'}.`,
  );
  return undefined;
}

const schemaOf = ({ agent, schema }: StepUpstream, review: Review): JsonSchema | undefined =>
  schema ?? outputSchema(agent, review);

function checkLength(step: MapStep, { maxItems }: DescribedList, { agent }: StepUpstream, at: StepReview): void {
  if (step.max !== undefined || (maxItems !== undefined && maxItems <= MOST_ITEMS)) return;
  const { review, path } = at;
  review.report({
    code: 'next/no-max',
    at: { agent: review.agent.name, path: [...path, 'each'] },
    message:
      maxItems === undefined
        ? `nothing says how long ${listName(step)} of "${agent}" may be, so nothing says how often "${step.to}" may run`
        : `${listName(step)} of "${agent}" may have ${maxItems} items, and a map goes through ${MOST_ITEMS} at most`,
    help: `Write max: 12 beside each, or give the list maxItems in the schema.`,
  });
}

/** A result that no agent wrote has no session that could be asked. */
function warnOfChat({ agent, report }: Review): void {
  if (!agent.patterns.some(({ pattern, config }) => pattern.key === 'chat' && config === true)) return;
  report({
    code: 'next/no-chat',
    severity: 'warning',
    at: { agent: agent.name, path: ['chat'] },
    message: `a question to "${agent.name}" is refused: its answer is what the map makes, and no agent wrote it`,
    help: 'Give the map a join, which can be asked, or remove `chat`.',
  });
}

/** An agent that takes JSON gets the item alone. */
function refuseJson(edge: ReviewedEdge, { agents, report }: Review): void {
  const worker = agents.get(edge.to);
  if (worker?.input.format !== 'json') return;
  report({
    code: 'chain/json-input',
    at: edge,
    message: `"${edge.to}" takes JSON, which is the item alone, so \`pass: request+item\` cannot give it the request`,
    help: `Write \`pass: item\`, or let ${worker.file} take text or markdown.`,
  });
}

/** The answers that the next step may get: that of the join, or the result of the map. */
export function mapResults(step: MapStep, at: StepReview): readonly StepUpstream[] {
  const { join } = step;
  return join === undefined
    ? made(step, at).map((given) => ({ ...given, answerers: [], isMade: true }))
    : [{ agent: join, answerers: answerers(join, at.review.agents) }];
}

/** The results of the map, for each answer that it may get. */
function made(step: MapStep, { review, upstreams }: StepReview): readonly ComparedSchemas['given'][] {
  return upstreams.map((upstream) => {
    const schema = schemaOf(upstream, review);
    const list = schema === undefined ? undefined : describedList(schema, step.each);
    const { item, maxItems = MOST_ITEMS } = list?.kind === 'list' ? list : { item: true };
    const most = Math.min(step.max ?? MOST_ITEMS, maxItems);
    return { agent: review.agent.name, schema: resultSchema(item, answerSchema(step.to, review), most) };
  });
}

/** The schema of the worker's answer: its own contract holds, or that of the agent that answers for it. */
function answerSchema(worker: string, review: Review): JsonSchema {
  const schemas = answerers(worker, review.agents).map((name): JsonSchema => {
    const output = review.agents.get(name)?.output;
    if (output === undefined) return true;
    return output.format === 'json' ? (output.schema ?? true) : { type: 'string' };
  });
  const [only, ...others] = schemas;
  return only === undefined || others.length > 0 ? true : only;
}
