// Rules about loops: a command may be run, and an agent that judges reads text and answers {good, why}, whatever its own
// file says.

import type { AgentName } from '../../kernel/effect.ts';
import { answerers, makers, standingSchema } from '../final-answerers.ts';
import type { Review } from '../record.ts';
import type { ComparedSchemas, ReviewedEdge } from '../review.ts';
import { isCommand, type RepeatConfig } from './key.ts';
import { verdictContract } from './verdict.ts';

export function checkRepeat(config: RepeatConfig | undefined, review: Review): void {
  if (config !== undefined && isCommand(config.until)) refuseCommand(config.until.command, review);
  const [judge] = review.edges;
  if (judge === undefined) return;
  refuseJson(judge, review);
  for (const name of answerers(judge.to, review.agents)) {
    const schema = standingSchema(name, review.agents);
    if (schema === undefined) warnOfOverride(name, judge, review);
    else refuseOtherAnswer({ agent: name, schema }, judge, review, 'answers where its branch has ~');
  }
  for (const maker of makers(judge.to, review.agents)) refuseOtherAnswer(maker, judge, review, 'makes of its items');
}

/** A loop whose command can never run would fail with its first answer. */
function refuseCommand(command: string, { agent, commandProblem, report }: Review): void {
  const problem = commandProblem(command);
  if (problem === undefined) return;
  report({ code: 'repeat/command', at: { agent: agent.name, path: ['repeat', 'until', 'command'] }, ...problem });
}

function refuseJson(edge: ReviewedEdge, { agent, agents, report }: Review): void {
  const judge = agents.get(edge.to);
  if (judge?.input.format !== 'json') return;
  report({
    code: 'repeat/json-input',
    at: edge,
    message: `"${edge.to}" takes JSON, and a judge gets the request and the answer of "${agent.name}" as text`,
    help: `Let ${judge.file} take text or markdown, or name another judge.`,
  });
}

const { schema: VERDICT } = verdictContract('');

/** An answer that stands in a branch, or is made by a map, is held to its own schema and to the verdict. */
function refuseOtherAnswer(
  { agent, schema }: ComparedSchemas['given'],
  judge: ReviewedEdge,
  review: Review,
  does: string,
): void {
  if (review.fit(schema, VERDICT).kind !== 'never-fits') return;
  review.report({
    code: 'chain/never-fits',
    at: judge,
    message: `"${judge.to}" judges the answers of "${review.agent.name}", and what "${agent}" ${does} is never {good, why}`,
    help: `Let an agent that judges follow in ${review.agents.get(agent)?.file ?? agent}, or name another judge.`,
  });
}

/** The judge's answer is held to the verdict alone. */
function warnOfOverride(name: AgentName, { to }: ReviewedEdge, review: Review): void {
  const judge = review.agents.get(name);
  if (judge?.outputDeclared !== true || judge.output.format !== 'json') return;
  const { schema } = judge.output;
  if (schema === undefined || isVerdict(schema, review)) return;
  const through = name === to ? '' : `, at the end of the chain of "${to}",`;
  review.report({
    code: 'chain/overrides-output',
    severity: 'warning',
    at: { agent: name, path: ['output', 'schema'] },
    message: `\`output.schema\` of "${name}"${through} is not enforced: it judges the answers of "${review.agent.name}" (${review.placeText({ agent: review.agent.name, path: ['repeat', 'until'] })}), and a judge answers {good, why}`,
    help: `Remove output.schema of "${name}".`,
  });
}

const isVerdict = (schema: NonNullable<Parameters<Review['fit']>[0]>, { fit }: Review): boolean =>
  fit(schema, VERDICT).kind === 'no-finding' && fit(VERDICT, schema).kind === 'no-finding';
